import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, series, theRows } from "../../core/explanation.ts";
import type { Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import type { SortKey } from "../../plan/expr.ts";
import type { Joined } from "../../plan/node.ts";
import type { FittedWords } from "./fitted.ts";

/** A longer expression is cut. */
const mostLetters = 100;

/** An expression as it was given, without what every function of a row begins with. */
function shown(expression: string): string {
  const arrow = expression.indexOf("=>");
  const body = (arrow < 0 ? expression : expression.slice(arrow + 2)).replaceAll(/\s+/g, " ").trim();
  return body.length > mostLetters ? `${body.slice(0, mostLetters - 1)}…` : body;
}

/** What aggregates in expressions came to, and of which rows. */
function learntWords({ learnt = [], fitted = "all rows" }: Partial<FittedWords>): string[] {
  if (learnt.length === 0) return [];
  const parts = learnt.map(({ name, value }) => (value === undefined ? name : `${name} is ${plain(value)}`));
  const rows = theRows(fitted);
  return [
    `Learnt from ${rows}, and kept for new rows: ${series(parts.slice(0, 6))}${parts.length > 6 ? ", and so on" : ""}.`,
  ];
}

/** How many rows were left out of how many. */
function keptWords(before: Frame | null, after: Frame): string {
  const all = before?.rows ?? after.rows;
  const gone = all - after.rows;
  if (gone === 0) return `Kept all ${count(all, "row")}`;
  return `Kept ${plain(after.rows)} of ${count(all, "row")}, ${percent(after.rows / Math.max(1, all))}`;
}

/** That a table has no roles or split any more, where it had. */
function endWords(before: Frame | null): string[] {
  if (!before?.x && !before?.split) return [];
  return [`It is a new table: ${before.split ? "the split" : "roles"} ended, so assign them anew behind it.`];
}

/** BL_FILTER in words. */
export const explainFilter: BlockExplain<{ readonly where: string }> = {
  why: "A question is often about some rows alone. What is left out counts in nothing that follows, so say so where you report a number.",
  did: ({ before, after, args, report }) => [
    `${keptWords(before, after)}, where ${shown(args.where)}.`,
    ...(before && before.rows > after.rows
      ? [
          `${count(before.rows - after.rows, "row")} went, those among them of which the condition can't be told as a cell is missing.`,
        ]
      : []),
    ...learntWords(report as FittedWords),
  ],
};

/** BL_DERIVE in words. */
export const explainDerive: BlockExplain<{ readonly columns: Readonly<Record<string, string>> }> = {
  why: "What matters is often no column yet: a ratio, a difference, a part of a date, a row's place in its group. A model can use only what is there.",
  did({ before, after, args, report }) {
    const { by = [], groups, ...learnt } = report as { by?: string[]; groups?: number } & Partial<FittedWords>;
    const had = new Set(before?.columns.map(({ name }) => name));
    const made = Object.entries(args.columns).map(
      ([name, wanted]) => `${had.has(name) ? "Replaced" : "Made"} ${listed([name])}: ${shown(wanted)}.`,
    );
    const joined = after.x?.filter((name) => Object.hasOwn(args.columns, name) && !before?.x?.includes(name)) ?? [];
    const among = groups === undefined ? "each group" : `each of ${count(groups, "group")}`;
    return [
      ...made.slice(0, 6),
      ...(made.length > 6 ? [`${count(made.length - 6, "more column")} came with them.`] : []),
      ...(by.length > 0 ? [`What looks at other rows looks at ${among} by ${listed(by)} alone.`] : []),
      ...learntWords(learnt),
      ...(joined.length > 0 ? [`${listed(joined)} ${joined.length === 1 ? "is a feature" : "are features"} now.`] : []),
    ];
  },
};

/** BL_SELECT in words. */
export const explainSelect: BlockExplain = {
  why: "A table with only what is needed is read and understood faster, and no model can learn from what is not there.",
  did({ before, after }: Finished) {
    const gone = before?.columns.filter(({ name }) => !after.columns.some((each) => each.name === name)) ?? [];
    const kept = listed(after.columns.map(({ name }) => name));
    const all = count(before?.columns.length ?? after.columns.length, "column");
    return [
      `Kept ${plain(after.columns.length)} of ${all}, in this order: ${kept}.`,
      ...(gone.length > 0 ? [`Left out: ${listed(gone.map(({ name }) => name))}.`] : []),
    ];
  },
};

/** BL_RENAME in words. */
export const explainRename: BlockExplain = {
  why: "Names that say what a column holds, and in which unit, save everybody who reads on a question.",
  did({ after, report }: Finished) {
    const { renamed } = report as { renamed: string[] };
    return [
      `Renamed ${plain(renamed.length)} of ${count(after.columns.length, "column")}: ${series(renamed)}. No cell changed.`,
    ];
  },
};

/** BL_SORT in words. */
export const explainSort: BlockExplain = {
  why: "Order lets one see the largest and the smallest first, and windows such as lag() and cumsum() need it.",
  did({ after, report }: Finished) {
    const { by } = report as { by: SortKey[] };
    const keys = by.map(
      ({ column, descending }) => `${listed([column])}${descending ? " from the greatest down" : ""}`,
    );
    return [
      `Put ${count(after.rows, "row")} in the order of ${keys.join(", then ")}; missing cells come last, and equal rows stay as they were.`,
      ...(after.split ? ["Training and test rows are the same as before."] : []),
    ];
  },
};

/** BL_SLICE in words. */
export const explainSlice: BlockExplain = {
  why: "Some rows by their place: the first to look at, the last of a series, the top ten behind a sort.",
  did({ before, after, report }: Finished) {
    const { from, to } = report as { from: number; to: number };
    const which =
      after.rows === 0 ? "none lies there" : `from number ${plain(from)} to ${plain(to - 1)}, counted from 0`;
    return [`${keptWords(before, after)}: ${which}.`];
  },
};

/** BL_SAMPLE in words. */
export const explainSample: BlockExplain<{ readonly replace: boolean; readonly random_state?: number | undefined }> = {
  why: "A random part of a large table is quick to try things on, and tells nearly the same; the same seed always draws the same rows.",
  did({ before, after, args, report }) {
    const { groups } = report as { groups: number };
    const all = before?.rows ?? after.rows;
    const among = groups > 0 ? `, from each of ${count(groups, "group")}` : "";
    const again = args.replace ? "; a row may have come more than once" : "";
    return [
      `Drew ${count(after.rows, "row")} of ${plain(all)}${among}${again}.`,
      ...(args.random_state === undefined ? [] : [`The seed was ${args.random_state}.`]),
    ];
  },
};

/** BL_SUMMARIZE in words. */
export const explainSummarize: BlockExplain<{ readonly columns: Readonly<Record<string, string>> }> = {
  why: "One row a group is what most questions about groups want: how many, how much, how large on average. Look at the count too: a mean of three rows says little.",
  did({ before, after, args, report }) {
    const { by, rows } = report as { by: string[]; rows: number };
    const made = Object.entries(args.columns).map(([name, wanted]) => `${listed([name])} is ${shown(wanted)}`);
    const groups = by.length > 0 ? `, one for each group by ${listed(by)}` : "";
    return [
      `${count(rows, "row")} became ${plain(after.rows)}${groups}.`,
      ...(made.length > 0 ? [`In each, ${series(made.slice(0, 8))}${made.length > 8 ? ", and so on" : ""}.`] : []),
      ...endWords(before),
    ];
  },
};

/** What a join found, for its view and its explanation. */
export interface JoinReport {
  readonly called: string;
  readonly how: Joined["how"];
  /** Rows of this table that found one alike, and of the other. */
  readonly left: number;
  readonly right?: number;
  /** The other table's rows. */
  readonly others?: number;
  /** How many rows of the other table are alike at most. */
  readonly most: number;
  readonly before: number;
  readonly on?: Joined["on"];
}

/** BL_JOIN in words. */
export const explainJoin: BlockExplain = {
  why: "What belongs together often lies in two tables. Look at how many rows found none alike: a key that is written otherwise, or repeats, changes what follows without an error.",
  did({ before: own, after, report }: Finished) {
    const { called, how, left, right, others, most, before, on = [] } = report as JoinReport;
    const had = new Set(own?.columns.map(({ name }) => name));
    const fresh = after.columns.map(({ name }) => name).filter((name) => !had.has(name));
    const keys = on.map(({ column, other }) =>
      column === other ? listed([column]) : `${listed([column])} and ${listed([other])}`,
    );
    const alike = keys.length > 0 ? `, rows that are alike in ${keys.join(", ")}` : "";
    const none = before - left;
    return [
      `Joined ${count(before, "row")} with ${others === undefined ? "" : `${plain(others)} of `}${called} (${how})${alike}: ${count(after.rows, "row")} now.`,
      ...(how === "cross"
        ? []
        : [
            `${plain(left)} found one alike, ${none === 0 ? "and none did not" : `${plain(none)} did not`}${right === undefined || others === undefined ? "" : `; of the other table ${plain(right)} ${right === 1 ? "was" : "were"} found and ${plain(others - right)} not`}.`,
          ]),
      ...(how !== "cross" && how !== "semi" && how !== "anti" && most > 1
        ? [`The other table has a key up to ${plain(most)} times, so such rows came as often.`]
        : []),
      ...(fresh.length > 0 ? [`New: ${listed(fresh)}.`] : []),
    ];
  },
};

/** BL_APPEND in words. */
export const explainAppend: BlockExplain = {
  why: "Months, shops or files that were kept apart become one table. Columns go together by name, so a name that is written otherwise makes a column of its own.",
  did({ before, after, report }: Finished) {
    const { tables, more } = report as { tables: number; more: string[] };
    const own = before?.rows ?? 0;
    return [
      `Put ${count(after.rows - own, "row")} of ${count(tables, "table")} below ${plain(own)}: ${count(after.rows, "row")} now.`,
      more.length > 0
        ? `New, and missing in rows of tables that lack ${more.length === 1 ? "it" : "them"}: ${listed(more)}.`
        : "They brought no column that was not there.",
    ];
  },
};

/** BL_LONGER in words. */
export const explainLonger: BlockExplain<{ readonly names_to: string; readonly values_to: string }> = {
  why: "Tables for people have a column for each year or kind; grouping, drawing and models want one row for each cell, with its year or kind beside it.",
  did({ before, after, args, report }) {
    const { columns } = report as { columns: string[] };
    return [
      `Each row became ${plain(columns.length)}, one for each of ${listed(columns)}: ${plain(before?.rows ?? 0)} became ${count(after.rows, "row")}.`,
      `The column's name stands in ${listed([args.names_to])}, its cell in ${listed([args.values_to])}; the other columns repeat.`,
    ];
  },
};

/** BL_WIDER in words. */
export const explainWider: BlockExplain<{ readonly aggregate?: string | undefined }> = {
  why: "A column for each kind lets one compare kinds side by side, as a table for people does.",
  did({ before, after, args, report }) {
    const { names, values, made } = report as { names: string; values: string; made: string[] };
    const keys = after.columns.map(({ name }) => name).filter((name) => !made.includes(name));
    const by = args.aggregate === undefined ? "" : `; of several cells in one place it is their ${args.aggregate}`;
    return [
      `Made ${count(made.length, "column")} of ${listed([names])}, filled from ${listed([values])}: ${listed(made)}${by}.`,
      `${count(before?.rows ?? 0, "row")} became ${plain(after.rows)}${keys.length > 0 ? `, one for each ${listed(keys)}` : ""}.`,
      ...endWords(before),
    ];
  },
};

/** BL_QUERY in words. */
export const explainQuery: BlockExplain = {
  why: "Some questions are said most shortly in SQL. The SELECT sees these tables and nothing else.",
  did({ before, after, report }: Finished) {
    const { over } = report as { over: string[] };
    const had = before ? `${count(before.rows, "row")} and ${count(before.columns.length, "column")} became ` : "";
    return [
      `Asked ${listed(over)} with one SELECT: ${had}${count(after.rows, "row")} and ${count(after.columns.length, "column")}.`,
      ...endWords(before),
    ];
  },
};

/** BL_COLLECT in words. */
export const explainCollect: BlockExplain = {
  why: "Spark works on tables that no machine holds. What is left of them after filters, samples and summaries fits here, where every block and model can take it.",
  did({ after, report }: Finished) {
    const { came } = report as { came: boolean };
    return [
      came
        ? `Spark worked the steps before out, and ${count(after.rows, "row")} with ${count(after.columns.length, "column")} came here.`
        : "The rows were here already, so nothing was done.",
    ];
  },
};
