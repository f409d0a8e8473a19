import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { TrainingData } from "../../core/training.ts";
import { decideSvm, linearCoefficients, type Machines, voteSvc } from "../../numerics/svm/predict.ts";
import { assembleSvc, type Svc, type SvcInput, solvePairs, svcTasks, type Task } from "../../numerics/svm/svc.ts";
import { fitSvr, type SvmOptions, type Svr } from "../../numerics/svm/svm.ts";
import type { Matrix } from "../../numerics/types.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { classWeight, rowWeights } from "./class-weight.ts";
import type { Fitted, Prediction } from "./models.ts";

/** Beyond this many numbers the model's JSON would not fit a text of JavaScript. */
const mostNumbers = 40_000_000;

/** The kernels by name. */
export const kernels = z.literal(["linear", "poly", "rbf", "sigmoid"]);

/** The arguments that all support vector machines share, with scikit-learn's names and defaults. */
export const svmArgs = {
  /** Price of an error against a wide margin; smaller is stricter (default 1). */
  C: z.number().positive().default(1),
  /** Reach of a row in poly, rbf and sigmoid: "scale" (1 / (features · variance)), "auto" (1 / features) or a number (default "scale"). */
  gamma: z.union([z.number().positive(), z.literal(["scale", "auto"])]).default("scale"),
  /** Constant term of poly and sigmoid (default 0). */
  coef0: z.number().default(0),
  /** Degree of poly (default 3). */
  degree: z.int().min(0).max(100).default(3),
  /** Steps of each fit at most; -1 for ten million or a hundred per row, whichever is more, or two million that come no nearer (default -1). */
  max_iter: z.union([z.literal(-1), z.int().min(1)]).default(-1),
  /** Set rows aside that are far from the border while fitting; changes the time, not the answer (default true). */
  shrinking: z.boolean().default(true),
  /** Memory for kernel values of each fit, in MB (default 200). */
  cache_size: z.number().positive().max(65_536).default(200),
};

/** The arguments of the classifiers, besides their kernel. */
export const svcArgs = {
  ...svmArgs,
  /** How far from the best answer it may stop (default 0.001). */
  tol: z.number().positive().default(0.001),
  /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
  class_weight: classWeight().optional(),
  /** Learn probabilities too, by five more fits; without them log_loss and roc_auc stay empty (default true). */
  probability: z.boolean().default(true),
  /** Among classes with equally many votes take the one decided for most firmly, not the first (default false). */
  break_ties: z.boolean().default(false),
  /** Seed of the draws for probabilities (default 0). */
  random_state: z.int().min(0).max(4294967295).default(0),
};

interface SvmArgs extends z.output<z.ZodObject<typeof svmArgs>> {
  readonly kernel: z.output<typeof kernels>;
  readonly tol: number;
}
type SvcArgs = SvmArgs & z.output<z.ZodObject<typeof svcArgs>>;

/** What a classifier keeps: the machines, and how to count their votes. */
export type SvcParameters = Svc & { readonly breakTies: boolean };

/** Fits a support vector regression. */
export async function fitRegressor(
  { x, y }: TrainingData,
  args: SvmArgs & { readonly epsilon: number },
  context: BlockContext,
  who: string,
): Promise<Fitted<Svr>> {
  const input = { ...optionsOf(args), x: matrixOf(x), y: y.data, epsilon: args.epsilon };
  const widths = unevenness(x);
  return fittedOf(await context.compute(fitSvr, input, phaseOf(widths)), args, x.names, widths, who);
}

/** Fits a support vector classification, its pairs and folds on all threads. */
export async function fitClassifier(
  { x, classes }: TrainingData,
  args: SvcArgs,
  context: BlockContext,
  who: string,
): Promise<Fitted<SvcParameters>> {
  const input: SvcInput = {
    ...optionsOf(args),
    x: matrixOf(x),
    y: classes.codes,
    classes: classes.labels.length,
    sampleWeight: weightsOf(args.class_weight, classes, who),
    probability: args.probability,
    seed: args.random_state,
  };
  const widths = unevenness(x);
  const parts = shared(svcTasks(input), context.threads);
  const done = parts.map(() => 0);
  const solved = await Promise.all(
    parts.map((tasks, k) =>
      context.compute(solvePairs, { ...input, tasks }, (share, total) => {
        done[k] = share / total;
        context.progress(phaseOf(widths), Math.round((1000 * done.reduce((a, b) => a + b, 0)) / parts.length), 1000);
      }),
    ),
  );
  const model = await context.compute(assembleSvc, { ...input, solved });
  const fitted = fittedOf(model, args, x.names, widths, who);
  return { ...fitted, parameters: { ...model, breakTies: args.break_ties } };
}

/** Deviations this far apart, or this large, make the solver take a thousand times the steps. */
const uneven = 50;

/** The widths of features that make a fit long, in words; null where they are about alike. */
function unevenness(x: NumberColumns): string | null {
  const widths = x.names.map((name, j) => ({ name, width: deviation(x.data.subarray(j * x.n, (j + 1) * x.n)) }));
  const sorted = widths.filter(({ width }) => width > 0).sort((a, b) => b.width - a.width);
  const [widest, narrowest] = [sorted[0], sorted.at(-1)];
  if (!widest || !narrowest || (widest.width < uneven * narrowest.width && widest.width < uneven)) return null;
  const ends = widest === narrowest ? [widest] : [widest, narrowest];
  return ends.map(({ name, width }) => `${listed([name])} ${Number(width.toPrecision(3))}`).join(", ");
}

/** What a fit is called while it runs: features that make it long are told then already. */
function phaseOf(widths: string | null): string {
  return widths === null
    ? "support vectors"
    : 'support vectors of unscaled features, which may take long; scale("standard") first is quick';
}

function deviation(values: Float64Array): number {
  let mean = 0;
  for (const value of values) mean += value / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length);
}

/** A weight per row; a class without weight would leave its pairs nothing to learn from. */
function weightsOf(wanted: SvcArgs["class_weight"], classes: TrainingData["classes"], who: string) {
  const weights = rowWeights(wanted, classes, who);
  const lost = weights && classes.labels.find((_, k) => weights[classes.codes.indexOf(k)] === 0);
  if (lost === undefined) return weights;
  throw new ArgsError(
    `${who}: class_weight must be more than 0 for every class, got 0 for ${quoted(String(lost))}. To leave a class out, drop its rows.`,
    { path: "class_weight", got: 0, expected: "> 0" },
  );
}

/** Shares tasks out so that each thread has about as much to do; the largest come first. */
function shared(tasks: readonly Task[], threads: number): Task[][] {
  const parts = Array.from({ length: Math.min(threads, tasks.length) }, () => ({ tasks: [] as Task[], cost: 0 }));
  for (const task of tasks) {
    const least = parts.reduce((best, part) => (part.cost < best.cost ? part : best));
    least.tasks.push(task);
    least.cost += task.rows ** 2;
  }
  return parts.map((part) => part.tasks);
}

function optionsOf(args: SvmArgs): SvmOptions {
  return {
    kernel: { name: args.kernel, gamma: args.gamma, coef0: args.coef0, degree: args.degree },
    c: args.C,
    tol: args.tol,
    shrinking: args.shrinking,
    cacheBytes: args.cache_size * 2 ** 20,
    ...(args.max_iter > 0 ? { maxIter: args.max_iter } : {}),
  };
}

function fittedOf<M extends Svr | Svc>(
  model: M,
  args: SvmArgs,
  names: readonly string[],
  widths: string | null,
  who: string,
): Fitted<M> {
  const { vectors } = model;
  if (vectors.data.length > mostNumbers) {
    throw new DataError(
      `${who}: the model keeps its support vectors, and ${count(vectors.n, "row")} of ${count(vectors.d, "feature")} are too many. Train on fewer rows, or take a forest.`,
      { got: vectors.data.length, expected: `at most ${mostNumbers} numbers` },
    );
  }
  const scaling =
    widths === null
      ? []
      : [
          `features are not scaled (standard deviations: ${widths}), which takes it many times as long and lets the widest decide; scale them first with scale("standard") (DP_5).`,
        ];
  const notices = model.converged
    ? scaling
    : [
        ...scaling,
        `it had not converged${args.max_iter > 0 ? ` after ${count(args.max_iter, "step")}` : ""}; scale the features with scale (DP_5), lower C, or raise max_iter.`,
      ];
  return { parameters: model, notices, ...(args.kernel === "linear" ? { weights: linearWeights(model, names) } : {}) };
}

function linearWeights(model: Machines, names: readonly string[]) {
  const coef = linearCoefficients(model);
  const machines = model.intercept.length;
  // Of two classes the machine speaks for the first; people ask what speaks for the second.
  const sign = model.classes === 2 ? -1 : 1;
  const size = (j: number) => Array.from({ length: machines }, (_, p) => Math.abs(coef[p * names.length + j]));
  const values = names.map((_, j) => (machines === 1 ? sign * (coef[j] ?? 0) : Math.max(...size(j))));
  return { title: machines === 1 ? "coefficients" : "largest coefficient of any pair of classes", values };
}

/** The numbers that a regression answers, on all threads. */
export async function predictNumbers(model: Svr, x: Matrix, context: BlockContext): Promise<Prediction> {
  const { data } = await decisions(model, x, context);
  return { kind: "numbers", values: data };
}

/** The classes that the machines vote for, and probabilities if they were learnt. */
export async function predictClasses(model: SvcParameters, x: Matrix, context: BlockContext): Promise<Prediction> {
  const { classes, sigmoidA, sigmoidB, breakTies } = model;
  const votes = { decisions: await decisions(model, x, context), classes, sigmoidA, sigmoidB, breakTies };
  const { codes, probability } = await context.compute(voteSvc, votes, "votes");
  return { kind: "classes", codes, ...(probability ? { matrix: probability } : {}) };
}

async function decisions({ spec, vectors, coef, intercept, ...rest }: Machines, x: Matrix, context: BlockContext) {
  const { classes, counts } = rest;
  const model: Machines = { spec, vectors, coef, intercept, ...(classes && counts ? { classes, counts } : {}) };
  return await computeRows(context, decideSvm, { x: matrixOf(x), model }, "predict", 1000);
}
