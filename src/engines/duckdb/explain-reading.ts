import { type Frame, isNumeric, type Split } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { filledColumns, type OwnColumn } from "../../plan/lineage.ts";
import type { Relation } from "../../plan/node.ts";
import { sparseReading } from "../../plan/sparse.ts";
import { byValues, countedByFile, isAddedBySql, keptColumns, keyOf, maskedPart, readsBoth } from "./choose.ts";
import type { Duck } from "./duck.ts";

type Table = Pick<Frame, "relation" | "columns" | "split" | "rows">;

/**
 * Says in plain words how the numbers of a table would be read now; it looks at the plan and at what is kept, and reads nothing.
 *
 * Such as "3 columns kept in memory, 4 worked out once for each value of city, 2 read from the file; for means, 4 columns
 * added up by SQL".
 */
export function explainReading(duck: Duck, table: Table): string {
  const { relation, columns } = table;
  const names = columns.filter((column) => isNumeric(column)).map(({ name }) => name);
  const told = countedByFile(relation, namesOf(columns)).filter((own) => own !== null).length;
  return [
    names.length === 0 ? "no column of numbers" : matrixWays(duck, table, names).join(", "),
    ...sumWays(duck, table),
    ...(told > 0 ? [`missing cells of ${count(told, "column")} told by the file`] : []),
  ].join("; ");
}

function namesOf(columns: Frame["columns"]): string[] {
  return columns.map(({ name }) => name);
}

/** How numbers would come into a matrix. */
function matrixWays(duck: Duck, { relation, split, rows }: Table, names: readonly string[]): string[] {
  const parts = split ? partsKept(duck, relation, names, split) : "";
  if (parts !== "" || keptColumns(duck.kept, relation, names)) {
    return [`${count(names.length, "column")} kept in memory${parts && `, for ${parts} rows`}`];
  }
  const own = filledColumns(relation, names);
  const isRead = (each: OwnColumn | null) => !each || duck.kept.find(relation.artifact, [each.name]) === null;
  const left = names.flatMap((name, k) => (isRead(own[k]) ? [{ name, isOwn: own[k]?.filled === null }] : []));
  const { groups: sparse, plain: others } = sparseReading(relation, { columns: left.map(({ name }) => name) });
  const byValue = byValues(
    relation,
    others.map((k) => left[k].name),
    rows,
  );
  const grouped = new Set(byValue.flatMap(([, at]) => at.map((k) => others[k])));
  const plain = others.filter((k) => !grouped.has(k));
  const fromFile = plain.filter((k) => left[k].isOwn).length;
  const ways: readonly (readonly [number, string])[] = [
    [names.length - left.length, "kept in memory"],
    [left.length - others.length, `placed from ${count(sparse.length, "list")} of terms`],
    ...byValue.map(([source, at]): [number, string] => [
      at.length,
      `worked out once for each value of ${listed([source])}, if these are few texts`,
    ]),
    [fromFile, "read from the file"],
    [plain.length - fromFile, "worked out by the plan"],
  ];
  const words = ways.filter(([n]) => n > 0).map(([n, how], k) => `${k === 0 ? count(n, "column") : n} ${how}`);
  return [...words, ...partWays(duck, split, names.length, sparse.length), ...sideTables(relation)];
}

/** How the rows of a subset would come to their places; those of sparse rows bring them along. */
function partWays(duck: Duck, split: Split | null, columns: number, sparse: number): string[] {
  if (!split || sparse > 0) return [];
  const both = readsBoth(duck.kept, split, columns, false);
  return [both ? "training and test rows in one go, each put into its place" : "rows put into their subset's places"];
}

/** Which rows are in memory, of a table that is split. */
function partsKept(duck: Duck, relation: Relation, columns: readonly string[], split: Split): string {
  const parts = (["train", "test"] as const).filter((subset) => {
    const { key, names } = keyOf(relation, { columns, subset, split });
    return duck.kept.find(key, names) !== null;
  });
  return parts.map((subset) => (subset === "train" ? "training" : "test")).join(" and ");
}

/** How means and deviations would be found. */
function sumWays(duck: Duck, { relation, columns, split, rows }: Table): string[] {
  const numeric = columns.filter((column) => isNumeric(column));
  if (numeric.length === 0) return [];
  const whole = namesOf(numeric.filter(isAddedBySql));
  const grouped = byValues(relation, whole, rows).flatMap(([, at]) => at);
  const added = keptColumns(duck.kept, relation, whole) ? 0 : whole.length - grouped.length;
  const ways = [
    ...(added > 0 ? [`${count(added, "column")} added up by SQL`] : []),
    ...(maskedPart({ subset: "train", split }) ? ["training rows told by a mask"] : []),
  ];
  return ways.length > 0 ? [`for means, ${ways.join(" and ")}`] : [];
}

/** What the rows take from side tables. */
function sideTables({ steps }: Relation): string[] {
  const filled = steps.flatMap(({ outputs }) => outputs.filter(({ own }) => own).map(({ column }) => column.name));
  return [
    ...(steps.some(({ kept }) => kept?.list !== undefined) ? ["rows left out by a side table"] : []),
    ...(filled.length > 0 ? [`cells of ${listed(filled)} from a side table`] : []),
  ];
}
