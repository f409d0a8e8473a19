import { type Column, column } from "../../core/frame.ts";
import { chosen } from "../../core/scope.ts";
import { keywords, listLines, literal, NoEquivalent, type PythonStep } from "./script.ts";

/** DP_7: windows over the series, each a row. */
export function timesteps({ args, before, after, script }: PythonStep): string[] {
  script.use("import numpy as np");
  const names = before.columns.map(({ name }) => name);
  const [name] = chosen(before, [args.index as string], { names, where: "the table" });
  const steps = Number(args.lookback) + Number(args.lookforward);
  return [
    `windows = np.lib.stride_tricks.sliding_window_view(df[${literal(name)}].to_numpy(), ${steps})`,
    ...listLines(
      "df = pd.DataFrame(windows, columns=",
      after.columns.map((each) => literal(each.name)),
      ")",
    ),
  ];
}

/** Where imbalanced-learn keeps a resampler, and which of the details it takes. */
const samplers: Readonly<Record<string, readonly [module: string, details: readonly string[]]>> = {
  RandomOverSampler: ["over_sampling", ["sampling_strategy", "random_state"]],
  RandomUnderSampler: ["under_sampling", ["sampling_strategy", "replacement", "random_state"]],
  SMOTE: ["over_sampling", ["sampling_strategy", "k_neighbors", "random_state"]],
  BorderlineSMOTE: ["over_sampling", ["sampling_strategy", "k_neighbors", "m_neighbors", "random_state"]],
  ADASYN: ["over_sampling", ["sampling_strategy", "n_neighbors", "random_state"]],
  NearMiss: ["under_sampling", ["sampling_strategy", "version", "n_neighbors", "n_neighbors_ver3"]],
  TomekLinks: ["under_sampling", ["sampling_strategy"]],
};

/** DP_RES: imbalanced-learn keeps the same rows, and makes the same ones. */
export function resample({ args, before, script }: PythonStep): string[] {
  if (args.load_name !== undefined) throw new NoEquivalent("it applies what another block saved");
  const kind = args.resampler as string;
  const given = { random_state: args.random_state, ...detailsOf(args, column(before, before.y?.[0] ?? "")) };
  const call = (name: string) => {
    const [module, taken] = samplers[name];
    return `${script.from(`imblearn.${module}`, name)}(${keywords(given, taken)})`;
  };
  const isRandom = kind.startsWith("Random");
  const makes = /SMOTE|ADASYN/.test(kind);
  const sampler =
    kind === "SMOTETomek" ? `${script.from("imblearn.combine", kind)}(smote=${call("SMOTE")})` : call(kind);
  script.use("import numpy as np");
  if (!isRandom) script.remarks.push(`Of rows that are equally near, ${kind} may take another one here.`);
  return [
    `rows = ${before.split ? "train" : "df.index.to_numpy()"}`,
    `sampler = ${sampler}`,
    // The random ones look at no feature; these may be missing or texts.
    `drawn, labels = sampler.fit_resample(${isRandom ? "np.zeros((len(rows), 1))" : "df.loc[rows, x].to_numpy(dtype=float)"}, df.loc[rows, y[0]])`,
    `kept = ${keptRows[kind] ?? "sampler.sample_indices_"}`,
    "parts = [df.loc[rows[kept]]]",
    ...(makes
      ? ["parts += [pd.DataFrame(drawn[len(kept):], columns=x).assign(**{y[0]: labels[len(kept):].array})]"]
      : []),
    ...placed(before.split !== null),
  ];
}

/** Which of the old rows stay, where the sampler doesn't say so itself. */
const keptRows: Readonly<Record<string, string | undefined>> = {
  SMOTE: "np.arange(len(rows))",
  BorderlineSMOTE: "np.arange(len(rows))",
  ADASYN: "np.arange(len(rows))",
  SMOTETomek: "sampler.tomek_.sample_indices_[sampler.tomek_.sample_indices_ < len(rows)]",
};

/** The details, with classes as values of the target in place of their names. */
function detailsOf(args: Readonly<Record<string, unknown>>, { type }: Column): Readonly<Record<string, unknown>> {
  const details = (args.details ?? {}) as Readonly<Record<string, unknown>>;
  const strategy = details.sampling_strategy;
  if (typeof strategy !== "object" || strategy === null) return details;
  const label = (name: string) => (type === "number" ? Number(name) : type === "boolean" ? name === "true" : name);
  return { ...details, sampling_strategy: new Map(Object.entries(strategy).map(([name, n]) => [label(name), n])) };
}

/** The drawn rows first, then those that were not to be drawn, under new numbers. */
function placed(isSplit: boolean): string[] {
  if (!isSplit) return ["df = pd.concat(parts, ignore_index=True)"];
  return [
    "others = df.index.difference(np.concatenate([train, test]))",
    "df = pd.concat([*parts, df.loc[test], df.loc[others]], ignore_index=True)",
    "train, test = np.arange(len(labels)), np.arange(len(labels), len(labels) + len(test))",
  ];
}
