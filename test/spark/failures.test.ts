import { createServer as createHttp } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { afterEach, describe, expect, it } from "vitest";
import { type ClientOptions, SparkClient, type SparkError, sql } from "../../src/spark/index.ts";
import { freePort } from "../support/postgres.ts";
import { type Behaviour, sparkFailure, startFake } from "./fake-server.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function clientOf(address: string, options: ClientOptions = {}): SparkClient {
  const client = new SparkClient(address, { patienceMs: 2000, ...options });
  open.push(client);
  return client;
}

async function fake(behaviour: Behaviour, options: ClientOptions = {}) {
  const server = await startFake(behaviour);
  open.push({ close: server.stop });
  return { ...server, client: clientOf(server.address, options) };
}

async function failureOf(work: Promise<unknown>): Promise<SparkError> {
  return (await work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  )) as SparkError;
}

async function countOf(client: SparkClient, signal?: AbortSignal): Promise<number> {
  let rows = 0;
  for await (const batch of client.rows(sql("SELECT 1"), { signal })) rows += batch.numRows;
  return rows;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  open.push(server);
  return (server.address() as AddressInfo).port;
}

/** A response with so many rows. */
const batch = (id: string, rows: number) => ({
  response_id: id,
  arrow_batch: {
    row_count: BigInt(rows),
    data: tableToIPC(tableFromArrays({ a: new Int32Array(rows) }), "stream"),
  },
});

describe("a server that can't be asked", () => {
  it("is named, with the reason, where nothing listens or the host is not known", async () => {
    const port = await freePort();
    const refused = await failureOf(clientOf(`sc://127.0.0.1:${port}`).version());
    expect(refused.message).toBe(`Spark at 127.0.0.1:${port} can't be reached: nothing listens there.`);
    expect(refused.code).toBe("UNREACHABLE");
    const unknown = await failureOf(clientOf("sc://no.such.host.invalid").version());
    expect(unknown.message).toContain("can't be reached: its host is not known.");
  });

  it("is told from one that is no Spark", async () => {
    const web = await listening(createHttp((_, response) => response.end("hello")));
    const web2 = await listening(
      createHttp2((_, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("hello");
      }) as unknown as Server,
    );
    for (const port of [web, web2]) {
      const error = await failureOf(clientOf(`sc://127.0.0.1:${port}`).version());
      expect(error.message).toContain("does not speak Spark Connect; check its port");
      expect(error.code).toBe("NOT_SPARK");
    }
  });

  it("is given up where it never answers", async () => {
    const port = await listening(createServer(() => undefined));
    const error = await failureOf(clientOf(`sc://127.0.0.1:${port}`, { patienceMs: 300 }).version());
    expect(error.message).toContain("gives no answer");
    expect(error.code).toBe("NO_ANSWER");
    const deaf = await fake({ silent: ["AnalyzePlan"] }, { patienceMs: 300 });
    expect((await failureOf(deaf.client.version())).message).toContain("accepts connections, but gives no answer");
  });

  it("is told to have no TLS where TLS was asked for", async () => {
    const { port } = await fake({});
    const error = await failureOf(clientOf(`sc://localhost:${port}/;use_ssl=true`).version());
    expect(error.message).toContain("it speaks no TLS; leave out use_ssl");
  });

  it("is refused when it is older than 4.0", async () => {
    const { client, port } = await fake({ version: "3.5.6" });
    const error = await failureOf(client.version());
    expect(error.message).toBe(
      `Spark at 127.0.0.1:${port} must have version 4.0 or later, and it has 3.5.6; ask for another server.`,
    );
    expect(error.code).toBe("OLD_SERVER");
  });

  it("says that the token is wrong, or missing", async () => {
    const guard: Behaviour["guard"] = (headers) =>
      headers.get("authorization")[0] === "Bearer right" ? null : { code: 16, details: "Invalid token: wrong" };
    const { port } = await fake({ guard });
    const address = `sc://127.0.0.1:${port}`;
    expect(await clientOf(`${address}/;token=right`).version()).toBe("4.0.1");
    const wrong = await failureOf(clientOf(`${address}/;token=wrong`).version());
    expect(wrong.message).toContain("refuses the token; give the right one");
    expect(`${wrong.message}${JSON.stringify(wrong)}`).not.toContain("wrong");
    const none = await failureOf(clientOf(address).version());
    expect(none.message).toContain("refuses a caller without a token");
    expect(none.code).toBe("ACCESS_DENIED");
  });
});

describe("what a server says of its failures", () => {
  const saying = async (failure: ReturnType<typeof sparkFailure>, token = "") => {
    const { port } = await fake({ execute: (_, stream) => stream.fail(failure) });
    return await failureOf(countOf(clientOf(`sc://127.0.0.1:${port}${token}`)));
  };

  it("is told in plain words, with Spark's class as the code", async () => {
    const missing = await saying(sparkFailure("TABLE_OR_VIEW_NOT_FOUND", "…", { relationName: "`a`.`b`" }));
    expect(missing.message).toMatch(/has no table or view `a`\.`b`; check its spelling, its catalog and its schema\.$/);
    expect(missing).toMatchObject({ code: "TABLE_OR_VIEW_NOT_FOUND", parameters: { relationName: "`a`.`b`" } });
    const column = await saying(
      sparkFailure("UNRESOLVED_COLUMN.WITH_SUGGESTION", "…", { objectName: "`agee`", proposal: "`age`" }),
    );
    expect(column.message).toMatch(/finds no column `agee`; did you mean one of `age`\?$/);
  });

  it("is told in Spark's own first sentence where there are no words for it", async () => {
    const other = await saying(sparkFailure("SOMETHING.NEW", "The moon is full.\nMore of it"));
    expect(other.message).toMatch(/can't do that: The moon is full\.$/);
    // The parameters may have been too long to be sent.
    const bare = await saying(sparkFailure("PATH_NOT_FOUND", "Path does not exist: /x."));
    expect(bare.message).toMatch(/can't do that: Path does not exist: \/x\.$/);
  });

  it.each([
    [
      "Job aborted due to stage failure: Total size of serialized results of 1 tasks (2.9 MiB) is bigger than spark.driver.maxResultSize (1024.0 KiB)",
      "RESULT_TOO_LARGE",
      /hands out 1024\.0 KiB at most in one answer; ask for fewer rows or columns, or raise spark\.driver\.maxResultSize there\.$/,
    ],
    ["Java heap space", "OUT_OF_MEMORY", /ran out of memory: Java heap space; ask for fewer rows/],
    ["", "TOO_DEEP", /finds the query too deep or too long to work out; ask for less at once\.$/],
    ["Max iterations (100) reached for batch Resolution, please …", "TOO_DEEP", /too deep or too long/],
    ["The moon is full.", "FAILED", /failed: The moon is full\.$/],
  ] as const)("has words where Spark has no class: %s", async (details, code, sentence) => {
    const error = await saying({ code: 13, details });
    expect(error.message).toMatch(sentence);
    expect(error.code).toBe(code);
  });

  it("brings no control characters, no token and no endless text", async () => {
    const text = `\u001b[31mred\u0007 s3cret ${"x".repeat(5000)}`;
    const error = await saying(sparkFailure("ODD", text), "/;token=s3cret");
    expect(error.message).not.toMatch(/\p{Cc}|s3cret/u);
    expect(error.message.length).toBeLessThan(400);
  });
});

describe("a run whose connection breaks", () => {
  it("goes on behind the last response that was read, and releases all of them", async () => {
    const { client, asked } = await fake({
      execute: (_, stream) => {
        stream.write(batch("r1", 2));
        stream.write(batch("r2", 3));
        stream.fail({ code: 14, details: "Connection dropped" });
      },
      // Once in good order and without a word, then the rest.
      reattach: ({ last_response_id }, stream) => {
        if (asked.filter(({ method }) => method === "ReattachExecute").length === 1) return stream.end();
        expect(last_response_id).toBe("r2");
        stream.write(batch("r3", 5));
        stream.write({ response_id: "r4", result_complete: {} });
        stream.end();
      },
    });
    expect(await countOf(client)).toBe(10);
    await expect.poll(() => asked.at(-1)?.request).toHaveProperty("release_all");
    expect(asked.map(({ method }) => method)).not.toContain("Interrupt");
  });

  it("is begun anew when the server never heard of it", async () => {
    let runs = 0;
    const { client } = await fake({
      execute: (_, stream) => {
        if (++runs === 1) return stream.fail({ code: 14, details: "Connection dropped" });
        stream.write(batch("r1", 4));
        stream.write({ response_id: "r2", result_complete: {} });
        stream.end();
      },
      reattach: (_, stream) => stream.fail(sparkFailure("INVALID_HANDLE.OPERATION_NOT_FOUND", "Not found.")),
    });
    expect(await countOf(client)).toBe(4);
    expect(runs).toBe(2);
  });

  it("fails in one sentence when the server stays away", async () => {
    const { client, stop } = await fake({
      execute: (_, stream) => {
        stream.write(batch("r1", 7));
        setTimeout(stop, 100);
      },
    });
    const error = await failureOf(countOf(client));
    expect(error.message).toMatch(/was gone in the middle of the work, after 7 rows; run it again once it is back\.$/);
    expect(error.code).toBe("SERVER_GONE");
  });

  it("is given up when the server falls silent and gives no sign of life", async () => {
    let isFrozen = false;
    const silent: string[] = [];
    const { client } = await fake(
      {
        silent,
        execute: (_, stream) => {
          stream.write(batch("r1", 1));
          isFrozen = true;
          silent.push("AnalyzePlan", "Interrupt", "ReleaseExecute");
        },
      },
      { patienceMs: 300, silenceMs: 200 },
    );
    const error = await failureOf(countOf(client));
    expect(isFrozen).toBe(true);
    expect(error.code).toBe("SERVER_GONE");
  });
});

describe("a run whose rows are read slowly", () => {
  it("takes few more from the server than are read", async () => {
    let written = 0;
    const { client } = await fake({
      execute: (_, stream) => {
        const more = () => {
          while (written < 1000) if (!stream.write(batch(`r${++written}`, 50_000))) return stream.drained(more);
          stream.write({ response_id: "end", result_complete: {} });
          stream.end();
        };
        more();
      },
    });
    let read = 0;
    for await (const _ of client.rows(sql("SELECT 1"))) {
      if (++read > 3) continue;
      await wait(200);
      expect(written).toBeLessThan(read + 40);
    }
    expect(read).toBe(1000);
  });
});

describe("a session that the server has forgotten", () => {
  const complete: Behaviour["execute"] = (_, stream) => {
    stream.write(batch("r1", 1));
    stream.write({ response_id: "r2", result_complete: {} });
    stream.end();
  };

  it("is begun anew in silence when it held nothing", async () => {
    const lost = new Set<string>();
    const { client } = await fake({ execute: complete, isLost: (session) => lost.has(session) });
    const before = await client.sessionId();
    expect(await countOf(client)).toBe(1);
    lost.add(before);
    expect(await countOf(client)).toBe(1);
    expect(await client.sessionId()).not.toBe(before);
  });

  it("is told when it held views or settings, and the next call has a new one", async () => {
    const lost = new Set<string>();
    const { client, asked } = await fake({ execute: complete, isLost: (session) => lost.has(session) });
    await client.set({ "spark.sql.shuffle.partitions": "3" });
    lost.add(await client.sessionId());
    const error = await failureOf(countOf(client));
    expect(error.message).toContain("has forgotten this session, with its views and settings; run it again");
    expect(error.code).toBe("SESSION_LOST");
    expect(await countOf(client)).toBe(1);
    // A new session has the settings that belong to all of this client's.
    const settings = asked.filter(({ method }) => method === "Config").map(({ request }) => request.operation);
    expect(settings.at(-1)).toEqual({ set: { pairs: [{ key: "spark.sql.session.timeZone", value: "UTC" }] } });
  });
});

describe("a run that is given up", () => {
  it("is interrupted and released on the server, whether by a signal or by who stops reading", async () => {
    const endless: Behaviour["execute"] = (_, stream) => stream.write(batch("r1", 1));
    for (const how of ["signal", "break"]) {
      const { client, asked } = await fake({ execute: endless });
      const giveUp = new AbortController();
      const work = (async () => {
        for await (const _ of client.rows(sql("SELECT 1"), { signal: giveUp.signal })) {
          if (how === "break") break;
          setTimeout(() => giveUp.abort(), 50);
        }
      })();
      if (how === "break") await work;
      else expect((await failureOf(work)).name).toBe("AbortError");
      await expect.poll(() => asked.at(-1)?.request).toHaveProperty("release_all");
      const { operation_id } = asked.find(({ method }) => method === "ExecutePlan")?.request ?? {};
      expect(asked.find(({ method }) => method === "Interrupt")?.request).toMatchObject({
        interrupt_type: 3,
        operation_id,
      });
    }
  });

  it("does not even begin when the signal came before", async () => {
    const { client, asked } = await fake({});
    const error = await failureOf(countOf(client, AbortSignal.abort()));
    expect(error.name).toBe("AbortError");
    expect(asked.map(({ method }) => method)).not.toContain("ExecutePlan");
  });
});
