import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Frame, fitSubset } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { keepContent, loadContent } from "../../core/preparation.ts";
import { fitRows, remember } from "../../core/scope.ts";
import { modelColumns, trainingData } from "../../core/training.ts";
import { stack, text } from "../../core/view.ts";
import { type Resampler, resample as resampleKernel, resamplers } from "../../numerics/sampling/resample.ts";
import { explainResample } from "./explain.ts";
import { resampledFrame } from "./resampled-frame.ts";
import { samplingOf } from "./sampling.ts";

const who = "resample (DP_RES)";

const details = z.strictObject({
  /** "auto", "minority", "not minority", "not majority", "majority", "all"; a ratio of two classes; or rows per class. */
  sampling_strategy: z.union([z.string(), z.number().positive(), z.record(z.string(), z.int().min(0))]).default("auto"),
  random_state: z.int().min(0).max(4294967295).optional(),
  /** Neighbours towards which SMOTE, BorderlineSMOTE and SMOTETomek draw new rows. */
  k_neighbors: z.int().min(1).default(5),
  /** Neighbours that tell BorderlineSMOTE which rows lie at the border. */
  m_neighbors: z.int().min(1).default(10),
  /** Neighbours of ADASYN (5) and NearMiss (3). */
  n_neighbors: z.int().min(1).optional(),
  /** Nearest rows of each row of the smallest class, for NearMiss 3. */
  n_neighbors_ver3: z.int().min(1).default(3),
  /** NearMiss 1, 2 or 3. */
  version: z.int().min(1).max(3).default(1),
  /** Draw rows more than once (RandomUnderSampler). */
  replacement: z.boolean().default(false),
});

/**
 * DP_RES. Evens out classes: draws rows of rare ones again or makes new ones, or drops rows of frequent ones.
 *
 * With a split it is the training rows alone that change; test rows stay as they are. Made rows have values in X and Y,
 * and are missing elsewhere. Counts, draws and the order of rows are those of imbalanced-learn.
 */
export const resample = defineBlock({
  code: "DP_RES",
  name: "resample",
  args: {
    /** Which way to go about it (default "SMOTE"). */
    resampler: z.literal(resamplers).default("SMOTE"),
    /** The resampler's own parameters, by imbalanced-learn's names, such as sampling_strategy and k_neighbors. */
    details: details.optional(),
    /** Seed of what is drawn; drawn once and recorded when absent. */
    random_state: z.int().min(0).max(4294967295).optional(),
    /** Resample X and Y: all rows without a split, training rows with one. */
    xy: z.boolean().optional(),
    /** Resample the training rows. */
    xy_train: z.boolean().optional(),
    /** Refused: test rows stand for what a model will meet. */
    xy_test: z.boolean().optional(),
    /** Keeps resampler and details in the project under this name. */
    save_name: z.string().min(1).optional(),
    /** Takes up the resampler and details that were kept under this name. */
    load_name: z.string().min(1).optional(),
  },
  positional: ["resampler"],
  example: 'session.input("sample:iris").xy({ y: "species" }).split({ random_state: 0 }).resample("RandomOverSampler")',
  explain: explainResample,
  async run(frame, args, context) {
    const { resampler, given } = await choiceOf(args, context);
    if (args.xy_test) {
      throw new ArgsError(
        `${who}: test rows are not resampled: they stand for what the model will meet, and their shares must stay. Set xy_train.`,
        { path: "xy_test", got: true },
      );
    }
    if (args.xy_train && !frame.split)
      throw new ArgsError(`${who}: there are no training rows yet; split the rows first with split (DP_4).`, {
        path: "xy_train",
      });
    const { x, y, labels } = await rowsToSample(frame, resampler, context);
    const before = new Float64Array(labels.length);
    for (const code of y) before[code]++;
    const { wanted, sampled } = samplingOf(resampler, given.sampling_strategy, before, labels, who);
    const neighbors = neighborsOf(resampler, given);
    refuseFew(resampler, before, wanted, labels, { ...given, neighbors }, y.length);
    const made = await context.compute(
      resampleKernel,
      {
        resampler,
        x,
        y,
        wanted,
        sampled,
        seed: given.random_state ?? args.random_state ?? 0,
        neighbors,
        border: resampler === "NearMiss" ? given.n_neighbors_ver3 : given.m_neighbors,
        version: given.version,
        replacement: given.replacement,
      },
      "rows",
    );
    const after = new Float64Array(labels.length);
    for (const row of made.kept) after[y[row]]++;
    for (const code of made.classes) after[code]++;
    for (const [code, rows] of after.entries())
      if (rows === 0 && before[code] > 0) context.notice(`${who}: no row of ${JSON.stringify(labels[code])} is left.`);
    const counts = labels.map((label, k) => ({ label, before: before[k], after: after[k] }));
    const evened = await resampledFrame(frame, made, labels, context);
    const { features, target } = modelColumns(frame, who);
    return {
      frame: { ...evened, fits: remember(frame, context, [...features, target], "resampled") },
      output: { rows: made.kept.length + made.classes.length, counts },
      report: { resampler, fitted: fitRows(frame), made: made.classes.length, counts },
      ...(await keepContent(context, args, { resampler, details: args.details ?? {} })),
    };
  },
  async view({ after, report }, read) {
    const { resampler, fitted, made, counts } = report as {
      resampler: Resampler;
      fitted: string;
      made: number;
      counts: { label: string | number | boolean; before: number; after: number }[];
    };
    const total = counts.reduce((sum, each) => sum + each.after, 0);
    return stack(
      text(
        `${resampler} of ${fitted}: ${count(total, "row")}, ${made === 0 ? "none" : count(made, "row")} of them made.`,
      ),
      {
        kind: "table",
        summary: true,
        columns: [
          { name: after.y?.[0] ?? "class", type: "text" },
          { name: "before", type: "integer" },
          { name: "after", type: "integer" },
        ],
        rows: counts.map((each) => [String(each.label), each.before, each.after]),
      },
      await read.head(after, after.split ? { subset: "train" } : {}),
    );
  },
});

type Details = z.output<typeof details>;

interface Choice {
  readonly resampler: Resampler;
  readonly details?: z.input<typeof details> | undefined;
}

/** What was asked for, or what was kept under `load_name`. */
async function choiceOf(
  args: Choice & { readonly load_name?: string | undefined },
  context: BlockContext,
): Promise<{ resampler: Resampler; given: Details }> {
  const choice = args.load_name === undefined ? args : await loadContent<Choice>(context, args.load_name);
  return { resampler: choice.resampler, given: details.parse(choice.details ?? {}) };
}

/** Features and classes of the rows that change; the random samplers draw whole rows and look at no feature. */
async function rowsToSample(frame: Frame, resampler: Resampler, context: BlockContext) {
  if (resampler.startsWith("Random")) {
    const { target } = modelColumns(frame, who);
    const selection = { subset: fitSubset(frame), split: frame.split };
    const { labels, codes } = await context.tables.classes(frame.relation, target, selection);
    if (codes.includes(-1))
      throw new DataError(
        `${who}: the target ${quoted(target)} has missing cells. Drop those rows with missing (DP_2) first.`,
        {
          got: target,
        },
      );
    if (labels.length < 2)
      throw new DataError(`${who}: the target ${quoted(target)} needs at least 2 classes, got ${labels.length}.`, {
        got: labels.length,
      });
    return { x: { n: codes.length, d: 0, data: new Float64Array(0) }, y: codes, labels };
  }
  const { x, classes } = await trainingData(frame, "classification", context, who);
  return { x: { n: x.n, d: x.d, data: x.data }, y: classes.codes, labels: classes.labels };
}

function neighborsOf(resampler: Resampler, given: Details): number {
  if (resampler === "NearMiss") return given.n_neighbors ?? 3;
  return resampler === "ADASYN" ? (given.n_neighbors ?? 5) : given.k_neighbors;
}

/** Too few rows of a class for the neighbours that the resampler looks at. */
function refuseFew(
  resampler: Resampler,
  before: Float64Array,
  wanted: Float64Array,
  labels: readonly (string | number | boolean)[],
  { neighbors, m_neighbors: border }: Details & { readonly neighbors: number },
  rows: number,
): void {
  const few = (code: number, needs: number, name: string) =>
    new DataError(
      `${who}: class ${JSON.stringify(labels[code])} has ${count(before[code], "row")}, and ${resampler} with ${name} ${neighbors} needs ${needs}. Lower ${name} in details, or use RandomOverSampler.`,
      { got: before[code], expected: `at least ${needs}`, path: `details.${name}` },
    );
  if (resampler === "NearMiss") {
    const smallest = before.indexOf(Math.min(...before));
    if (before[smallest] < neighbors) throw few(smallest, neighbors, "n_neighbors");
  }
  if (/SMOTE|ADASYN/.test(resampler)) {
    const name = resampler === "ADASYN" ? "n_neighbors" : "k_neighbors";
    for (const [code, n] of before.entries())
      if (wanted[code] > n && n <= neighbors) throw few(code, neighbors + 1, name);
  }
  if (resampler === "BorderlineSMOTE" && rows <= border)
    throw new DataError(
      `${who}: BorderlineSMOTE with m_neighbors ${border} needs more than ${border} rows, got ${rows}.`,
      {
        path: "details.m_neighbors",
        got: rows,
      },
    );
}
