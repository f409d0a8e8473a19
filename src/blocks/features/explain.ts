import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, series, theRows } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";

/** DP_PCA in words. */
export const explainPca: BlockExplain = {
  why: "Columns that rise and fall together can be told in fewer numbers. A model then has less to learn, and two components make a picture; what a component means is no longer plain. Scale first, or the largest column decides alone.",
  did({ output, report }: Finished) {
    const {
      columns,
      explained_variance_ratio: ratio,
      components,
    } = output as {
      columns: string[];
      explained_variance_ratio: number[];
      components: number[][];
    };
    const { fitted, from } = report as { fitted: string; from: number };
    const kept = ratio.reduce((sum, share) => sum + share, 0);
    const weights = (components[0] ?? [])
      .map((weight, k) => ({ name: columns[k], weight }))
      .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
      .slice(0, 3)
      .map(({ name, weight }) => `${listed([name])} (${weight.toFixed(2)})`);
    return [
      `Put ${count(ratio.length, "component")} in the place of ${count(from, "column")}; together they keep ${percent(kept)} of the variance, the first alone ${percent(ratio[0] ?? 0)}.`,
      `The first is made above all of ${series(weights)}.`,
      `Directions and means are those of ${theRows(fitted)}.`,
    ];
  },
};

interface Vectorized {
  readonly vectorizer: string;
  readonly fitted: string;
  readonly columns: readonly {
    readonly name: string;
    readonly terms: number;
    readonly top: readonly { readonly label: string; readonly value: number }[];
  }[];
  readonly loaded?: string;
}

/** DP_VEC in words. */
export const explainVectorize: BlockExplain = {
  why: "A model can't read, but it can count. A column per word says how often it stands in a text; TF-IDF plays down words that stand in nearly all of them.",
  did({ report }: Finished) {
    const { vectorizer, fitted, columns, loaded } = report as Vectorized;
    if (loaded !== undefined) return [`Vectorized as saved under ${quoted(loaded)}; nothing was learnt anew.`];
    const sentences = columns.map(({ name, terms, top }) => {
      const frequent = top.slice(0, 3).map(({ label, value }) => `${quoted(label)} (in ${count(value, "text")})`);
      const words = frequent.length > 0 ? ` The most frequent: ${series(frequent)}.` : "";
      return `Put ${count(terms, "column")} in the place of ${listed([name])}, one per ${vectorizer === "hashing" ? "hash of a word" : "term"}.${words}`;
    });
    return vectorizer === "hashing"
      ? sentences
      : [...sentences, `The terms are those of ${theRows(fitted)}; other words count nothing.`];
  },
};

/** DP_RES in words. */
export const explainResample: BlockExplain = {
  why: "A model that sees one class in twenty rows does well by never saying it. Evening out the classes it learns from makes the rare one count; test rows keep their shares, since they stand for what it will meet.",
  did({ report }: Finished) {
    const { resampler, fitted, made, counts } = report as {
      resampler: string;
      fitted: string;
      made: number;
      counts: { label: unknown; before: number; after: number }[];
    };
    const changed = counts.filter(({ before, after }) => before !== after);
    const words = changed
      .slice(0, 6)
      .map(({ label, before, after }) => `${quoted(String(label))} from ${plain(before)} to ${plain(after)}`);
    return [
      changed.length === 0
        ? `${resampler} changed nothing: the classes were even enough.`
        : `${resampler} took ${series(words)} rows${changed.length > 6 ? `, and ${changed.length - 6} more classes` : ""}, of ${theRows(fitted)}.`,
      ...(made > 0
        ? [
            `${count(made, "row")} ${made === 1 ? "was" : "were"} made between neighbours of one class; nobody measured them.`,
          ]
        : []),
    ];
  },
};
