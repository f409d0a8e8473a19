import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArgsError, CancelledError, NotFoundError } from "../core/errors.ts";
import type { Frame } from "../core/frame.ts";
import { listed } from "../core/names.ts";
import type { SourceFile } from "../core/tables.ts";
import type { Cell } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import type { State } from "../store/state.ts";
import { RunningBlock } from "./context.ts";
import { limitOf } from "./limits.ts";
import type { Parts } from "./parts.ts";
import type { Caller, Produced } from "./service.ts";

/** The most rows that one request may bring. */
const mostRows = 100_000;

/**
 * Predicts for new raw rows: through every fitted step of the prediction block's chain, and its model.
 *
 * Nothing is stored; the project stays as it is.
 */
export async function produce(
  parts: Parts,
  caller: Caller,
  flow: State,
  data: unknown,
  signal: AbortSignal,
): Promise<Produced> {
  const block = byCode(flow.code);
  if (!flow.code.endsWith("_P")) {
    throw new ArgsError(
      `production: flow_id ${flow.id} is a record of ${block.name} (${flow.code}); give the id of a prediction's record.`,
      { path: "flow_id", got: flow.code, expected: "a function code that ends in _P" },
    );
  }
  const parent = flow.parentState === null ? null : parts.store.state(caller.owner, flow.parentState);
  if (!parent)
    throw new NotFoundError(`production: the block before record ${flow.id} is gone; predict again.`, {
      path: "flow_id",
    });
  const path = join(tmpdir(), `blocklab-${randomUUID()}.json`);
  const rows: SourceFile = { path, name: "data.json", release: async () => undefined };
  const running = new RunningBlock(parts, {
    caller,
    project: flow.project,
    block: { id: flow.blockId, code: flow.code, name: block.name },
    options: { signal },
    parent,
    given: new Map([[rows.name, rows]]),
  });
  try {
    await writeFile(path, JSON.stringify(rowsOf(data, parent.frame)), { mode: 0o600 });
    await parts.materials.whole(caller.owner, parent.frame, signal);
    const args = { ...(flow.args as object), test_data: rows.name };
    const { output } = await block.run(parent.frame, args as never, running);
    const answers = await answersOf(output as Record<string, { $artifact: string }>, running);
    return running.notices.length === 0 ? answers : { ...answers, notices: running.notices };
  } catch (error) {
    if (signal.aborted) throw limitOf(signal) ?? new CancelledError();
    throw error;
  } finally {
    await running.discard();
    await rm(path, { force: true });
  }
}

/** Rows as objects: a list of them, one alone, or columns of equal length. */
function rowsOf(data: unknown, frame: Frame): readonly object[] {
  const checked = (rows: readonly unknown[]) => checkedRows(rows, frame);
  if (Array.isArray(data)) return checked(data);
  if (typeof data !== "object" || data === null) throw badData(data);
  const columns = Object.entries(data);
  if (columns.length === 0 || !columns.every(([, values]) => Array.isArray(values))) return checked([data]);
  const lengths = columns.map(([, values]) => (values as unknown[]).length);
  if (lengths.some((length) => length !== lengths[0])) {
    throw new ArgsError(
      `production: the columns of data must be as long as each other, got ${[...new Set(lengths)].join(" and ")}.`,
      {
        path: "data",
      },
    );
  }
  return checked(
    Array.from({ length: lengths[0] }, (_, row) =>
      Object.fromEntries(columns.map(([name, values]) => [name, (values as unknown[])[row]])),
    ),
  );
}

function checkedRows(rows: readonly unknown[], frame: Frame): readonly object[] {
  if (rows.length === 0 || rows.length > mostRows) {
    throw new ArgsError(
      `production: data must hold 1 to ${mostRows.toLocaleString("en-US")} rows, got ${rows.length}.`,
      {
        path: "data",
        got: rows.length,
      },
    );
  }
  const wrong = rows.find((row) => typeof row !== "object" || row === null || Array.isArray(row));
  if (wrong !== undefined) throw badData(wrong);
  const objects = rows as readonly Readonly<Record<string, unknown>>[];
  if (objects.every((row) => Object.keys(row).length === 0)) {
    const names = frame.raw.map(({ name }) => name);
    throw new ArgsError(
      `production: the rows of data are empty; give each what the chain began with, such as ${listed(names, 6)}.`,
      { path: "data", got: "{}", expected: names.slice(0, 50) },
    );
  }
  refuseRounded(objects, frame);
  return objects;
}

/** A whole number beyond 2^53 was another one before JSON was read; where digits matter it comes as a text. */
function refuseRounded(rows: readonly Readonly<Record<string, unknown>>[], frame: Frame): void {
  const exact = frame.raw.filter(({ type, integer }) => type === "string" || integer === true);
  for (const { name } of exact) {
    const found = rows.findIndex((row) => Number.isInteger(row[name]) && !Number.isSafeInteger(row[name]));
    if (found < 0) continue;
    throw new ArgsError(
      `production: ${listed([name])} of row ${found} is a whole number beyond 2^53, which JSON's readers round; send it as a text, in quotes.`,
      { path: "data", got: String(rows[found][name]) },
    );
  }
}

function badData(got: unknown): ArgsError {
  const shown = JSON.stringify(got)?.slice(0, 60) ?? String(got);
  return new ArgsError(
    `production: data must be rows as objects, as in [{"age": 31, "city": "Lagos"}], or columns as lists, got ${shown}.`,
    { path: "data", got: shown },
  );
}

async function answersOf(output: Record<string, { $artifact: string }>, running: RunningBlock): Promise<Produced> {
  const read = async (url: string): Promise<Columns | null> => {
    const artifact = output[url]?.$artifact;
    if (artifact === undefined) return null;
    const { columns } = await running.tables.describe(artifact);
    return {
      names: columns.map(({ name }) => name),
      columns: await running.tables.cells({ artifact, steps: [] }, {}),
    };
  };
  const predicted = await read("y_pred_url");
  const shares = await read("y_proba_url");
  if (!predicted) return { y_pred: [] };
  const { names, columns } = predicted;
  // What answers several numbers a row, such as hidden activations, answers them as a list.
  const answers = columns[names.indexOf("y_pred")];
  const y_pred = answers ?? (columns[0] ?? []).map((_, row) => columns.map((values) => values[row]));
  return {
    y_pred,
    ...(shares ? { y_proba: objectsOf({ ...shares, names: shares.names.filter((name) => name !== "row_id") }) } : {}),
    ...(answers && names.length > 1 ? { rows: objectsOf(predicted) } : {}),
  };
}

interface Columns {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
}

function objectsOf({ names, columns }: Columns): Readonly<Record<string, Cell>>[] {
  return (columns[0] ?? []).map((_, row) => Object.fromEntries(names.map((name, k) => [name, columns[k][row]])));
}
