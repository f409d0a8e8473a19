import { column } from "../../core/frame.ts";
import { chosen } from "../../core/scope.ts";
import { listLines, literal, NoEquivalent, type PythonStep } from "./script.ts";

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

/** What a resampler answers: how many rows each class had and has, in sorted order. */
interface Counts {
  readonly counts: readonly { readonly label: unknown; readonly before: number; readonly after: number }[];
}

/** DP_RES, where it draws rows as they are: numpy's generator draws the same ones. */
export function resample({ args, before, record, script }: PythonStep): string[] {
  const details = (args.details ?? {}) as { random_state?: number; replacement?: boolean };
  const kind = String(args.resampler);
  if (args.load_name !== undefined) throw new NoEquivalent("it applies what another block saved");
  if (!kind.startsWith("Random")) throw new NoEquivalent(`scikit-learn has no ${kind}; imbalanced-learn does`);
  script.use("import numpy as np");
  const { counts } = JSON.parse(record.output ?? '{"counts":[]}') as Counts;
  const isText = column(before, before.y?.[0] ?? "").type !== "number";
  const label = (value: unknown) => literal(isText ? value : Number(value));
  const isOver = kind === "RandomOverSampler";
  const pairs = counts
    .filter((each) => !isOver || each.after > each.before)
    .map((each) => `(${label(each.label)}, ${isOver ? each.after - each.before : each.after})`);
  const draw = details.replacement
    ? "rows[random.randint(0, len(rows), size=n)]"
    : "rows[random.permutation(len(rows))[:n]]";
  const body = isOver
    ? ["    kept.append(rows[random.randint(0, len(rows), size=n)])"]
    : [`    kept.append(rows if n >= len(rows) else ${draw})`];
  return [
    `random = np.random.RandomState(${literal(details.random_state ?? args.random_state)})`,
    `target = ${before.folds ? "df.loc[train, y[0]]" : "df[y[0]]"}.to_numpy()`,
    `kept = [${isOver ? "np.arange(len(target))" : ""}]`,
    ...listLines("for label, n in ", pairs, ":"),
    "    rows = np.flatnonzero(target == label)",
    ...body,
    `kept = ${isOver ? "np.concatenate(kept)" : "np.sort(np.concatenate(kept))"}`,
    ...placed(before.folds !== null),
  ];
}

/** The drawn rows first, then those that were not to be drawn, under new numbers. */
function placed(isSplit: boolean): string[] {
  if (!isSplit) return ["df = df.iloc[kept].reset_index(drop=True)"];
  return [
    "others = df.index.difference(np.concatenate([train, test]))",
    "df = df.loc[np.concatenate([train[kept], test, others])].reset_index(drop=True)",
    "train, test = np.arange(len(kept)), np.arange(len(kept), len(kept) + len(test))",
  ];
}
