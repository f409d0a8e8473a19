import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { StateRecord } from "../core/record.ts";
import type { View } from "../core/view.ts";
import { envelope } from "./route.ts";

/** Letters of an output that are written at once. */
const pieceLetters = 1 << 18;

/** What goes with a record into the same answer. */
export interface Extra {
  /** What the block shows. */
  readonly view?: View;
}

/** The answer with a state record as JSON, in pieces; others have their turns between those of a large output. */
export async function* recordPieces(record: StateRecord, extra: Extra = {}): AsyncGenerator<string> {
  const { output = "", ...rest } = record;
  if (output.length <= pieceLetters) {
    yield JSON.stringify({ ...extra, ...envelope(record) });
    return;
  }
  // JSON.stringify writes a field last that is set last; behind it come its quotes and two brackets.
  const frame = JSON.stringify({ ...extra, ...envelope({ ...rest, output: "" }) });
  yield frame.slice(0, -'"}}'.length);
  for (let at = 0; at < output.length; at += pieceLetters) {
    yield JSON.stringify(output.slice(at, at + pieceLetters)).slice(1, -1);
    await turn();
  }
  yield '"}}';
}

/** Answers with a state record; one with a large output is sent while it is written. */
export function sendRecord(reply: FastifyReply, record: StateRecord, extra: Extra = {}): unknown {
  if ((record.output?.length ?? 0) <= pieceLetters) return { ...extra, ...envelope(record) };
  const pieces = Readable.from(recordPieces(record, extra), { objectMode: false });
  return reply.type("application/json; charset=utf-8").send(pieces);
}
