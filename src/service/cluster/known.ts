import { ArgsError } from "../../core/errors.ts";

/** The address of Spark that an operator or user gave, looked at; null where there is none. */
export async function knownCluster(asked: string | undefined): Promise<string | null> {
  if (!asked) return null;
  // Without the client, which takes a tenth of a second to load.
  const [{ connectionOf }, { SparkError }] = await Promise.all([
    import("../../spark/connection.ts"),
    import("../../spark/errors.ts"),
  ]);
  try {
    connectionOf(asked);
  } catch (error) {
    if (error instanceof SparkError) {
      const who = asked === process.env.BLOCKLAB_ENGINE_SPARK ? "BLOCKLAB_ENGINE_SPARK" : "--engine spark";
      throw new ArgsError(`${who}: ${error.message}`, { path: "engine" });
    }
    throw error;
  }
  return asked;
}

/** The sentence for a caller who asks for Spark where none is known. */
export function noCluster(): ArgsError {
  return new ArgsError(
    "input (DP_1): no Spark is known here; start the service with --engine spark=sc://HOST:15002, or set BLOCKLAB_ENGINE_SPARK to sc://HOST:15002 for a session of your own.",
    { code: "no_engine", path: "engine" },
  );
}
