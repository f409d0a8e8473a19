import { describe, expect, it } from "vitest";
import { SparkClient, type SparkError, sql } from "../../src/spark/index.ts";
import { freePort } from "../support/postgres.ts";
import { hasSparkPackage, startSpark } from "../support/spark.ts";

async function failureOf(work: Promise<unknown>): Promise<SparkError> {
  return (await work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  )) as SparkError;
}

async function numbers(client: SparkClient, query: string): Promise<unknown[]> {
  const batches = await Array.fromAsync(client.rows(sql(query)));
  return batches.flatMap((batch) => [...(batch.getChildAt(0) ?? [])]);
}

describe.skipIf(!hasSparkPackage)("a server that asks for a token, and is killed and started again", () => {
  it("refuses other tokens, is told to be gone within ten seconds, and has a new session when it is back", async () => {
    const how = { port: await freePort(), settings: { "spark.connect.authenticate.token": "right-token" } };
    let server = await startSpark(how);
    const address = `sc://127.0.0.1:${how.port}/;token=`;
    const client = new SparkClient(`${address}right-token`, { settings: { "spark.sql.shuffle.partitions": "7" } });
    const patient = new SparkClient(`${address}right-token`, { patienceMs: 60_000 });
    try {
      expect(await patient.version()).toMatch(/^[4-9]\./);
      const wrong = await failureOf(new SparkClient(`${address}wrong-token`).version());
      expect(wrong.message).toContain("refuses the token; give the right one with its address");
      expect(wrong.code).toBe("ACCESS_DENIED");
      const none = await failureOf(new SparkClient(address.replace("/;token=", "")).version());
      expect(none.message).toContain("refuses a caller without a token");

      const before = await client.sessionId();
      let killed = 0;
      const error = await failureOf(
        (async () => {
          for await (const _ of client.rows(sql("SELECT id FROM range(0, 20000000, 1, 200)"))) {
            if (killed) continue;
            killed = Date.now();
            await server.stop();
          }
        })(),
      );
      expect(error.message).toMatch(/was gone in the middle of the work, after \d+ rows; run it again once it is back/);
      expect(Date.now() - killed).toBeLessThan(10_000);
      const away = await failureOf(client.version().then(() => numbers(client, "SELECT 1")));
      expect(away.message).toMatch(/can't be reached: nothing listens there\.$/);

      server = await startSpark(how);
      await new SparkClient(`${address}right-token`, { patienceMs: 60_000 }).version();
      expect(await numbers(client, "SELECT 1")).toEqual([1]);
      expect(await client.sessionId()).not.toBe(before);
      expect(await client.settings("spark.sql.shuffle.partitions")).toEqual({ "spark.sql.shuffle.partitions": "7" });
    } finally {
      await server.stop();
    }
  }, 300_000);
});
