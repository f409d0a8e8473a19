import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, series } from "../../core/explanation.ts";
import { count, listed } from "../../core/names.ts";
import { strongestPairs } from "./strongest.ts";

/** Columns that a sentence names at most. */
const most = 5;

/** DP_DSC in words. */
export const explainDescribe: BlockExplain = {
  why: "Ranges, middles and counts show what is odd before a model learns it: values that can't be, gaps, a column that never changes.",
  did({ output, after }: Finished) {
    const { columns } = output as { columns: Record<string, Record<string, unknown>> };
    const entries = Object.entries(columns);
    const gaps = entries.filter(([, each]) => Number(each.count) < after.rows);
    const holes = gaps.slice(0, most).map(([name, each]) => `${listed([name])} (${after.rows - Number(each.count)})`);
    const more = gaps.length > most ? `, and ${gaps.length - most} more` : "";
    const still = entries.filter(([, each]) => (each.std === 0 || each.unique === 1) && Number(each.count) > 1);
    // A tail that lies five times as far from the middle as the quartile on its side.
    const far = entries.filter(([, each]) => {
      const [low, middle, high] = ["25%", "50%", "75%"].map((key) => Number(each[key]));
      const isTail = (end: number, quartile: number) =>
        Math.abs(quartile - middle) > 0 && Math.abs(end - middle) > 5 * Math.abs(quartile - middle);
      return each.mean !== undefined && (isTail(Number(each.max), high) || isTail(Number(each.min), low));
    });
    const names = (found: typeof entries) =>
      listed(
        found.map(([name]) => name),
        most,
      );
    return [
      `Summed up ${count(entries.length, "column")} of ${count(after.rows, "row")}.`,
      gaps.length === 0 ? "No column has gaps." : `There are gaps in ${series(holes)}${more}.`,
      ...(still.length > 0
        ? [`${names(still)} never ${still.length === 1 ? "changes" : "change"}, and can't help a model.`]
        : []),
      ...(far.length > 0
        ? [`Far from its middle reaches ${names(far)}: look at the largest and smallest values.`]
        : []),
    ];
  },
};

/** DP_CRR in words. */
export const explainCorrelations: BlockExplain = {
  why: "Features that go with the target are worth having; two that go with each other say the same twice. A correlation sees straight lines alone, and says nothing of what causes what.",
  did({ output, after }: Finished) {
    const { columns, matrix } = output as { columns: string[]; matrix: (number | null)[][] };
    const pairs = (columns.length * (columns.length - 1)) / 2;
    const words = strongestPairs(columns, matrix, 3).map(
      ({ a, b, value }) => `${listed([a])} and ${listed([b])} (${value.toFixed(2)})`,
    );
    const target = after.y?.length === 1 && columns.includes(after.y[0]) ? after.y[0] : null;
    const [best] = target === null ? [] : strongestPairs(columns, matrix, 1, target);
    return [
      `Correlated ${count(columns.length, "numeric column")}, ${count(pairs, "pair")}.`,
      ...(words.length > 0 ? [`The strongest: ${series(words)}.`] : []),
      ...(target !== null && best
        ? [
            `With the target ${listed([target])} goes ${listed([best.a === target ? best.b : best.a])} most (${best.value.toFixed(2)}).`,
          ]
        : []),
    ];
  },
};

/** DP_UNQ in words. */
export const explainUniques: BlockExplain = {
  why: "A column with one value teaches nothing, one with a value per row is a name rather than a feature, and few values are categories, even if they are written as numbers.",
  did({ output, after }: Finished) {
    const { columns } = output as { columns: Record<string, number> };
    const entries = Object.entries(columns);
    const where = (test: (n: number) => boolean) => entries.filter(([, n]) => test(n)).map(([name]) => name);
    const [still, all] = [where((n) => n <= 1), where((n) => n === after.rows && n > 1)];
    const few = where((n) => n > 1 && n <= 10);
    return [
      `Counted the different values of ${count(entries.length, "column")}.`,
      ...(still.length > 0 ? [`Never changing: ${listed(still, most)}.`] : []),
      ...(all.length > 0 ? [`Different in every row: ${listed(all, most)}.`] : []),
      ...(few.length > 0 ? [`Ten values or fewer, so perhaps categories: ${listed(few, most)}.`] : []),
    ];
  },
};

/** DP_STC in words. */
export const explainCounts: BlockExplain = {
  why: "How often each value occurs shows rare classes, which a model hardly learns, and misspelt ones.",
  did({ output, report, after }: Finished) {
    const { column, missing } = output as { column: string; missing: number };
    const { ordered, different } = report as { ordered: [string, number][]; different: number };
    const [top] = ordered;
    if (!top) return [`${listed([column])} has no value at all.`];
    return [
      `${listed([column])} has ${count(different, "different value")}; the most frequent, ${listed([top[0]])}, stands in ${plain(top[1])} of ${count(after.rows, "row")} (${percent(top[1] / after.rows)}).`,
      missing === 0 ? "There is no gap." : `${count(missing, "cell")} ${missing === 1 ? "is" : "are"} empty.`,
    ];
  },
};

/** DP_SDC in words. */
export const explainDuplicates: BlockExplain = {
  why: "A row that comes twice counts twice, and if its twin is a test row the model has seen the answer.",
  did({ output, report, after }: Finished) {
    const { count: n } = output as { count: number };
    const { names } = report as { names: string[] };
    const alike = names.length === after.columns.length ? "in all columns" : `in ${listed(names, most)}`;
    if (n === 0) return [`None of the ${count(after.rows, "row")} repeats another ${alike}.`];
    return [
      `${count(n, "row")} of ${plain(after.rows)} (${percent(n / after.rows)}) ${n === 1 ? "is" : "are"} equal to another ${alike}; dropDuplicates would drop ${n === 1 ? "it" : "them"}.`,
    ];
  },
};

/** DP_DRD in words. */
export const explainDropDuplicates: BlockExplain = {
  why: explainDuplicates.why,
  did({ before, report, after }: Finished) {
    const { names } = report as { names: string[] };
    const rows = before?.rows ?? after.rows;
    const alike = names.length === after.columns.length ? "in all columns" : `in ${listed(names, most)}`;
    const gone = rows - after.rows;
    if (gone === 0) return [`No row repeats another ${alike}, so none was dropped.`];
    return [
      `Dropped ${count(gone, "row")} of ${plain(rows)} that repeat another ${alike}; ${plain(after.rows)} are left.`,
    ];
  },
};

/** DP_INF in words. */
export const explainInfo: BlockExplain = {
  why: "Types and gaps decide which blocks come next: texts are encoded or dropped, gaps filled.",
  did({ output }: Finished) {
    const { rows, columns } = output as { rows: number; columns: { name: string; type: string; missing: number }[] };
    const gaps = columns.filter(({ missing }) => missing > 0);
    const texts = columns.filter(({ type }) => type === "string" || type === "category");
    return [
      `Looked at ${count(rows, "row")} and ${count(columns.length, "column")}.`,
      gaps.length === 0
        ? "No cell is empty."
        : `Empty cells: ${series(gaps.slice(0, most).map(({ name, missing }) => `${plain(missing)} in ${listed([name])}`))}${gaps.length > most ? `, and some in ${gaps.length - most} more` : ""}.`,
      ...(texts.length > 0
        ? [
            `A model would need ${listed(
              texts.map(({ name }) => name),
              most,
            )} encoded, since ${texts.length === 1 ? "it holds" : "they hold"} text.`,
          ]
        : []),
    ];
  },
};
