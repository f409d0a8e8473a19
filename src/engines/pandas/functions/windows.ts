import type { CallExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { pythonText } from "../literals.ts";
import { type Argument, asColumn, asDouble, atom, binding, forEach, type Write } from "./writing.ts";

/** What a window's groups are told by: a column, or their numbers (pandas stumbles over several missing keys). */
export function groupedBy(by: readonly string[], isCounted = by.length > 1): string {
  const names = by.map(pythonText);
  return isCounted
    ? `.groupby(df.groupby([${names.join(", ")}], dropna=False).ngroup())`
    : `.groupby(df[${names[0]}], dropna=False)`;
}

/** A column in the order of its window, by its groups, then in the table's order again. */
function along(call: CallExpr, column: string, make: (cells: string) => string, isCounted?: boolean): string {
  const { by, order } = call.over ?? { by: [], order: [] };
  const names = order.map((key) => pythonText(key.column)).join(", ");
  const directions = order.some((key) => key.descending)
    ? `, ascending=[${order.map((key) => (key.descending ? "False" : "True")).join(", ")}]`
    : "";
  const sorted =
    order.length > 0 ? `${column}.loc[df.sort_values([${names}]${directions}, kind="stable").index]` : column;
  const made = make(by.length > 0 ? `${sorted}${groupedBy(by, isCounted)}` : sorted);
  return order.length > 0 ? `${made}.sort_index()` : made;
}

const window =
  (make: (cells: string, args: readonly Argument[]) => string): Write =>
  (args, call) =>
    atom(along(call, asColumn(args[0]), (cells) => make(cells, args)));

/** A window of pandas' own that knows no groups; within them each is handed over, with NaN for what is missing. */
const ofEach =
  (make: (cells: string, args: readonly Argument[]) => string): Write =>
  (args, call) => {
    const isGrouped = (call.over?.by.length ?? 0) > 0;
    const column = asColumn(asDouble(args[0]));
    const made = along(
      call,
      isGrouped ? `${column}.astype("float64")` : column,
      (cells) => (isGrouped ? `${cells}.transform(lambda cells: ${make("cells", args)})` : make(cells, args)),
      isGrouped,
    );
    return atom(`${made}.astype("Float64")`);
  };

/** A column of ones, to be added up. */
export const ones = 'pd.Series(1, index=df.index, dtype="Int64")';

const rowNumber = (call: CallExpr): string => along(call, ones, (cells) => `${cells}.cumsum()`);

const ranking =
  (ties: "min" | "dense"): Write =>
  ([x], call, _, writer) => {
    const { by, order } = call.over ?? { by: [], order: [] };
    if (!x && order.length === 0) return atom(rowNumber(call));
    const keys = order.map(({ column, descending }) => `(${pythonText(column)}, ${descending ? "False" : "True"})`);
    const places = x ? asColumn(x) : `${writer.helper("places")}(df, ${keys.join(", ")})`;
    const grouped = by.length > 0 ? `${places}${groupedBy(by, true)}` : places;
    // pandas ranks no texts within groups.
    const made =
      x && by.length > 0 && x.type !== "integer" && x.type !== "number"
        ? `${grouped}.transform(lambda cells: cells.rank(method="${ties}"))`
        : `${grouped}.rank(method="${ties}")`;
    return atom(`${made}.astype("Int64")`);
  };

/** Windows along rows. */
export const windows = {
  rowNumber: (_, call) => atom(rowNumber(call)),
  rank: ranking("min"),
  denseRank: ranking("dense"),
  ntile: ([k], call, type, writer) => {
    const by = call.over?.by ?? [];
    const size = by.length > 0 ? `${ones}${groupedBy(by)}.transform("sum")` : "len(df)";
    const place: Argument = { expr: call, type, isColumn: true, piece: atom(rowNumber(call)) };
    return forEach(writer, type, writer.helper("ntile"), [place, { ...place, piece: atom(size) }, k]);
  },
  lag: window((cells, [, k]) => `${cells}.shift(${k ? k.piece.text : ""})`),
  lead: window((cells, [, k]) => `${cells}.shift(-${k ? k.piece.text : "1"})`),
  cumsum: window((cells) => `${cells}.cumsum()`),
  cummean: ([x], call) => {
    const column = asColumn(asDouble(x));
    const sums = along(call, column, (cells) => `${cells}.cumsum()`);
    const counts = along(call, `${column}.notna()`, (cells) => `${cells}.cumsum()`);
    return { text: `${sums} / ${counts}`, binds: binding.product };
  },
  cummin: window((cells) => `${cells}.cummin()`),
  cummax: window((cells) => `${cells}.cummax()`),
  rollingSum: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).sum()`),
  rollingMean: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).mean()`),
  rollingMin: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).min()`),
  rollingMax: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).max()`),
  rollingStd: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).std()`),
  pctChange: ([x], call) => {
    const before = along(call, asColumn(x), (cells) => `${cells}.shift()`);
    return { text: `${asColumn(x)} / ${before} - 1`, binds: binding.sum };
  },
  previous: window((cells) => `${cells}.ffill()`),
  next: window((cells) => `${cells}.bfill()`),
  interpolate: ofEach((cells) => `${cells}.interpolate()`),
} satisfies Partial<Record<FunctionName, Write>>;
