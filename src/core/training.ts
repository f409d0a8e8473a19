import type { Relation } from "../plan/node.ts";
import { allDone } from "./all-done.ts";
import type { BlockContext } from "./block.ts";
import { ArgsError, DataError } from "./errors.ts";
import { type Column, type ColumnType, columnsNamed, type Frame, fitSubset, isNumeric, subsetSize } from "./frame.ts";
import { type ClassColumn, columnOf, type NumberColumns, type SparseColumns, withPlain } from "./matrix.ts";
import type { ModelFile } from "./model.ts";
import { count, listed, quoted } from "./names.ts";
import { type Selection, takesAll } from "./selection.ts";

/** What reading rows asks of a block's context. */
export type ReadingContext = Pick<BlockContext, "tables" | "notice">;

/** Features and target of the rows that a model learns from. */
export interface TrainingData {
  readonly x: NumberColumns;
  /** The target as one column of numbers; empty for classification. */
  readonly y: NumberColumns;
  /** The target as classes; no labels for regression. */
  readonly classes: ClassColumn;
  /** Of text features, where the model takes them as they are; their codes stand in `x`. */
  readonly categories?: Categories;
  /** The model that a training goes on from. */
  readonly earlier?: ModelFile;
  /** What each row counts, as the column of that name says; absent where rows are not a frame's own. */
  readonly weightBy?: (column: string) => Promise<Float64Array>;
}

/** The labels of text features by the features' names, in the order of their codes. */
export type Categories = Readonly<Record<string, ClassColumn["labels"]>>;

/** The features and target columns that a model of this frame has, checked. */
export function modelColumns(frame: Frame, who: string): { features: readonly string[]; target: string } {
  if (!frame.x || frame.x.length === 0 || !frame.y || frame.y.length === 0) {
    throw new ArgsError(
      `${who}: it is not said what to learn from what; assign X and Y first with xy (DP_FSP), as in xy({ y: "species" }).`,
      {
        code: "no_roles",
        hint: "xy",
      },
    );
  }
  if (frame.y.length > 1) {
    throw new DataError(
      `${who}: it learns one target, got ${frame.y.length} (${listed(frame.y)}). Choose one with xy (DP_FSP).`,
      {
        got: frame.y.length,
        expected: 1,
      },
    );
  }
  return { features: frame.x, target: frame.y[0] };
}

/**
 * Reads the training rows (all rows without a split): numeric, complete features and a complete target.
 *
 * `isRaw` takes features as they are: missing cells as NaN, and text as the codes of its categories.
 */
export async function trainingData(
  frame: Frame,
  task: "regression" | "classification",
  context: ReadingContext,
  who: string,
  isRaw = false,
): Promise<TrainingData> {
  const { features, target } = modelColumns(frame, who);
  const selection = { subset: fitSubset(frame), split: frame.split };
  // All have ended before one is complained of, and what is wrong with the features comes first.
  const [{ x, categories }, y, classes] = await allDone<[RawFeatures, NumberColumns, ClassColumn]>([
    isRaw
      ? rawFeatures(frame, frame.relation, selection, features, context, who)
      : featureMatrix(frame, frame.relation, selection, features, context, who).then((x) => ({ x })),
    task === "regression" ? numericTarget(frame, target, selection, context, who) : noNumbers(target),
    task === "classification" ? classTarget(frame, target, selection, context, who) : noClasses(target),
  ]);
  return { x, y, classes, ...(categories ? { categories } : {}) };
}

/** The target of a regression as classes: none. */
function noClasses(target: string): ClassColumn {
  return { name: target, labels: [], codes: new Int32Array(0) };
}

/** The target of a classification as numbers: none. */
function noNumbers(target: string): NumberColumns {
  return { names: [target], n: 0, d: 0, data: new Float64Array(0) };
}

/** What a model that takes sparse rows learns from. */
export interface SparseTraining extends Omit<TrainingData, "x"> {
  readonly x: SparseColumns;
}

/** As `trainingData`, with sparse rows; null where a matrix serves as well. */
export async function sparseTraining(
  frame: Frame,
  task: "regression" | "classification",
  context: ReadingContext,
  who: string,
): Promise<SparseTraining | null> {
  const { features, target } = modelColumns(frame, who);
  const selection = { subset: fitSubset(frame), split: frame.split };
  const x = await sparseFeatures(frame, frame.relation, selection, features, context, who);
  if (!x) return null;
  if (task === "regression") {
    return { x, y: await numericTarget(frame, target, selection, context, who), classes: noClasses(target) };
  }
  return { x, y: noNumbers(target), classes: await classTarget(frame, target, selection, context, who) };
}

/** The features as sparse rows, checked as those of a matrix; null where a matrix serves as well. */
export async function sparseFeatures(
  frame: Pick<Frame, "columns">,
  relation: Relation,
  selection: Selection,
  features: readonly string[],
  context: ReadingContext,
  who: string,
  learnt = false,
): Promise<SparseColumns | null> {
  refuseOtherTypes(frame.columns, features, who);
  const found = await context.tables.sparse(relation, { ...selection, columns: features });
  // The reader of a matrix says what is wrong with no rows.
  if (!found || found.x.n === 0) return null;
  const { x, plain } = found;
  if (plain.length === 0) return x;
  const names = plain.map((k) => features[k]);
  return withPlain(x, plain, await featureMatrix(frame, relation, selection, names, context, who, learnt));
}

/** The features as a matrix; text or missing cells are refused with the block that mends them. A model that `learnt` can't do without a column. */
export async function featureMatrix(
  frame: Pick<Frame, "columns">,
  relation: Relation,
  selection: Selection,
  features: readonly string[],
  context: ReadingContext,
  who: string,
  learnt = false,
): Promise<NumberColumns> {
  refuseOtherTypes(frame.columns, features, who);
  const x = await readNumbers(relation, selection, features, context, who);
  if (x.n === 0) throw noRows(who);
  if (sound.has(x.data.buffer)) return x;
  refuseFaults(faults(x), who, learnt);
  if (x.isKept && x.data.byteLength === x.data.buffer.byteLength) sound.add(x.data.buffer);
  return x;
}

/** Features that are no complete and finite numbers, by what is wrong with them. */
export interface Faults {
  readonly missing: readonly string[];
  /** Those without any value, which are missing too. */
  readonly empty: readonly string[];
  readonly infinite: readonly string[];
}

/** Refuses features with missing cells or infinity, with the block that mends them. */
export function refuseFaults({ missing, empty, infinite }: Faults, who: string, learnt = false): void {
  // Nothing can fill a column without any value, so that one comes first.
  if (empty.length > 0 && !learnt) {
    throw new DataError(
      `${who}: features must be complete, but ${listed(empty)} ${empty.length === 1 ? "has" : "have"} no value at all. Drop ${empty.length === 1 ? "it" : "them"} with drop (DP_6).`,
      { code: "missing_features", got: empty, hint: "drop" },
    );
  }
  if (missing.length > 0) {
    throw new DataError(
      `${who}: features must be complete, but ${listed(missing)} ${missing.length === 1 ? "has" : "have"} missing cells. Fill them with missing (DP_2).`,
      { code: "missing_features", got: missing, hint: "missing" },
    );
  }
  refuseInfinite(infinite, who);
}

/** The error for a table without rows. */
export function noRows(who: string): DataError {
  return new DataError(`${who}: there are no rows to work on.`, { got: 0, expected: "at least 1 row" });
}

function refuseInfinite(infinite: readonly string[], who: string): void {
  if (infinite.length === 0) return;
  throw new DataError(
    `${who}: features must be finite, but ${listed(infinite)} ${infinite.length === 1 ? "holds" : "hold"} infinity. Drop the column with drop (DP_6), or mend its source.`,
    { code: "infinite_features", got: infinite },
  );
}

/** Model after model learns from the same rows, so those are kept; slices and single rows are read once. */
async function readNumbers(
  relation: Relation,
  selection: Selection,
  names: readonly string[],
  { tables }: Pick<BlockContext, "tables">,
  who: string,
): Promise<NumberColumns & { readonly isKept?: boolean }> {
  const wanted = { ...selection, columns: names };
  const reading = takesAll(selection) ? tables.look(relation, wanted) : tables.numbers(relation, wanted);
  return await reading.catch((error) => {
    if (error instanceof DataError) throw new DataError(`${who}: ${error.message}`, error.detail, { cause: error });
    throw error;
  });
}

/** Features as they are, and the categories of those that are text. */
interface RawFeatures {
  readonly x: NumberColumns;
  readonly categories?: Categories;
}

/** More categories of a feature than this have no code of their own. */
const mostCategories = 255;

/**
 * The features as a matrix of what they are: missing cells are NaN, text is told by the codes of its categories.
 *
 * Of more than 255 categories the rarest count as missing, as do those that are not among the `known` ones; both are told.
 */
export async function rawFeatures(
  frame: Pick<Frame, "columns">,
  relation: Relation,
  selection: Selection,
  features: readonly string[],
  context: ReadingContext,
  who: string,
  known?: Categories,
): Promise<RawFeatures> {
  const columns = new Map(columnsNamed(frame.columns, features).map((each) => [each.name, each]));
  const isText = (name: string) => {
    const { type } = columns.get(name) ?? { type: "number" };
    return known ? Object.hasOwn(known, name) : type === "string" || type === "category";
  };
  refuseOtherTypes(
    frame.columns,
    features.filter((name) => !isText(name)),
    who,
  );
  const texts = features.filter(isText);
  const numbers = features.filter((name) => !isText(name));
  const plain = numbers.length > 0 ? await readNumbers(relation, selection, numbers, context, who) : null;
  if (plain)
    refuseInfinite(
      plain.names.filter((_, k) => columnOf(plain, k).some(isInfinite)),
      who,
    );
  const coded: ClassColumn[] = [];
  for (const name of texts) {
    const found = await context.tables.classes(relation, name, selection);
    coded.push(known ? asKnown(found, known[name], context, who) : commonest(found, context, who));
  }
  const n = plain?.n ?? coded[0].codes.length;
  if (n === 0) throw noRows(who);
  const categories = Object.fromEntries(coded.map(({ name, labels }) => [name, labels]));
  if (plain && texts.length === 0) return { x: plain, categories };
  const data = new Float64Array(new SharedArrayBuffer(8 * n * features.length));
  for (const [j, name] of features.entries()) {
    const column = data.subarray(j * n, (j + 1) * n);
    const codes = coded.find((each) => each.name === name)?.codes;
    if (!codes) column.set(columnOf(plain as NumberColumns, numbers.indexOf(name)));
    else for (let i = 0; i < n; i++) column[i] = codes[i] < 0 ? NaN : codes[i];
  }
  return { x: { names: features, n, d: features.length, data }, categories };
}

function isInfinite(value: number): boolean {
  return value === Infinity || value === -Infinity;
}

/** The codes among categories that were learnt; -1 for others. */
function asKnown(
  { name, labels, codes }: ClassColumn,
  learnt: ClassColumn["labels"],
  context: Pick<BlockContext, "notice">,
  who: string,
): ClassColumn {
  const places = new Map(learnt.map((label, code) => [String(label), code]));
  const learntCodes = labels.map((label) => places.get(String(label)) ?? -1);
  const unseen = labels.filter((_, code) => learntCodes[code] < 0);
  if (unseen.length > 0) {
    const cells = codes.reduce((sum, code) => sum + (code >= 0 && learntCodes[code] < 0 ? 1 : 0), 0);
    context.notice(
      `${who}: ${quoted(name)} holds ${listed(unseen.map(String))}, not among the categories that the model learnt; ${count(cells, "cell")} ${cells === 1 ? "counts" : "count"} as missing.`,
    );
  }
  return { name, labels: learnt, codes: codes.map((code) => (code < 0 ? -1 : learntCodes[code])) };
}

/** The column with as many categories as have codes: of more the most frequent. */
function commonest(column: ClassColumn, context: Pick<BlockContext, "notice">, who: string): ClassColumn {
  const { name, labels, codes } = column;
  if (labels.length <= mostCategories) return column;
  const rows = new Int32Array(labels.length);
  for (const code of codes) if (code >= 0) rows[code]++;
  const kept = Array.from(rows.keys())
    .sort((a, b) => rows[b] - rows[a] || a - b)
    .slice(0, mostCategories)
    .sort((a, b) => a - b);
  context.notice(
    `${who}: ${quoted(name)} has ${labels.length.toLocaleString("en-US")} categories; the ${mostCategories} most frequent are told apart, the others count as missing. encode (DP_3) with type "target" keeps them all.`,
  );
  const places = new Int32Array(labels.length).fill(-1);
  for (const [code, old] of kept.entries()) places[old] = code;
  return { name, labels: kept.map((old) => labels[old]), codes: codes.map((code) => (code < 0 ? -1 : places[code])) };
}

/** Where numbers are kept that were found complete and finite: looking at them anew takes as long as some models do. */
const sound = new WeakSet<ArrayBufferLike>();

/** What makes numbers of a type that is none: what to do with such columns, and by which block. */
interface Cure {
  readonly alone: string;
  readonly named: string;
  readonly by: string;
}

const encoding: Cure = { alone: "Encode", named: "encode", by: "encode (DP_3)" };

const cures: Partial<Record<ColumnType, Cure>> = {
  string: encoding,
  category: encoding,
  datetime: { alone: "Take their parts", named: "take the parts of", by: "dates (DP_PDT)" },
  tensor: { alone: "Make columns of them", named: "make columns of", by: "reshape (DP_RSH)" },
};

/** What to do about columns that are no numbers, in a sentence. */
function cureOf(others: readonly Column[]): string {
  const found = new Set(others.flatMap(({ type }) => cures[type] ?? []));
  const each = [...found].map((cure) => {
    const names = others.filter(({ type }) => cures[type] === cure).map(({ name }) => name);
    return `${found.size === 1 ? cure.alone : `${cure.named} ${listed(names)}`} with ${cure.by}`;
  });
  const words = `${each.join(", ")}${each.length > 1 ? "," : ""} or drop with drop (DP_6)`;
  return words[0].toUpperCase() + words.slice(1);
}

/** Refuses features that are no numbers, with the block that makes numbers of them. */
export function refuseOtherTypes(columns: readonly Column[], features: readonly string[], who: string): void {
  const others = columnsNamed(columns, features).filter((each) => !isNumeric(each));
  if (others.length === 0) return;
  const types = [...new Set(others.map((each) => each.type))];
  const names = others.map((each) => each.name);
  throw new DataError(
    `${who}: features must be numbers, but ${listed(names)} ${names.length === 1 ? "is" : "are"} not. ${cureOf(others)}.`,
    { code: "text_features", got: names, hint: types.includes("datetime") ? "dates" : "encode" },
  );
}

function faults(x: NumberColumns): Faults {
  const missing: string[] = [];
  const empty: string[] = [];
  const infinite: string[] = [];
  x.names.forEach((name, k) => {
    const values = columnOf(x, k);
    // One pass: a sum is finite only when all of its parts are, but may overflow, hence the second look.
    if (Number.isFinite(sumOf(values))) return;
    if (values.every(Number.isNaN)) empty.push(name);
    if (values.some(Number.isNaN)) missing.push(name);
    else if (values.some((value) => !Number.isFinite(value))) infinite.push(name);
  });
  return { missing, empty, infinite };
}

/** Two sums at a time: each addition waits for the one before. */
function sumOf(values: Float64Array): number {
  const length = values.length;
  let even = 0;
  let odd = length % 2 === 1 ? values[length - 1] : 0;
  for (let i = 0; i + 1 < length; i += 2) {
    even += values[i];
    odd += values[i + 1];
  }
  return even + odd;
}

async function numericTarget(
  frame: Frame,
  target: string,
  selection: Selection,
  context: ReadingContext,
  who: string,
): Promise<NumberColumns> {
  refuseTextTarget(frame, target, who);
  const y = await context.tables.numbers(frame.relation, { ...selection, columns: [target] });
  refuseTarget(
    target,
    { missing: columnOf(y, 0).filter(Number.isNaN).length, isInfinite: faults(y).infinite.length > 0 },
    who,
  );
  return y;
}

/** Refuses a target of a regression that is no number. */
export function refuseTextTarget(frame: Pick<Frame, "columns">, target: string, who: string): void {
  const [found] = columnsNamed(frame.columns, [target]);
  if (!isNumeric(found)) {
    throw new DataError(
      `${who}: the target ${quoted(target)} must be a number, but it is ${found.type}. For classes use a classifier such as logistic (ML_CN_1).`,
      {
        code: "text_target",
        got: found.type,
        expected: "number",
      },
    );
  }
}

/** Refuses a target with missing cells or infinity. */
export function refuseTarget(
  target: string,
  { missing, isInfinite }: { readonly missing: number; readonly isInfinite: boolean },
  who: string,
): void {
  refuseMissing(missing, target, who);
  if (isInfinite) {
    throw new DataError(`${who}: the target must be finite, but ${quoted(target)} holds infinity. Mend its source.`, {
      code: "infinite_target",
      got: target,
    });
  }
}

/** The target's classes of the selected rows: complete, two of them or more. */
export async function classTarget(
  frame: Frame,
  target: string,
  selection: Selection,
  context: ReadingContext,
  who: string,
): Promise<ClassColumn> {
  const classes = await context.tables.classes(frame.relation, target, selection);
  refuseClasses(frame, target, classes.labels, classes.codes.filter((code) => code < 0).length, who);
  return classes;
}

/** Refuses a target that has missing cells, numbers that are no classes, or one class alone. */
export function refuseClasses(
  frame: Frame,
  target: string,
  labels: ClassColumn["labels"],
  missing: number,
  who: string,
): void {
  refuseMissing(missing, target, who);
  // Integers beyond 2^53 are texts here, so a number as large is one of a column of fractions.
  const continuous = labels.find((label) => typeof label === "number" && !Number.isSafeInteger(label));
  if (continuous !== undefined) {
    throw new DataError(
      `${who}: the target ${quoted(target)} holds numbers such as ${continuous}, not classes. For numbers use a regression such as linear (ML_R_2).`,
      {
        code: "continuous_target",
        got: continuous,
      },
    );
  }
  if (labels.length < 2) {
    const rows = subsetSize(frame, fitSubset(frame));
    const all = rows === 1 ? "the one row is" : `all ${count(rows, "row")} are`;
    throw new DataError(
      `${who}: the target ${quoted(target)} needs at least 2 classes, but ${all} ${JSON.stringify(labels[0] ?? null)}.`,
      {
        code: "one_class",
        got: labels.length,
        expected: "at least 2",
      },
    );
  }
}

function refuseMissing(n: number, target: string, who: string): void {
  if (n === 0) return;
  throw new DataError(
    `${who}: the target ${quoted(target)} is missing in ${count(n, "row")}. Drop them with missing({ strategy: "drop", columns: [${quoted(target)}] }).`,
    {
      code: "missing_target",
      got: n,
    },
  );
}
