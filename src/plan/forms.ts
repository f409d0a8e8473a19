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
const dayFirst = ["%d/%m/%y", "%d/%m/%Y", "%d-%m-%y", "%d-%m-%Y"];

/** A month alone is its first day, as in pandas. */
const months = ["%Y-%m", "%Y/%m"];
const namedMonths = ["%b %Y", "%B %Y"];

/** The ways to write a date that are tried in turn, in strftime's letters: where the year stands first, and others. */
export function dateFormats(isDayFirst: boolean): { readonly yearFirst: string[]; readonly others: string[] } {
  const timed = (dates: readonly string[]) => dates.flatMap((date) => times.map((time) => `${date}${time}`));
  return {
    yearFirst: [...timed(yearFirst), ...months],
    others: [...timed([...named, ...(isDayFirst ? dayFirst : monthFirst)]), ...namedMonths],
  };
}

/** How texts write the places of a number: 1,234.5 with a point, 1.234,5 with a comma. */
export type Decimal = "point" | "comma";

/** What may stand between thousands besides a comma or a point: an apostrophe, or a space that does not break. */
export const gaps = "'’\u00a0\u202f";

/** The sign, the digits with all that stands between them, and the exponent of the first number in a text. */
export const firstNumber = `(?:(?:^|[^\\p{L}\\p{N}_])([-−–]\\s*[$€£¥₹]?\\s*))?(\\d[\\d.,${gaps}]*\\d|\\.?\\d+)([eE][-+]?\\d{1,3}\\b)?`;
