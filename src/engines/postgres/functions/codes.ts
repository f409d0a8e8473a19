import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, listOf, numberOf, present, type Writer } from "../../sql-calls.ts";
import { written } from "./casts.ts";
import { asDouble } from "./writing.ts";

function placeAmong([x, among]: readonly Argument[]): Sql {
  return sql`CASE WHEN ${x.sql} IS NOT NULL THEN coalesce(array_position(${among.sql}, ${x.sql}) - 1, -1)::bigint END`;
}

function itemAt([place, items]: readonly Argument[]): Sql {
  const n = listOf(items).length;
  return sql`CASE WHEN ${place.sql} BETWEEN 0 AND ${raw(String(n - 1))} THEN (${items.sql}::double precision[])[${place.sql}::integer + 1] END`;
}

function vectorOf(args: readonly Argument[]): Sql {
  return sql`CASE WHEN ${present(args)} THEN ARRAY[${join(args.map(asDouble))}] END`;
}

/** Codes of categories: places, bits and hashes; and arrays of numbers. */
export const codes = {
  byteLength: ([x]) => sql`octet_length(${x.sql})::bigint`,
  hash32: (args) => {
    // Of the third quarter the last byte comes first.
    const quarter = sql`substr(md5(${written(args)}), 17, 8)`;
    return sql`('x' || regexp_replace(${quarter}, '(..)(..)(..)(..)', ${"\\4\\3\\2\\1"}))::bit(32)::bigint`;
  },
  placeOf: placeAmong,
  itemAt,
  bitAt: ([x, k]) =>
    numberOf(k) > 63
      ? sql`(${x.sql} * 0)`
      : sql`CASE WHEN ${x.sql} < 0 THEN 0 ELSE (${x.sql} >> ${raw(String(numberOf(k)))}) & 1 END`,
  vector: vectorOf,
  dot: ([x, weights]) =>
    sql`CASE WHEN ${x.sql} IS NOT NULL THEN (SELECT sum(each.x * each.weight) FROM unnest(${x.sql}, ${weights.sql}::double precision[]) AS each(x, weight)) END`,
  partOf: ([x, k]) => sql`(${x.sql})[${raw(String(numberOf(k) + 1))}]`,
} satisfies Partial<Record<FunctionName, Writer>>;
