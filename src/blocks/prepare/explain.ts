import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, series, theRows } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Cell } from "../../core/view.ts";
import type { Encoded } from "./categories.ts";

/** More columns than this are summed up. */
const most = 6;

/** Why it matters what a fit looked at. */
function fitWords(fitted: string): string {
  return fitted.includes("training")
    ? "Test rows don't count, so that they stay as unknown as the rows that a model will meet."
    : "The rows are not split yet, so rows that may become test rows had their say; a later split will call that a leak.";
}

interface Filled {
  readonly strategy: string;
  readonly fitted: string;
  readonly filled: readonly { readonly column: string; readonly cells: number; readonly value: Cell }[];
  readonly dropped?: readonly string[];
}

/** DP_2 in words. */
export const explainMissing: BlockExplain = {
  why: "Most models can't compute with gaps. Filling keeps the rows, at the price of values that nobody measured; dropping keeps to what was measured, at the price of rows. A mean bends to extreme values, a median doesn't.",
  did({ before, after, report }: Finished) {
    const { strategy, fitted, filled, dropped } = report as Filled;
    const rows = before?.rows ?? after.rows;
    if (strategy === "drop") {
      const gone = rows - after.rows;
      if (gone === 0) return ["No row has a gap in these columns, so none was dropped."];
      return [
        `Dropped ${count(gone, "row")} with a gap, ${percent(gone / rows)} of ${plain(rows)}; ${plain(after.rows)} are left.`,
      ];
    }
    if (dropped) return [dropped.length === 0 ? "No column has a gap." : `Dropped ${listed(dropped)}, which had gaps.`];
    if (filled.length === 0)
      return [
        "There was no gap that could be filled. New rows that have one will be filled from the values that there were.",
      ];
    const learnt = ["mean", "median", "mode"].includes(strategy);
    const words = {
      mode: "the most frequent value",
      ffill: "the value before it",
      bfill: "the value after it",
      linear: "what lies on the line between its neighbours",
    };
    const what = words[strategy as keyof typeof words] ?? `the ${strategy}`;
    const from = learnt ? `${what} of ${theRows(fitted)}` : what;
    const parts = filled.slice(0, most).map(({ column, cells, value }, k) => {
      const filler = value === null ? "" : ` with ${typeof value === "string" ? quoted(value) : plain(value)}`;
      return `${k === 0 ? count(cells, "gap") : plain(cells)} in ${listed([column])}${filler}`;
    });
    const more = filled.length > most ? `, and so on in ${count(filled.length - most, "more column")}` : "";
    const each = filled.length > 1 ? ": each" : ",";
    const known = filled[0].value === null ? ` with ${what}` : learnt ? `${each} ${from}` : "";
    const sentences = [`Filled ${series(parts)}${more}${known}.`];
    return learnt ? [...sentences, fitWords(fitted)] : sentences;
  },
};

/** DP_3 in words. */
export const explainEncode: BlockExplain = {
  why: "Models compute with numbers, not with words. One column per category lets a model weigh each by itself; a label is short, but says that one category is more than another, which suits trees and targets rather than lines and distances.",
  found({ report }: Finished) {
    const { encoded = [] } = report as { encoded?: readonly Encoded[] };
    return { outputs: Object.fromEntries(encoded.map(({ column, outputs }) => [column, outputs])) };
  },
  did({ report }: Finished) {
    const { fitted, encoded, loaded } = report as { fitted: string; encoded: readonly Encoded[]; loaded?: string };
    if (loaded !== undefined) return [`Encoded with what was saved under ${quoted(loaded)}; nothing was learnt anew.`];
    if (encoded.length === 0) return ["There was no column to encode."];
    const sentences = encoded.slice(0, most).map(encodedWords);
    if (encoded.length > most) sentences.push(`So it went with ${count(encoded.length - most, "more column")}.`);
    const isLearnt = encoded.some(({ categories }) => categories.length > 0);
    return isLearnt ? [...sentences, `The categories are those of ${theRows(fitted)}. ${fitWords(fitted)}`] : sentences;
  },
};

function encodedWords({ column, type, categories, outputs }: Encoded): string {
  const name = listed([column]);
  const labels = categories.map(String);
  switch (type) {
    case "label":
      return `Gave each of the ${count(labels.length, "value")} of ${name} a number in sorted order: ${listed(
        labels.map((label, k) => `${label}=${k}`),
        most,
      )}.`;
    case "binary":
      return `Wrote the ${count(labels.length, "value")} of ${name} as ${count(outputs.length, "bit")}, a column each.`;
    case "target":
      return `Put in the place of each of the ${count(labels.length, "value")} of ${name} the mean of the target there, drawn towards the mean of all where it has few rows; training rows were encoded by other training rows.`;
    case "hash":
      return `Turned ${name} into a number of 32 bits that is the same wherever the same text stands.`;
    case "extract_numbers":
      return `Took the first number out of each text of ${name}.`;
    default:
      return `Put ${count(outputs.length, "column")} of 0 and 1 in the place of ${name}: ${listed(outputs, most)}.`;
  }
}

interface Scaled {
  readonly scaler: string;
  readonly fitted: string;
  readonly scalings: readonly { readonly column: string; readonly center: number; readonly scale: number }[];
  readonly loaded?: string;
}

/** DP_5 in words. */
export const explainScale: BlockExplain = {
  why: "Distances, penalties and gradients take a column of thousands for more important than one of tenths. On a common scale each column counts the same. Trees don't care.",
  did({ report }: Finished) {
    const { scaler, fitted, scalings, loaded } = report as Scaled;
    if (loaded !== undefined) return [`Scaled as saved under ${quoted(loaded)}; nothing was learnt anew.`];
    if (scalings.length === 0) return ["There was no column to scale."];
    const [first] = scalings;
    const [center, width] = [plain(first.center), plain(first.scale)];
    const ways = {
      standard: `its mean ${center} becomes 0, its deviation ${width} becomes 1`,
      minmax: `its least value ${center} becomes 0, its range of ${width} becomes 1`,
      robust: `its median ${center} becomes 0, the distance ${width} between its quartiles becomes 1`,
      maxabs: `its largest size ${width} becomes 1, and 0 stays 0`,
    };
    const names = listed(
      scalings.map(({ column }) => column),
      most,
    );
    const how = `${listed([first.column])}, for one: ${ways[scaler as keyof typeof ways]}.`;
    return [
      `Brought ${names} to a common scale (${scaler}). ${how}`,
      `Measured on ${theRows(fitted)}. ${fitWords(fitted)}`,
    ];
  },
};

/** DP_4 in words. */
export const explainSplit: BlockExplain = {
  why: "A model that is judged on rows it has learnt from looks better than it is. Rows that are put aside before anything is learnt stand for what it will meet.",
  did({ args, after }: Finished) {
    const { train, test } = after.split ?? { train: 0, test: 0 };
    const whole = train + test;
    const drawn =
      args.shuffle === false
        ? "The order was kept: the first rows train, the last test, as time series need it."
        : `They were drawn with seed ${String(args.random_state)}, which always draws the same rows.`;
    const kept =
      args.stratify === undefined
        ? []
        : [`Both sides have the same shares of each ${listed([String(args.stratify)])}.`];
    return [
      `Put ${count(test, "row")} aside for testing, ${percent(test / whole)} of ${plain(whole)}; the other ${plain(train)} train.`,
      drawn,
      ...kept,
    ];
  },
};

/** DP_FSP in words. */
export const explainXy: BlockExplain = {
  why: "A model learns to tell the targets (Y) from the features (X). Whatever is known only once the target is known has no place among the features.",
  did({ before, after }: Finished) {
    const x = after.x ?? [];
    const y = after.y ?? [];
    const rows = (before?.rows ?? after.rows) - after.rows;
    const kinds = y.map((name) => after.columns.find((each) => each.name === name)?.type);
    const task = kinds.every((kind) => kind === "number")
      ? "a number, so regressions fit"
      : "classes, so classifiers fit";
    return [
      `Features: ${listed(x)}.`,
      y.length === 0
        ? "There is no target."
        : `${y.length === 1 ? "Target" : "Targets"}: ${series(y.map((name) => listed([name])))}${y.length === 1 ? `, ${task}` : ""}.`,
      ...(rows > 0 ? [`${count(rows, "row")} outside the slice went.`] : []),
    ];
  },
};
