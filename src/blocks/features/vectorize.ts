import { z } from "zod";
import { type BlockContext, defineBlock, slice } from "../../core/block.ts";
import type { BarsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { applyKept, keep } from "../../core/preparation.ts";
import { chosen, fitRows, scope, variableFlags } from "../../core/scope.ts";
import { readSplit } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import { hashedCounts, inverseFrequencies, termCounts, type Weighting, weighted } from "../../numerics/text/terms.ts";
import { explainVectorize } from "./explain.ts";
import { type TextColumns, withTerms } from "./term-columns.ts";

const who = "vectorize (DP_VEC)";

/** More bars than this show nothing that the first ones don't. */
const mostBars = 20;

/**
 * DP_VEC. Turns texts into numbers: a column per word, with how often or how tellingly it stands in each text.
 *
 * The vocabulary is learnt from training rows alone once there is a split; other words count nothing. The text column
 * gives way to columns named text_word, in alphabetical order. Tokens, weights and defaults are scikit-learn's.
 */
export const vectorize = defineBlock({
  code: "DP_VEC",
  name: "vectorize",
  args: {
    /** "count": how often; "tfidf": weighed down where many texts have it, rows of length 1; "hashing": columns by the word's hash, no vocabulary (default "tfidf"). */
    vectorizer: z.literal(["tfidf", "count", "hashing"]).default("tfidf"),
    /** Text columns, as a slice or a list (default: every text feature). */
    boundaries: slice().optional(),
    /** Words per term, least and most; [1, 2] adds pairs (default [1,1]). */
    ngram_range: z.array(z.int().min(1).max(5)).length(2).default([1, 1]),
    /** Words to leave out: "english", or a list (default []). */
    stop_words: z.union([z.literal("english"), z.array(z.string())]).default([]),
    /** Terms in fewer texts are left out: a count, or a share below 1 (default 1). */
    min_df: z.number().min(0).default(1),
    /** Terms in more texts are left out: a count from 2, or a share (default 1). */
    max_df: z.number().positive().default(1),
    /** Keep the most frequent terms alone (default: all). */
    max_features: z.int().min(1).optional(),
    /** Columns of "hashing" (default 1024). */
    n_features: z.int().min(1).max(1048576).default(1024),
    /** Take capitals for small letters (default true). */
    lowercase: z.boolean().default(true),
    /** Whether a term is there at all, in place of how often (default false). */
    binary: z.boolean().default(false),
    /** 1 + ln(count) in place of the count, for "tfidf" (default false). */
    sublinear_tf: z.boolean().default(false),
    /** Add one to document frequencies, for "tfidf" (default true). */
    smooth_idf: z.boolean().default(true),
    /** Weigh terms by how few texts have them, for "tfidf" (default true). */
    use_idf: z.boolean().default(true),
    /** Brings rows to length 1: "l2", "l1", or "none"; "count" leaves them (default "l2"). */
    norm: z.literal(["l2", "l1", "none"]).default("l2"),
    /** Keeps what was learnt in the project under this name; not for "hashing", which learns nothing. */
    save_name: z.string().min(1).optional(),
    /** Applies what was kept under this name in place of learning anew. */
    load_name: z.string().min(1).optional(),
    ...variableFlags,
  },
  aliases: { columns: "boundaries" },
  tolerates: { boundariestoscale: "boundaries", x_boundaries: "boundaries" },
  positional: ["vectorizer"],
  example: 'session.input("sample:birdstrikes").vectorize("tfidf", { columns: ["wildlife_species"] })',
  explain: explainVectorize,
  async run(frame, args, context) {
    if (args.load_name !== undefined) {
      const { after, model } = await applyKept(frame, context, args);
      return { frame: after, report: { loaded: args.load_name }, ...model };
    }
    const names = textColumns(frame, args);
    const { train } = await readSplit(frame, context.tables);
    const columns: TextColumns[] = [];
    for (const name of names) columns.push(await termsIn(frame, name, train, args, context));
    const { frame: after, steps } = await withTerms(frame, columns, context);
    const isKept = args.vectorizer !== "hashing";
    return {
      frame: after,
      output: { columns: columns.map(({ name, made }) => ({ column: name, terms: made.length })) },
      report: { vectorizer: args.vectorizer, fitted: fitRows(frame), columns: columns.map(summary) },
      ...(isKept ? await keep(frame, context, args, steps) : {}),
    };
  },
  async view({ after, report }, read) {
    const { vectorizer, fitted, columns, loaded } = report as Report;
    if (loaded !== undefined) return stack(text(`Vectorized as saved under ${loaded}.`), await read.head(after));
    const words = columns.map(({ name, terms }) => `${name}: ${count(terms, "term")}`);
    const learnt = vectorizer === "hashing" ? "hashed" : `learnt from ${fitted}`;
    return stack(
      text(`${words.join("; ")} (${vectorizer}, ${learnt}).`),
      ...columns.map(
        ({ name, top }): { kind: "chart"; chart: BarsChart } | false =>
          top.length > 0 && { kind: "chart", chart: { kind: "bars", title: name, value: "texts", bars: top } },
      ),
      await read.head(after),
    );
  },
});

interface Report {
  readonly vectorizer: string;
  readonly fitted: string;
  readonly columns: readonly ReturnType<typeof summary>[];
  readonly loaded?: string;
}

type Args = Parameters<(typeof vectorize)["run"]>[1];

function summary({ name, made, terms, documents }: TextColumns) {
  const top = terms
    .map((label, k) => ({ label, value: documents[k] }))
    .sort((a, b) => b.value - a.value)
    .slice(0, mostBars);
  return { name, terms: made.length, top };
}

function textColumns(frame: Frame, args: Args): readonly string[] {
  const within = scope(frame, args);
  const isText = (name: string) => ["string", "category"].includes(column(frame, name).type);
  if (args.boundaries === undefined) {
    const found = within.names.filter(isText);
    if (found.length > 0) return found;
    throw new DataError(`${who}: there is no text column among ${listed(within.names)}.`, {
      got: within.names.slice(0, 50),
    });
  }
  const names = chosen(frame, args.boundaries, within);
  if (names.length === 0) throw new ArgsError(`${who}: boundaries names no column.`, { path: "boundaries", got: [] });
  const other = names.find((name) => !isText(name));
  if (other === undefined) return names;
  throw new DataError(
    `${who}: column ${quoted(other)} is ${column(frame, other).type}, and only texts have words. Leave it out, or cast it with astype (DP_ASP).`,
    { path: "boundaries", got: other },
  );
}

/** The terms of one column, counted and weighted. */
async function termsIn(
  frame: Frame,
  name: string,
  train: Int32Array,
  args: Args,
  context: BlockContext,
): Promise<TextColumns> {
  const [least, most] = args.ngram_range;
  if (least > most) {
    throw new ArgsError(`${who}: ngram_range must go from fewer words to more, got [${least}, ${most}].`, {
      path: "ngram_range",
      got: args.ngram_range,
    });
  }
  const [cells] = await context.tables.cells(frame.relation, { columns: [name] });
  const empty = cells.filter((cell) => cell === null).length;
  if (empty > 0) context.notice(`${who}: ${count(empty, "missing cell")} of ${name} count as empty texts.`);
  const texts = cells.map((cell) => String(cell ?? ""));
  const cut = { lowercase: args.lowercase, ngrams: [least, most] as const, stopWords: args.stop_words };
  const norm = args.vectorizer === "count" || args.norm === "none" ? null : args.norm;
  if (args.vectorizer === "hashing") {
    const counts = await context.compute(hashedCounts, { ...cut, texts, features: args.n_features }, "texts");
    const weights: Weighting = { idf: null, sublinear: false, binary: args.binary, norm };
    const labels = Array.from({ length: args.n_features }, (_, k) => String(k));
    return {
      name,
      made: labels,
      terms: [],
      documents: [],
      counts: { ...counts, values: weighted(counts, weights) },
      cut,
      weights,
    };
  }
  const { terms, documents, ...counts } = await context.compute(
    termCounts,
    { ...cut, texts, seen: train, minDf: args.min_df, maxDf: args.max_df, maxFeatures: args.max_features ?? null },
    "texts",
  );
  const isTfidf = args.vectorizer === "tfidf";
  const weights: Weighting = {
    idf: isTfidf && args.use_idf ? inverseFrequencies(documents, train.length, args.smooth_idf) : null,
    sublinear: isTfidf && args.sublinear_tf,
    binary: args.binary,
    norm,
  };
  return {
    name,
    made: terms,
    terms,
    documents: [...documents],
    counts: { ...counts, values: weighted(counts, weights) },
    cut,
    weights,
  };
}
