import { fitSparseBayes } from "../sparse/bayes.ts";
import { fitSparseLogistic } from "../sparse/logistic.ts";
import { softmaxInPlace } from "../sparse/loss.ts";
import { type SparseLinear, type SparseRows, sparseScores } from "../sparse/rows.ts";
import { fitSparseSvm } from "../sparse/svm.ts";
import { createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Bag, bagScores, trainBag } from "./embedding-bag.ts";
import { learnFeatures, makeRows, type TextFeatures } from "./features.ts";
import { type Candidate, featuresOf } from "./space.ts";
import type { Texts } from "./units.ts";

/** A trained classifier of texts. */
export type TextModel = {
  readonly features: TextFeatures;
  readonly scorer:
    | { readonly kind: "linear"; readonly model: SparseLinear }
    | { readonly kind: "bag"; readonly model: Bag };
  readonly classes: number;
  /** Scores are divided by this before they become probabilities. */
  readonly temperature: number;
};

/** What a candidate learns from. */
export type TextTask = {
  readonly texts: Texts;
  /** A class code per text, 0…classes−1. */
  readonly y: Int32Array;
  readonly classes: number;
  readonly candidate: Candidate;
  /** Passes over the texts, for candidates that make several. */
  readonly epochs: number;
  readonly seed: number;
};

/** What `fitText` needs to know. */
export type TextFitInput = TextTask & {
  /** The texts to learn from. */
  readonly rows: Int32Array;
  readonly temperature: number;
  /** After how many passes to end, of those that would be made (default: all). */
  readonly stopAfter?: number;
};

/** Passes without a better loss on held-out texts after which training ends. */
const patience = 2;

/** A candidate trained on some of the texts. The same input gives the same model. */
export function fitText(input: TextFitInput, hooks: Hooks = quiet): TextModel {
  const features = learnFeatures(input.texts, input.rows, featuresOf(input.candidate, input.classes), hooks);
  const x = makeRows(input.texts, input.rows, features, hooks);
  const y = Int32Array.from(input.rows, (row) => input.y[row]!);
  const scorer = fitRows(input, x, y, {}, hooks);
  return { features, scorer: lean(scorer), classes: input.classes, temperature: input.temperature };
}

/** A candidate's scorer, and after how many passes it was best. */
export function fitRows(
  { candidate: { family, parameters }, classes, epochs, seed, ...rest }: TextTask & { readonly stopAfter?: number },
  x: SparseRows,
  y: Int32Array,
  judged: { readonly held?: { readonly x: SparseRows; readonly y: Int32Array } },
  hooks: Hooks,
): TextModel["scorer"] & { readonly epochs?: number } {
  switch (family) {
    case "logistic regression":
      return { kind: "linear", model: fitSparseLogistic({ x, y, classes, c: Number(parameters.C) }, hooks) };
    case "linear SVM":
      return { kind: "linear", model: fitSparseSvm({ x, y, classes, c: Number(parameters.C), seed }, hooks) };
    case "naive Bayes": {
      const kind = parameters.kind === "complement" ? "complement" : "multinomial";
      return { kind: "linear", model: fitSparseBayes({ x, y, classes, alpha: Number(parameters.alpha), kind }) };
    }
    default: {
      const held = judged.held ? { held: { ...judged.held, patience } } : {};
      const stop = rest.stopAfter === undefined ? {} : { stopAfter: rest.stopAfter };
      const options = {
        size: Number(parameters.size),
        relu: family === "network",
        dropout: Number(parameters.dropout ?? 0),
        learningRate: Number(parameters.learning_rate),
      };
      const trained = trainBag({ x, y, classes, ...options, epochs, seed, ...stop, ...held }, hooks);
      return { kind: "bag", model: trained, epochs: trained.epochs };
    }
  }
}

/** Half the size, for keeping: what rounding to 32 bits changes is far below what the texts can tell. */
function lean(scorer: TextModel["scorer"]): TextModel["scorer"] {
  if (scorer.kind === "bag") {
    const { embeddings, bias, output, intercept, relu } = scorer.model;
    return { kind: "bag", model: { embeddings, bias, output, intercept, relu } };
  }
  const { coef, intercept } = scorer.model;
  return { kind: "linear", model: { coef: Float32Array.from(coef), intercept } };
}

/** Every row's score of each class, row after row: n×classes. A machine for two classes scores the second alone. */
export function classScores(scorer: TextModel["scorer"], x: SparseRows, classes: number, hooks: Hooks): Float64Array {
  if (scorer.kind === "bag") return bagScores(x, scorer.model, hooks);
  const scores = sparseScores(x, scorer.model);
  if (scores.length === x.n * classes) return scores;
  const both = new Float64Array(2 * x.n);
  for (let i = 0; i < x.n; i++) both[2 * i + 1] = scores[i]!;
  return both;
}

/** What `predictText` needs to know. */
export type TextPredictInput = { readonly texts: Texts; readonly model: TextModel };

/** Texts that are made into rows at a time, so that memory holds for any number of them. */
const batch = 4096;

/** The probability of each class for every text: n×classes, fresh. A text without known n-grams has those of none. */
export function predictText({ texts, model }: TextPredictInput, hooks: Hooks = quiet): Matrix {
  const n = texts.start.length - 1;
  const out = createMatrix(n, model.classes);
  const row = new Float64Array(model.classes);
  for (let from = 0; from < n; from += batch) {
    const rows = Int32Array.from({ length: Math.min(batch, n - from) }, (_, i) => from + i);
    const scores = classScores(model.scorer, makeRows(texts, rows, model.features, hooks), model.classes, hooks);
    for (let i = 0; i < rows.length; i++) {
      for (let k = 0; k < row.length; k++) row[k] = scores[i * row.length + k]! / model.temperature;
      softmaxInPlace(row);
      for (let k = 0; k < row.length; k++) out.data[k * n + from + i] = row[k]!;
    }
    hooks.progress(from + rows.length, n);
  }
  return out;
}
