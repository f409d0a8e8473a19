import { clusterFeatures } from "../../blocks/cluster/clustering.ts";
import { column, isNumeric } from "../../core/frame.ts";
import { chosen, scope, type VariableFlags } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { isDefault } from "../defaults.ts";
import { definePut, keywords, listLines, literal, type PythonStep, seen } from "./script.ts";

const scalers = {
  standard: "StandardScaler",
  minmax: "MinMaxScaler",
  robust: "RobustScaler",
  maxabs: "MaxAbsScaler",
} as const;

/** DP_5. */
export function scale({ args, before, script }: PythonStep): string[] {
  if (args.encode === false) return [];
  const within = scope(before, args as VariableFlags);
  const wanted = (args.boundaries ?? args.index) as Slice | undefined;
  const columns =
    wanted === undefined
      ? within.names.filter((name) => isNumeric(column(before, name)))
      : chosen(before, wanted, within);
  const others = args.remainder === "drop" ? within.names.filter((name) => !columns.includes(name)) : [];
  const gone = others.length === 0 ? [] : listLines("df = df.drop(columns=", others.map(literal), ")");
  if (columns.length === 0) return gone;
  const scaler = script.from("sklearn.preprocessing", scalers[args.scaler as keyof typeof scalers]);
  return [
    ...listLines("names = ", columns.map(literal)),
    `scaler = ${scaler}().fit(${seen(before, "names")}.astype(float))`,
    "df[names] = scaler.transform(df[names].astype(float))",
    ...gone,
  ];
}

/** BL_TSNE: the places of the rows that it looks at; the others have none. */
export function tsne({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.manifold", "TSNE");
  const features = literal([...clusterFeatures(before)]);
  const made = after.columns.slice(before.columns.length).map(({ name }) => name);
  const names = [
    "perplexity",
    "early_exaggeration",
    "learning_rate",
    "max_iter",
    "n_iter_without_progress",
    "min_grad_norm",
    "init",
    "angle",
    "random_state",
  ];
  const given = names.filter((name) => name === "random_state" || !isDefault(block.args[name], args[name]));
  return [
    "# Each library ends in a layout of its own, as good as the other.",
    `rows = ${seen(before, features)}`,
    `places = TSNE(${keywords(args, given)}).fit_transform(rows)`,
    `df = df.join(pd.DataFrame(places, index=rows.index, columns=${literal(made)}))`,
  ];
}

/** DP_PCA: the components stand where the first of their columns stood. */
export function pca({ args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.decomposition", "PCA");
  const put = definePut(script);
  const { names } = scope(before, args as VariableFlags);
  const left = new Set(before.columns.map(({ name }) => name).filter((name) => !names.includes(name)));
  const made = after.columns.map(({ name }) => name).filter((name) => !left.has(name));
  const others = names.filter((name) => name !== names[0]);
  return [
    ...listLines("names = ", names.map(literal)),
    "# Where two columns weigh the same in a component, rounding decides on its sign.",
    `pca = PCA(n_components=${literal(args.n_components)}, svd_solver="full").fit(${seen(before, "names")})`,
    ...listLines("made = pd.DataFrame(pca.transform(df[names]), index=df.index, columns=", made.map(literal), ")"),
    ...(others.length === 0 ? [] : [`df = df.drop(columns=names[1:])`]),
    `df = ${put}(df, ${literal(names[0])}, made)`,
    'print("explained variance:", pca.explained_variance_ratio_)',
  ];
}
