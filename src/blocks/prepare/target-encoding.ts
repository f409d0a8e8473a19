import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { freshNames, quoted } from "../../core/names.ts";
import { readSplit } from "../../core/split.ts";
import { kFolds, stratifiedFolds } from "../../numerics/evaluation/k-folds.ts";
import { RandomState } from "../../numerics/random.ts";
import { type TargetMeans, targetMeans } from "../../numerics/statistics/target-means.ts";
import { call, type Expr, numberList, value } from "../../plan/expr.ts";
import { addStep, type Output } from "../../plan/node.ts";
import { type Encoded, labelCode } from "./categories.ts";
import { farTargets } from "./far-targets.ts";
import {
  byPartAndCode,
  codesIn,
  endingsOf,
  folds,
  incompleteTarget,
  oneRowAlone,
  shownOf,
  type TargetFit,
  type Targets,
  targetOf,
} from "./target-fits.ts";

/** The targets of the rows that a fit may see, and how these are parted. */
interface TargetRows {
  /** The rows' numbers in the table. */
  readonly seen: Int32Array;
  /** A target per output, over the rows seen; classes have an output each, two classes one. */
  readonly targets: readonly Float64Array[];
  /** What is added to a column's name, per output. */
  readonly endings: readonly string[];
  /** The part in which each row is held out, and how many there are. */
  readonly part: Int32Array;
  readonly parts: number;
}

const seed = 0;

/**
 * The smoothed mean of the target in each category, learnt from training rows once there is a split.
 *
 * A class target of two counts its second class, one of more has a column per class. A training row is encoded by
 * the means of the four fifths of the training rows it is not in, so that it does not meet its own target; the fifths
 * are those of scikit-learn's KFold, for classes of its StratifiedKFold, shuffled with random_state 0.
 * Source: Micci-Barreca (2001), with the empirical Bayes smoothing of scikit-learn's TargetEncoder.
 */
export class TargetEncoding {
  readonly #frame: Frame;
  readonly #context: BlockContext;
  readonly #fits: TargetFit[] = [];
  /** The same for all columns, so it is read for the first. */
  #targets: Targets | null = null;

  constructor(frame: Frame, context: BlockContext) {
    this.#frame = frame;
    this.#context = context;
  }

  /** Learns a column's categories; answers how any row is encoded. */
  async fit(name: string, learnt: Encoded["categories"], taken: readonly string[]): Promise<readonly Output[]> {
    if (this.#frame.y?.includes(name)) {
      throw new ArgsError(`encode (DP_3): column ${quoted(name)} is the target itself. Use "label" for it.`, {
        got: name,
      });
    }
    this.#targets ??= await (this.#context.tables.isFar ? farTargets : targetsHere)(this.#frame, this.#context);
    const { endings } = this.#targets;
    const of = column(this.#frame, name);
    const code = labelCode(of, learnt);
    const found = await this.#targets.means({ of, code, learnt });
    const made = freshNames(
      endings.map((ending) => name + ending),
      taken,
    );
    return found.map(({ all, others }, k): Output => {
      this.#fits.push({ name: made[k], code, means: [...others, all] });
      return { column: { name: made[k], type: "number" }, expr: lookUp(of, code, all) };
    });
  }

  /** The frame in which the rows that were seen have the means of other parts, in place of those of all. */
  async crossFitted(after: Frame): Promise<Frame> {
    if (this.#fits.length === 0 || this.#frame.rows === 0 || !this.#targets) return after;
    return { ...after, relation: await this.#targets.crossFitted(after.relation, this.#fits) };
  }
}

/** Targets of rows that can be read into memory. */
async function targetsHere(frame: Frame, context: BlockContext): Promise<Targets> {
  const rows = await targetRows(frame, context);
  const { seen, targets, endings, part, parts } = rows;
  return {
    endings,
    async means({ code, learnt }) {
      const category = await codesOf(frame, code, seen, learnt.length, context);
      return targets.map((y) => targetMeans({ category, y, categories: learnt.length + 1, part, parts }));
    },
    crossFitted: async (relation, fits) =>
      await context.tables.parted(relation, {
        taken: frame.columns.map(({ name }) => name),
        parts: partOfEach(rows, frame.rows),
        columns: fits.map(({ code, name, means }) => {
          const size = codesIn(means);
          return { name, place: call("coalesce", code, value(size - 2)), size, numbers: byPartAndCode(means) };
        }),
      }),
  };
}

/** The part of each row of the table; those that were not seen are in one behind the others. */
function partOfEach({ seen, part, parts }: TargetRows, rows: number): Uint8Array {
  const each = new Uint8Array(rows).fill(parts);
  for (let i = 0; i < seen.length; i++) each[seen[i]] = part[i];
  return each;
}

/** The seen rows' categories; a missing cell is a category of its own, behind the others. */
async function codesOf(
  frame: Frame,
  code: Expr,
  seen: Int32Array,
  known: number,
  context: BlockContext,
): Promise<Int32Array> {
  if (frame.rows === 0) return new Int32Array(0);
  const codeColumn: Column = { name: "code", type: "number", integer: true };
  const step = { block: context.block.id, name: "codes", outputs: [{ column: codeColumn, expr: code }] };
  const found = await context.tables.numbers(addStep(frame.relation, step), { columns: [codeColumn.name] });
  const all = columnOf(found, 0);
  const codes = new Int32Array(seen.length);
  // Not by Int32Array.from: a call for each of a million rows takes ten times as long.
  for (let i = 0; i < codes.length; i++) codes[i] = Number.isNaN(all[seen[i]]) ? known : all[seen[i]];
  return codes;
}

/** Reads the target of the rows that may be seen, and parts them. */
async function targetRows(frame: Frame, context: BlockContext): Promise<TargetRows> {
  const target = targetOf(frame);
  const { train: seen } = await readSplit(frame, context.tables);
  const { targets, endings, classes } = await targetsOf(frame, target, seen, context);
  if (targets.some((y) => y.some(Number.isNaN))) throw incompleteTarget(target);
  const parts = Math.min(folds, seen.length);
  return { seen, targets, endings, part: partsOf(seen.length, parts, classes), parts };
}

/** The target as columns of numbers over the rows seen, and the classes if it has some. */
async function targetsOf(
  frame: Frame,
  target: string,
  seen: Int32Array,
  context: BlockContext,
): Promise<{ targets: Float64Array[]; endings: string[]; classes: Int32Array | null }> {
  if (isNumeric(column(frame, target))) {
    const all = columnOf(await context.tables.numbers(frame.relation, { columns: [target] }), 0);
    const y = new Float64Array(seen.length);
    for (let i = 0; i < y.length; i++) y[i] = all[seen[i]];
    const isTwo = y.every((value) => value === 0 || value === 1);
    return { targets: [y], endings: [""], classes: isTwo ? Int32Array.from(y) : null };
  }
  const { labels, codes } = await context.tables.classes(frame.relation, target);
  const classes = new Int32Array(seen.length);
  for (let i = 0; i < classes.length; i++) classes[i] = codes[seen[i]];
  const shown = shownOf(labels);
  const targets = shown.map((wanted) => {
    const y = new Float64Array(seen.length);
    for (let i = 0; i < y.length; i++) y[i] = classes[i] < 0 ? Number.NaN : classes[i] === wanted ? 1 : 0;
    return y;
  });
  return { targets, endings: endingsOf(labels), classes };
}

/** The part in which each seen row is held out. */
function partsOf(seen: number, parts: number, classes: Int32Array | null): Int32Array {
  if (seen === 0) return new Int32Array(0);
  if (seen === 1) throw oneRowAlone();
  const random = new RandomState(seed);
  return classes ? stratifiedFolds(classes, parts, random) : kFolds(seen, parts, random);
}

function lookUp(of: Column, code: Expr, { means, mean }: TargetMeans): Expr {
  const missing = means[means.length - 1];
  const known = means.subarray(0, -1);
  const unseen = value(mean, "number");
  // Of the codes -1 alone, that of an unseen category, is no place in the list.
  const found = known.length === 0 ? unseen : call("coalesce", call("itemAt", code, numberList(known)), unseen);
  return call("choose", call("isMissing", cell(of)), value(missing, "number"), found);
}
