import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DuckDBDataChunk } from "@duckdb/node-api";

/** So many bytes may pile up. Measured: 4 to 16 MB do as well, 2 MB worse. */
const most = 8 * 2 ** 20;

let copied = 0;
let collectYoung: (() => void) | null = null;

/**
 * Tells that a chunk's vectors were looked at and are needed no more.
 *
 * Each of them is a copy beside V8's own memory. V8 takes such copies for pressure and marks all of its memory for every
 * 30 MB of them, on other threads as well: a quarter of the time in which the means of a million rows are read. They are
 * young, and collecting what is young takes a millisecond. Views of DuckDB's own memory in place of copies would let us
 * delete this: duckdb/duckdb-node-neo#361.
 */
export function forgetCopies({ rowCount, columnCount }: Pick<DuckDBDataChunk, "rowCount" | "columnCount">): void {
  copied += rowCount * columnCount * Float64Array.BYTES_PER_ELEMENT;
  if (copied < most) return;
  copied = 0;
  collectYoung ??= youngCollector();
  collectYoung();
}

/** V8's own function. New contexts have it as long as the flag is set, which those of cells shall not. */
function youngCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("globalThis.gc") as ((options: { type: "minor" }) => void) | undefined;
  setFlagsFromString("--no-expose-gc");
  return () => collect?.({ type: "minor" });
}
