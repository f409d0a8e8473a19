import { type ChildProcess, fork } from "node:child_process";
import type { RowStream } from "./rows.ts";

const script = new URL(import.meta.url.endsWith(".ts") ? "./sqlite-child.ts" : "./sqlite-child.js", import.meta.url);

/** What the child is asked, and what it answers. */
export type SqliteRequest = { readonly path: string; readonly query: string } | "next";
/** What the child answers. */
export type SqliteAnswer =
  | { readonly columns: readonly { readonly name: string; readonly type: string | null }[] }
  | { readonly rows: readonly (readonly unknown[])[] }
  | { readonly failure: string };

/**
 * Opens a query on a SQLite file.
 *
 * In a process of its own: SQLite answers synchronously, so a query that takes long, or has no end, would hold
 * up everything else here, and a thread that is inside it can't be stopped.
 */
export function openSqlite(
  path: string,
  query: string,
): { readonly stream: Promise<RowStream>; readonly close: () => void } {
  const child = fork(script, {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [],
    env: {},
  });
  const close = () => void child.kill("SIGKILL");
  const stream = async (): Promise<RowStream> => {
    const described = await answerTo(child, { path, query });
    if (!("columns" in described)) throw new Error("SQLite answered rows before columns");
    return {
      fields: described.columns.map(({ name, type }) => ({ name, kind: "any", declared: type ?? "" })),
      async next() {
        const answer = await answerTo(child, "next");
        if (!("rows" in answer) || answer.rows.length === 0 || answer.rows[0].length === 0) return null;
        return answer.rows;
      },
      close,
    };
  };
  return { stream: stream(), close };
}

async function answerTo(
  child: ChildProcess,
  request: SqliteRequest,
): Promise<Exclude<SqliteAnswer, { failure: string }>> {
  return await new Promise((resolve, reject) => {
    const ended = () => reject(new Error("the reading process ended"));
    child.once("exit", ended);
    child.once("error", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      child.off("error", ended);
      const answer = message as SqliteAnswer;
      if ("failure" in answer) reject(new Error(answer.failure));
      else resolve(answer);
    });
    child.send(request);
  });
}
