import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { rowColumn, rowsOf, selectFrom } from "../../core/relation.ts";
import { fitSelection } from "../../core/scope.ts";
import { col, join, raw, type Sql, sql } from "../../core/sql.ts";
import type { Cell } from "../../core/view.ts";

const times = ["", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p"];

const yearFirst = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"];

/** Two-digit years come first: %Y would take "26" for the year 26. */
const named = [
  "%d.%m.%y",
  "%d.%m.%Y",
  "%d %b %Y",
  "%d %B %Y",
  "%d-%b-%y",
  "%d-%b-%Y",
  "%b %d, %Y",
  "%B %d, %Y",
  "%b %d %Y",
  "%B %d %Y",
  "%a, %d %b %Y",
  "%A, %d %B %Y",
];
const monthFirst = ["%m/%d/%y", "%m/%d/%Y", "%m-%d-%y", "%m-%d-%Y"];
const dayFirstDates = ["%d/%m/%y", "%d/%m/%Y", "%d-%m-%y", "%d-%m-%Y"];

/** A month alone is its first day, as in pandas. */
const months = ["%Y-%m", "%Y/%m"];
const namedMonths = ["%b %Y", "%B %Y"];

/** The ways to write a date that are tried in turn, in strftime's letters: where the year stands first, and others. */
export function dateFormats(dayFirst: boolean): { readonly yearFirst: string[]; readonly others: string[] } {
  const timed = (dates: readonly string[]) => dates.flatMap((date) => times.map((time) => `${date}${time}`));
  return {
    yearFirst: [...timed(yearFirst), ...months],
    others: [...timed([...named, ...(dayFirst ? dayFirstDates : monthFirst)]), ...namedMonths],
  };
}

function byFormats(written: Sql, all: readonly string[]): Sql {
  const formats = join(all.map((format) => raw(`'${format}'`)));
  return sql`try_strptime(${written}, [${formats}])`;
}

/** The date in a text, NULL where there is none that can be read. Only a year of four digits may stand first. */
function dateIn(name: string, dayFirst: boolean): Sql {
  const formats = dateFormats(dayFirst);
  const written = sql`trim(CAST(${col(name)} AS VARCHAR))`;
  // DuckDB wants an offset right behind the time.
  const joined = sql`regexp_replace(${written}, ' ([+-][0-9:]+|Z)$', '\\1')`;
  const offset = sql`make_timestamp(epoch_us(TRY_CAST(${joined} AS TIMESTAMPTZ)))`;
  return sql`CASE WHEN regexp_matches(${written}, '^[0-9]{4}.*:.*([+-][0-9]{2}(:?[0-9]{2})?|Z)$') THEN ${offset} WHEN regexp_matches(${written}, '^[0-9]{4}') THEN coalesce(TRY_CAST(${written} AS TIMESTAMP), ${byFormats(written, formats.yearFirst)}) ELSE ${byFormats(written, formats.others)} END`;
}

/** How a column's cells are read as dates. */
export interface DateReader {
  readonly expr: Sql;
  /** Cells that it can't read. */
  readonly unreadable: number;
  /** Whether 3/4/2026 is the third of April. */
  readonly dayfirst: boolean;
}

/** Finds how a column's cells are read as dates. Says what is lost. */
export async function dateReader(
  frame: Frame,
  from: Column,
  dayFirst: boolean | undefined,
  who: string,
  context: BlockContext,
): Promise<DateReader> {
  const cells = selectFrom(frame.relation, { columns: [from.name], row: true });
  const [us, eu] = [dateIn(from.name, false), dateIn(from.name, true)];
  const both = sql`SELECT ${col(from.name)} AS written, ${col(rowColumn)} AS nr, ${us} AS us, ${eu} AS eu FROM (${cells})`;
  const [[present, asUs, asEu, differ]] = await context.tables.query(
    sql`SELECT count(written), count(us), count(eu), count(*) FILTER (us <> eu) FROM (${both})`,
  );
  const isDayFirst = dayFirst ?? Number(asEu) > Number(asUs);
  const readable = Number(isDayFirst ? asEu : asUs);
  const unreadable = Number(present) - readable;
  if (Number(present) > 0 && readable === 0) {
    throw new DataError(`${who}: no cell of column ${quoted(from.name)} can be read as a date.`, { got: from.name });
  }
  if (dayFirst === undefined && Number(asUs) === Number(asEu) && Number(differ) > 0) {
    context.notice(
      `${who}: ${count(Number(differ), "cell")} of column ${quoted(from.name)} could have the day or the month first; the month was taken. Give dayfirst: true for the other.`,
    );
  }
  if (unreadable > 0) {
    const value = raw(isDayFirst ? "eu" : "us");
    const [[first, row]] = await context.tables.query(
      sql`SELECT CAST(written AS VARCHAR), nr FROM (${both}) WHERE written IS NOT NULL AND ${value} IS NULL ORDER BY nr LIMIT 1`,
    );
    context.notice(
      `${who}: ${count(unreadable, "cell")} of column ${quoted(from.name)} can't be read as dates and became missing, the first in row ${row}: ${shown(first)}.`,
    );
  }
  return { expr: isDayFirst ? eu : us, unreadable, dayfirst: isDayFirst };
}

/** A cell as a message quotes it. */
export function shown(value: Cell): string {
  const text = String(value);
  return quoted(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Is every cell of a column of words a date? One that holds nothing is none. */
export async function isDateColumn(frame: Frame, from: Column, context: BlockContext): Promise<boolean> {
  const rows = rowsOf(frame.relation, { ...fitSelection(frame), columns: [from.name] });
  const [us, eu] = [dateIn(from.name, false), dateIn(from.name, true)];
  const [[present, readable]] = await context.tables.query(
    sql`SELECT count(${col(from.name)}), greatest(count(${us}), count(${eu})) FROM (${rows})`,
  );
  return Number(present) > 0 && present === readable;
}
