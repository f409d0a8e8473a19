import { status } from "@grpc/grpc-js";
import { isServiceError, NoAnswer } from "./channel.ts";

/**
 * Waits for what may take a server long, and asks it now and then for a sign of life.
 *
 * Without one, `giveUp` ends the waiting, and NoAnswer is thrown: a machine that was switched off closes no connection.
 */
export async function whileAlive<T>(
  work: Promise<T>,
  askForLife: () => Promise<unknown>,
  everyMs: number,
  giveUp: () => void,
): Promise<T> {
  let isSilent = false;
  const asking = setInterval(() => {
    askForLife().catch((error) => {
      isSilent = error instanceof NoAnswer || (isServiceError(error) && error.code === status.DEADLINE_EXCEEDED);
      if (isSilent) giveUp();
    });
  }, everyMs);
  // A program that waits for nothing else may end.
  asking.unref();
  try {
    return await work;
  } catch (error) {
    throw isSilent ? new NoAnswer() : error;
  } finally {
    clearInterval(asking);
  }
}
