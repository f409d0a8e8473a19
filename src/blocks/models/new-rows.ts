import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, type Frame, isNumeric, type Subset } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { listed } from "../../core/names.ts";
import { type Selection, subsetOf } from "../../core/selection.ts";
import { readSplit } from "../../core/split.ts";
import { noticeUnseen } from "../../core/unseen.ts";
import { outputsOf, sourcesOf, stepsFor } from "../../plan/lineage.ts";
import { isSameTable, type Relation, type Step, stepsSince } from "../../plan/node.ts";
import { onlyHere } from "../shared/only-here.ts";
import { type Referred, readFile } from "../shared/sources.ts";
import { asRead } from "./as-read.ts";
import { refuseOtherPreparation } from "./at-hand.ts";

/** Rows that a model judges, and where they come from. */
export interface Judged {
  readonly relation: Relation;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  /** "x_test", "x_train", "x", or what they are in words. */
  readonly from: string;
  /** Of rows from outside: how they came. */
  readonly came?: Came;
}

/** How rows from outside came. */
export interface Came {
  /** The node of their plan behind which their columns have the types of the chain's, and are not changed yet. */
  readonly node: number;
  /** The columns whose types the chain knows. */
  readonly known: readonly string[];
  /** Reads the file again, whose cells were read as text, as what they are. */
  readonly again?: () => Promise<Referred>;
}

/** The rows of a subset of a frame. */
export function rowsOfSubset(frame: Frame, subset: Subset): Judged {
  const { relation, split, columns } = frame;
  return { relation, selection: { subset, split }, columns, from: subset };
}

/** The numbers of judged rows in their table, from 0. */
export async function rowNumbers(
  { selection }: Judged,
  rows: number,
  { tables }: Pick<BlockContext, "tables">,
): Promise<Int32Array> {
  const part = subsetOf(selection);
  if (!part) return Int32Array.from({ length: rows }, (_, row) => row);
  return (await readSplit({ split: part.split, rows }, tables))[part.subset];
}

/** The rows that `test_data` means: a variable of the frame, an artifact, or a file whose rows go through the chain. */
export async function rowsToJudge(
  frame: Frame,
  testData: string | undefined,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Judged> {
  const all = frame.x ? "x_value_url" : "dataset_url";
  const reference = testData ?? (frame.split && frame.x ? "x_train_url" : all);
  const resolved = await context.resolve(frame, reference);
  if (!resolved && context.tables.isFar) throw onlyHere(who, "it judges rows of this chain alone");
  const found = resolved ?? (await readAlike(frame, reference, context));
  const { subset, split } = found.selection;
  const selection = { subset, split };
  if (isSameTable(frame.relation, found.relation) && startsWith(frame.relation.steps, found.relation.steps)) {
    // Rows of this frame, maybe as they were some steps ago: now they are as far as the model's.
    refuseOtherPreparation(frame, file, context, who);
    const shown = reference.replace(/_value_url$|_url$/, "");
    const from = /^[a-z_]+$/.test(shown) ? shown : "the given rows";
    return { relation: frame.relation, selection, columns: frame.columns, from };
  }
  if (context.tables.isFar) throw onlyHere(who, "it judges rows of this chain alone");
  const judged = await newRows(frame, found.relation, file, context, who);
  const again = resolved ? {} : { again: () => readFile(reference, context, wayOf(frame)) };
  return { ...judged, came: { ...judged.came, ...again }, selection };
}

/** How the chain's own file was written, and so rows that come later. */
function wayOf({ reading }: Pick<Frame, "reading">) {
  return { ...reading?.written, naValues: reading?.missingTexts ?? [] };
}

/** Reads a file as text, so that each of its cells can be read as those of its column were that the chain began with. */
async function readAlike(frame: Frame, reference: string, context: BlockContext): Promise<Referred> {
  const read = await readFile(reference, context, { ...wayOf(frame), asText: true });
  for (const notice of read.notices) context.notice(notice);
  return read;
}

/**
 * Rows from outside, through those of the chain's fitted steps that they have not been through.
 *
 * Rows that can't go through, but have the model's features already, are taken as they are.
 */
async function newRows(
  frame: Frame,
  given: Relation,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Omit<Judged, "selection"> & { readonly came: Came }> {
  const node = given.steps.length;
  const columns =
    given.steps.at(-1)?.outputs.map((output) => output.column) ??
    (await context.tables.describe(given.artifact)).columns;
  const features = file.features.map((each) => each.name);
  const targets = file.targets.map((each) => each.name);
  const present = columns.map((each) => each.name);
  const byName = new Map(columns.map((each) => [each.name, each]));
  const behind = stepsSince(given.steps);
  const isOnTheWay = startsWith(frame.lineage, behind);
  const ahead = isOnTheWay ? frame.lineage.slice(behind.length) : [];
  const needed = neededBefore(features, ahead);
  if (isOnTheWay && needed.every((name) => byName.has(name))) {
    refuseOtherPreparation(frame, file, context, who);
    const wanted = behind.length === 0 ? frame.raw : [];
    const cells = { given, columns, wanted, needed, targets: neededBefore(targets, ahead), reading: frame.reading };
    const read = await asRead(cells, context, who);
    const steps = stepsFor([read, ...ahead], present);
    const made = steps.at(-1)?.outputs.map((output) => output.column) ?? columns;
    for (const [k, { unseen = [], name, block }] of steps.entries()) {
      const before: Relation = { ...given, steps: [...given.steps, ...steps.slice(0, k)] };
      const learntFrom = `what ${name} (block ${block}) learnt`;
      await noticeUnseen(before, unseen, { who, learntFrom }, context);
    }
    const from = ahead.length > 0 ? "the new rows" : "the given rows";
    const came = { node, known: wanted.map(({ name }) => name) };
    return { relation: { ...given, steps: [...given.steps, ...steps] }, columns: made, from, came };
  }
  const isReady = ({ name, type }: Column) => {
    const each = byName.get(name);
    return each !== undefined && (isNumeric(each) || each.type === "string" || each.type === type);
  };
  if (file.features.every(isReady)) {
    const asked = { given, columns, wanted: file.features, needed: features, targets, reading: frame.reading };
    const read = await asRead(asked, context, who);
    const made = read.outputs.map(({ column }) => column);
    const relation = { ...given, steps: [...given.steps, read] };
    return { relation, columns: made, from: "the given rows", came: { node, known: features } };
  }
  throw lacksColumns(frame, needed, present, features, who);
}

function lacksColumns(
  frame: Frame,
  needed: readonly string[],
  present: readonly string[],
  features: readonly string[],
  who: string,
): DataError {
  const lacking = needed.filter((name) => !present.includes(name));
  const known = [...frame.raw.map((each) => each.name), ...needed, ...features];
  const extra = present.filter((name) => !known.includes(name));
  const more = extra.length > 0 ? ` They have columns it doesn't know: ${listed(extra)}.` : "";
  return new DataError(
    `${who}: the rows lack what the model needs: ${listed(lacking)}.${more} It needs ${listed(needed)}, in any order.`,
    { code: "other_columns", path: "test_data", got: present.slice(0, 50), expected: needed.slice(0, 50) },
  );
}

/** Is `part` how `steps` begin? */
function startsWith(steps: readonly Step[], part: readonly Step[]): boolean {
  return part.length <= steps.length && part.every((step, k) => JSON.stringify(step) === JSON.stringify(steps[k]));
}

/** The columns before the steps from which these columns come. */
function neededBefore(names: readonly string[], steps: readonly Step[]): string[] {
  let needed = [...names];
  for (const step of steps.toReversed()) {
    const byName = outputsOf(step);
    const before = needed.flatMap((name) => {
      const output = byName.get(name);
      return output ? sourcesOf(output) : [name];
    });
    needed = [...new Set(before)];
  }
  return needed;
}
