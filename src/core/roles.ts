import type { BlockContext } from "./block.ts";
import { ArgsError } from "./errors.ts";
import type { Frame } from "./frame.ts";
import { keepMasked, keepStretch } from "./keep-rows.ts";
import { quoted } from "./names.ts";
import { resolveSlice, type Slice } from "./slices.ts";

/** Slices that assign roles. */
export interface RoleSlices {
  readonly x_boundaries?: Slice | undefined;
  readonly y_boundaries?: Slice | undefined;
}

/**
 * Assigns features and targets. With Y alone, X is all other columns.
 *
 * Row parts select rows of both, and must be the same. Without either slice the frame stays as it is.
 */
export async function assignRoles(frame: Frame, slices: RoleSlices, context: BlockContext): Promise<Frame> {
  if (slices.x_boundaries === undefined && slices.y_boundaries === undefined) return frame;
  const names = frame.columns.map((column) => column.name);
  const who = `${context.block.name} (${context.block.code})`;
  const y = slices.y_boundaries === undefined ? null : resolveSlice(slices.y_boundaries, names, frame.rows);
  const x =
    slices.x_boundaries === undefined
      ? { columns: names.filter((name) => !y?.columns.includes(name)), rows: y?.rows ?? null }
      : resolveSlice(slices.x_boundaries, names, frame.rows);
  const both = x.columns.filter((name) => y?.columns.includes(name));
  if (both.length > 0) {
    throw new ArgsError(
      `${who}: column ${quoted(both[0])} is in X and in Y; a target among the features would be a leak.`,
      {
        got: both,
      },
    );
  }
  if (x.columns.length === 0) throw new ArgsError(`${who}: no column is left for X; Y takes all ${names.length}.`);
  if (y && (x.rows?.[0] !== y.rows?.[0] || x.rows?.[1] !== y.rows?.[1])) {
    throw new ArgsError(
      `${who}: x_boundaries and y_boundaries must select the same rows, got ${rowsText(x.rows)} and ${rowsText(y.rows)}.`,
      { got: [x.rows, y.rows] },
    );
  }
  const [start, end] = x.rows ?? [0, frame.rows];
  const isPart = start > 0 || end < frame.rows;
  const keep = async () =>
    context.tables.isFar
      ? await keepStretch(frame, context, start, end)
      : await keepMasked(frame, context, new Uint8Array(frame.rows).fill(1, start, end));
  const part = isPart ? await keep() : frame;
  return { ...part, x: x.columns, y: y?.columns ?? [] };
}

function rowsText(rows: readonly [number, number] | null): string {
  return rows ? `rows ${rows[0]}:${rows[1]}` : "all rows";
}
