import type { BlockContext } from "../core/block.ts";
import { DataError } from "../core/errors.ts";
import { type Column, type ColumnType, type Frame, isNumeric } from "../core/frame.ts";
import type { ModelFile } from "../core/model.ts";
import { count, listed, quoted } from "../core/names.ts";
import {
  isSameTable,
  type Relation,
  type Selection,
  type Step,
  selectFrom,
  sourcesOf,
  stepsFor,
  stepsSince,
} from "../core/relation.ts";
import { col, join, raw, sql } from "../core/sql.ts";

/** Rows that a model judges, and where they come from. */
export interface Judged {
  readonly relation: Relation;
  readonly selection: Selection;
  readonly columns: readonly Column[];
  /** "x_test", "x_train", "x", or what they are in words. */
  readonly from: string;
}

/** The rows that `test_data` means: a variable of the frame, an artifact, or a file whose rows go through the chain. */
export async function rowsToJudge(
  frame: Frame,
  testData: string | undefined,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Judged> {
  const reference = testData ?? (frame.folds ? "x_train_url" : "x_value_url");
  const found = (await context.resolve(frame, reference)) ?? (await opened(reference, context));
  const { fold, folds } = found.selection;
  const selection = { fold, folds };
  if (isSameTable(frame.relation, found.relation) && startsWith(frame.relation.steps, found.relation.steps)) {
    // Rows of this frame, maybe as they were some steps ago: now they are as far as the model's.
    const shown = reference.replace(/_value_url$|_url$/, "");
    const from = /^[a-z_]+$/.test(shown) ? shown : "the given rows";
    return { relation: frame.relation, selection, columns: frame.columns, from };
  }
  return { ...(await newRows(frame, found.relation, file, context, who)), selection };
}

async function opened(reference: string, context: BlockContext): Promise<{ relation: Relation; selection: Selection }> {
  const source = await context.open(reference);
  try {
    const format = /\.(json|ndjson|jsonl)$/i.test(source.name)
      ? "json"
      : /\.(parquet|pq)$/i.test(source.name)
        ? "parquet"
        : "csv";
    const { artifact } = await context.tables.ingest(source, { format });
    return { relation: { artifact, steps: [] }, selection: {} };
  } finally {
    await source.release();
  }
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
): Promise<Omit<Judged, "selection">> {
  const columns =
    given.steps.at(-1)?.outputs.map((output) => output.column) ??
    (await context.tables.describe(given.artifact)).columns;
  const features = file.features.map((each) => each.name);
  const present = columns.map((each) => each.name);
  const byName = new Map(columns.map((each) => [each.name, each]));
  const behind = stepsSince(given.steps);
  const isOnTheWay = startsWith(frame.lineage, behind);
  const ahead = isOnTheWay ? frame.lineage.slice(behind.length) : [];
  const needed = neededBefore(features, ahead);
  if (isOnTheWay && needed.every((name) => byName.has(name))) {
    const wanted = behind.length === 0 ? frame.raw : [];
    await refuseUnreadable(given, columns, wanted, needed, context, who);
    const steps = stepsFor([castStep(wanted, columns, context), ...ahead], present);
    const made = steps.at(-1)?.outputs.map((output) => output.column) ?? columns;
    const from = ahead.length > 0 ? "the new rows" : "the given rows";
    return { relation: { ...given, steps: [...given.steps, ...steps] }, columns: made, from };
  }
  const isReady = ({ name, type }: Column) => {
    const each = byName.get(name);
    return each !== undefined && (isNumeric(each) || each.type === type);
  };
  if (file.features.every(isReady)) {
    return { relation: given, columns, from: "the given rows" };
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
  for (const { outputs } of steps.toReversed()) {
    const byName = new Map(outputs.map((output) => [output.column.name, output]));
    const before = needed.flatMap((name) => {
      const output = byName.get(name);
      return output ? sourcesOf(output) : [name];
    });
    needed = [...new Set(before)];
  }
  return needed;
}

const sqlTypes: Readonly<Record<ColumnType, string>> = {
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  category: "VARCHAR",
  datetime: "TIMESTAMP",
  tensor: "",
};

/** A file's columns as those of the chain's input were read. */
function castStep(wanted: readonly Column[], columns: readonly Column[], context: BlockContext): Step {
  const outputs = columns.map((have) => {
    const want = wanted.find((each) => each.name === have.name);
    if (!want || want.type === have.type || want.type === "tensor") return { column: have };
    return { column: want, expr: sql`CAST(${col(have.name)} AS ${raw(sqlTypes[want.type])})` };
  });
  return { block: context.block.id, name: "as_read", outputs };
}

/** A column that holds other things than the model learnt from is refused, with the first such cell. */
async function refuseUnreadable(
  given: Relation,
  columns: readonly Column[],
  wanted: readonly Column[],
  needed: readonly string[],
  context: BlockContext,
  who: string,
): Promise<void> {
  const changed = wanted.filter((want) => {
    const have = columns.find((each) => each.name === want.name);
    return have && needed.includes(want.name) && want.type !== have.type && sqlTypes[want.type] !== "";
  });
  if (changed.length === 0) return;
  const faults = changed.map(({ name, type }) => {
    const bad = sql`${col(name)} IS NOT NULL AND TRY_CAST(${col(name)} AS ${raw(sqlTypes[type])}) IS NULL`;
    return sql`count(*) FILTER (${bad}), first(CAST(${col(name)} AS VARCHAR)) FILTER (${bad})`;
  });
  const [found] = await context.tables.query(sql`SELECT ${join(faults)} FROM (${selectFrom(given)})`);
  changed.forEach(({ name, type }, k) => {
    const n = Number(found[2 * k]);
    if (n === 0) return;
    throw new DataError(
      `${who}: column ${quoted(name)} was a ${type} when the model learnt, but ${count(n, "cell")} can't be read as one, such as ${quoted(String(found[2 * k + 1]))}.`,
      { code: "other_type", path: "test_data", got: name, expected: type },
    );
  });
}
