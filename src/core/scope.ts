import { z } from "zod";
import { addStep, type Output, type Step, type Unseen } from "../plan/node.ts";
import type { BlockContext, Outcome } from "./block.ts";
import { DataError } from "./errors.ts";
import { type Column, type Fit, type Frame, fitSubset, type Split, type Subset } from "./frame.ts";
import { quoted } from "./names.ts";
import { resolveSlice, type Slice } from "./slices.ts";

/** The flags by which clients choose the variables that a block acts on. */
export const variableFlags = {
  /** Act on all columns of the dataset. */
  dataset: z.boolean().optional(),
  /** Act on the features. */
  x: z.boolean().optional(),
  /** Act on the targets. */
  y: z.boolean().optional(),
  /** Act on the features; test rows get the same fitted transform. */
  xtrain: z.boolean().optional(),
  /** Act on the features; training rows get the same fitted transform. */
  xtest: z.boolean().optional(),
  /** Act on the targets; test rows get the same fitted transform. */
  ytrain: z.boolean().optional(),
  /** Act on the targets; training rows get the same fitted transform. */
  ytest: z.boolean().optional(),
};

/** The flags as a block gets them. */
export type VariableFlags = Partial<Record<keyof typeof variableFlags, boolean>>;

/** The columns a block speaks of, and what to call them in a message. */
export interface Scope {
  readonly names: readonly string[];
  readonly where: string;
}

/** Columns by flags: X when any x flag is set, Y when any y flag is; without flags X if there are roles. */
export function scope(frame: Frame, flags: VariableFlags = {}): Scope {
  const all = frame.columns.map((candidate) => candidate.name);
  if (flags.dataset) return { names: all, where: "the table" };
  const wantX = flags.x || flags.xtrain || flags.xtest;
  const wantY = flags.y || flags.ytrain || flags.ytest;
  if (wantX || wantY) {
    const x = wantX ? (frame.x ?? all) : [];
    const y = wantY ? (frame.y ?? []) : [];
    return { names: [...new Set([...x, ...y])], where: wantX && wantY ? "X and Y" : wantX ? "X" : "Y" };
  }
  return frame.x ? { names: frame.x, where: "X" } : { names: all, where: "the table" };
}

/** The columns that a slice or list selects within a scope; a name may also lie outside it. */
export function chosen(frame: Frame, wanted: Slice, within: Scope): readonly string[] {
  const names = typeof wanted === "object" ? wanted : [wanted];
  const everywhere = frame.columns.map((candidate) => candidate.name);
  // A name is clear wherever the column stands; indices count within the scope.
  if (names.every((name) => typeof name === "string" && everywhere.includes(name)))
    return [...new Set(names.map(String))];
  return resolveSlice(wanted, within.names, frame.rows, within.where).columns;
}

/** Says that a slice names rows too, where a block treats the columns in all of them. */
export function noticeRows(
  frame: Frame,
  wanted: Slice,
  within: Scope,
  context: Pick<BlockContext, "block" | "notice">,
): void {
  if (typeof wanted !== "string" || frame.columns.some((candidate) => candidate.name === wanted)) return;
  const { rows } = resolveSlice(wanted, within.names, frame.rows, within.where);
  if (rows === null) return;
  const { name, code } = context.block;
  const cure = wanted.includes(",") ? "" : ` Write ":, ${wanted}" for columns.`;
  context.notice(`${name} (${code}): ${quoted(wanted)} selects rows; the columns are treated in all rows.${cure}`);
}

/** The frame with one more step, whatever it does to its columns. */
export function withStep(frame: Frame, step: Step): Frame {
  const columns = step.outputs.map((output) => output.column);
  return { ...frame, columns, relation: addStep(frame.relation, step), lineage: [...frame.lineage, step] };
}

/**
 * Appends a row-wise step: each named column gives way to the outputs in its place (none: it is dropped).
 *
 * Roles follow. `learnt` names the columns whose values decided the step, for the leakage notice.
 */
export function replaceColumns(
  frame: Frame,
  context: Pick<BlockContext, "block">,
  replacements: ReadonlyMap<string, readonly Output[]>,
  learnt: readonly string[] = [],
): Frame {
  if (replacements.size === 0) return frame;
  const outputs = frame.columns.flatMap((column) => replacements.get(column.name) ?? [{ column }]);
  if (outputs.length === 0) {
    const { name, code } = context.block;
    throw new DataError(`${name} (${code}): that would leave the table without a column.`, {
      got: [...replacements.keys()].slice(0, 50),
    });
  }
  const step = { block: context.block.id, name: context.block.name, outputs };
  const follow = (names: readonly string[] | null) =>
    names?.flatMap((name) => replacements.get(name)?.map((output) => output.column.name) ?? [name]) ?? null;
  return {
    ...withStep(frame, step),
    x: follow(frame.x),
    y: follow(frame.y),
    fits: remember(frame, context, learnt),
  };
}

/** The frame, whose last step knows which cells it has not learnt. */
export function withUnseen(frame: Frame, unseen: readonly Unseen[]): Frame {
  const step = frame.lineage.at(-1);
  if (!step || unseen.length === 0) return frame;
  const knowing = { ...step, unseen };
  return {
    ...frame,
    relation: { ...frame.relation, steps: [...frame.relation.steps.slice(0, -1), knowing] },
    lineage: [...frame.lineage.slice(0, -1), knowing],
  };
}

/** The frame's fits with this block's added, when it learnt from rows that a split may yet send to test. */
export function remember(
  frame: Frame,
  context: Pick<BlockContext, "block">,
  learnt: readonly string[],
  rows?: Fit["rows"],
): readonly Fit[] {
  if (frame.split || learnt.length === 0) return frame.fits;
  const { id, code, name } = context.block;
  return [...frame.fits, { block: id, code, name, columns: learnt, ...(rows ? { rows } : {}) }];
}

/** The frame over a new table that a barrier wrote; roles stay where their columns do. */
export function newTable(
  frame: Frame,
  artifact: string,
  change: { readonly rows: number; readonly columns?: readonly Column[]; readonly split?: Split | null },
): Frame {
  return {
    ...frame,
    relation: { artifact, steps: [] },
    rows: change.rows,
    columns: change.columns ?? frame.columns,
    split: change.split === undefined ? frame.split : change.split,
  };
}

/** The frame, whose rows are written down as they are: windows of its last step look along the rows of each subset alone. */
export async function settled(
  frame: Frame,
  split: Split | null,
  { tables }: Pick<BlockContext, "tables">,
): Promise<Frame> {
  const within = split ? { within: { artifact: split.artifact } } : {};
  const { relation } = await tables.settle({ made: "same", of: frame.relation, ...within });
  return { ...frame, relation };
}

/** Which rows a block may learn from, as a selection. */
export function fitSelection(frame: Frame): { readonly subset: Subset; readonly split: Split | null } {
  return { subset: fitSubset(frame), split: frame.split };
}

/** "all 344 rows" or "275 training rows": what a fit looked at, for people. */
export function fitRows(frame: Frame): string {
  return frame.split
    ? `${frame.split.train.toLocaleString("en-US")} training rows`
    : `all ${frame.rows.toLocaleString("en-US")} rows`;
}

/** An outcome that is only a frame. */
export function outcome(frame: Frame, more: Omit<Outcome, "frame"> = {}): Outcome {
  return { frame, ...more };
}
