import type { FeatureOptions } from "./features.ts";

/** The kinds of models that the search for a text classifier knows. */
export type Family = "logistic regression" | "linear SVM" | "naive Bayes" | "embedding bag" | "network";

/** A model to try: its kind, and a choice for each of the kind's parameters. */
export type Candidate = {
  readonly family: Family;
  readonly parameters: Readonly<Record<string, string | number>>;
};

/** What a parameter can be. Numbers stand in order, so that what is learnt of one says something of its neighbours. */
export type Choices = Readonly<Record<string, readonly (string | number)[]>>;

const terms = ["words", "pairs of words", "triples of words", "letters", "words and letters"];
const linear = {
  terms,
  weights: ["tf-idf", "sublinear tf-idf", "binary tf-idf"],
  columns: ["vocabulary", "hashing"],
  min_df: [1, 2, 3],
};

/** All that can be tried, kind by kind. */
export const space: Readonly<Record<Family, Choices>> = {
  "logistic regression": { ...linear, C: [0.3, 1, 3, 10, 30, 100] },
  "linear SVM": { ...linear, C: [0.03, 0.1, 0.3, 1, 3, 10] },
  "naive Bayes": {
    ...linear,
    weights: ["counts", "binary", "tf-idf", "sublinear tf-idf"],
    kind: ["multinomial", "complement"],
    alpha: [0.01, 0.03, 0.1, 0.3, 1],
  },
  "embedding bag": {
    terms,
    columns: ["vocabulary", "hashing"],
    min_df: [1, 2, 3],
    size: [8, 16, 32, 64],
    learning_rate: [0.03, 0.1, 0.3, 1],
  },
  network: {
    terms,
    weights: linear.weights,
    columns: ["vocabulary", "hashing"],
    min_df: [1, 2, 3],
    size: [16, 32, 64, 128],
    dropout: [0, 0.2, 0.5],
    learning_rate: [0.01, 0.03, 0.1, 0.3],
  },
};

/** What is tried first, one after the other, before there is anything to learn from; the surest first. */
export const firstCandidates: readonly Candidate[] = [
  {
    family: "logistic regression",
    parameters: { terms: "words", weights: "sublinear tf-idf", columns: "vocabulary", min_df: 1, C: 3 },
  },
  {
    family: "linear SVM",
    parameters: { terms: "pairs of words", weights: "sublinear tf-idf", columns: "vocabulary", min_df: 1, C: 1 },
  },
  {
    family: "naive Bayes",
    parameters: {
      terms: "pairs of words",
      weights: "sublinear tf-idf",
      columns: "vocabulary",
      min_df: 1,
      kind: "complement",
      alpha: 0.1,
    },
  },
  {
    family: "embedding bag",
    parameters: { terms: "pairs of words", columns: "vocabulary", min_df: 1, size: 32, learning_rate: 0.3 },
  },
  {
    family: "linear SVM",
    parameters: { terms: "letters", weights: "sublinear tf-idf", columns: "hashing", min_df: 1, C: 1 },
  },
  {
    family: "network",
    parameters: {
      terms: "words",
      weights: "sublinear tf-idf",
      columns: "vocabulary",
      min_df: 1,
      size: 32,
      dropout: 0.2,
      learning_rate: 0.1,
    },
  },
];

/** One name for each candidate, whatever the order of its parameters. */
export function keyOf({ family, parameters }: Candidate): string {
  return JSON.stringify([family, ...Object.keys(space[family]).map((name) => parameters[name])]);
}

const grams: Readonly<Record<string, Pick<FeatureOptions, "words" | "letters">>> = {
  words: { words: [1, 1], letters: null },
  "pairs of words": { words: [1, 2], letters: null },
  "triples of words": { words: [1, 3], letters: null },
  letters: { words: null, letters: [2, 5] },
  "words and letters": { words: [1, 2], letters: [3, 4] },
};

/** Numbers that a model may have, so that a search among many classes stays within memory. */
const mostWeights = 4_000_000;

/** How a candidate makes rows of texts, for a target of so many classes. */
export function featuresOf({ family, parameters }: Candidate, classes: number): FeatureOptions {
  const { terms: kind, weights = "plain", columns, min_df } = parameters;
  const isBag = family === "embedding bag";
  const isNetwork = isBag || family === "network";
  const width = isNetwork ? Number(parameters.size) : classes;
  const mostColumns = Math.max(64, Math.min(300_000, Math.floor(mostWeights / width)));
  const said = String(weights);
  return {
    ...(grams[String(kind)] as Pick<FeatureOptions, "words" | "letters">),
    hashBits: columns === "hashing" ? Math.min(18, Math.floor(Math.log2(mostColumns))) : null,
    minDf: Number(min_df),
    mostColumns,
    counts: said.startsWith("sublinear") ? "sublinear" : said.startsWith("binary") ? "binary" : "plain",
    idf: said.endsWith("tf-idf"),
    // Naive Bayes takes counts for what they are; a bag is the mean of its n-grams.
    norm: isBag ? "l1" : family === "naive Bayes" && !said.endsWith("tf-idf") ? null : "l2",
  };
}
