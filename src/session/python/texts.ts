import { column } from "../../core/frame.ts";
import { chosen, scope, type VariableFlags } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { definePut, literal, type PythonStep, seen } from "./script.ts";

const vectorizers = { tfidf: "TfidfVectorizer", count: "CountVectorizer", hashing: "HashingVectorizer" } as const;

/** Which of the block's arguments each vectorizer takes. */
const takes = {
  tfidf: ["min_df", "max_df", "max_features", "sublinear_tf", "smooth_idf", "use_idf", "norm"],
  count: ["min_df", "max_df", "max_features"],
  hashing: ["n_features", "norm"],
} as const;

const equals = "Of terms that are equally frequent max_features may keep others here, so columns may differ.";

/** DP_VEC: the terms' columns stand where their text stood. */
export function vectorize({ args, before, script }: PythonStep): string[] {
  const kind = args.vectorizer as keyof typeof vectorizers;
  const name = script.from("sklearn.feature_extraction.text", vectorizers[kind]);
  const put = definePut(script);
  const within = scope(before, args as VariableFlags);
  const columns =
    args.boundaries === undefined
      ? within.names.filter((each) => ["string", "category"].includes(column(before, each).type))
      : chosen(before, args.boundaries as Slice, within);
  const given = argumentsOf(kind, args);
  return columns.flatMap((each) => {
    const isRole = before.x?.includes(each);
    return [
      ...(args.max_features === undefined || kind === "hashing" ? [] : [`# ${equals}`]),
      `vectorizer = ${name}(${given})`,
      `vectorizer.fit(${seen(before, literal(each))}.fillna(""))`,
      `terms = ${kind === "hashing" ? `range(${literal(args.n_features)})` : "vectorizer.get_feature_names_out()"}`,
      `made = pd.DataFrame(vectorizer.transform(df[${literal(each)}].fillna("")).toarray(), index=df.index)`,
      `made.columns = [${literal(`${each}_`)} + str(term) for term in terms]`,
      `df = ${put}(df, ${literal(each)}, made)`,
      ...(isRole
        ? [`x = [each for name in x for each in (made.columns if name == ${literal(each)} else [name])]`]
        : []),
    ];
  });
}

function argumentsOf(kind: keyof typeof vectorizers, args: Readonly<Record<string, unknown>>): string {
  const words = args.stop_words as string | readonly string[];
  const given: [string, string][] = [
    ["lowercase", literal(args.lowercase)],
    ["ngram_range", `(${(args.ngram_range as number[]).join(", ")})`],
    ["stop_words", words.length === 0 ? "None" : literal(words)],
    ["binary", literal(args.binary)],
  ];
  for (const each of takes[kind]) {
    if (args[each] === undefined) continue;
    // A share of 1 is all texts, a count of 1 is one of them.
    const value = each === "max_df" && args[each] === 1 ? "1.0" : literal(args[each]);
    given.push([each, each === "norm" && args[each] === "none" ? "None" : value]);
  }
  return given.map(([key, value]) => `${key}=${value}`).join(", ");
}
