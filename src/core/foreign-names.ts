/**
 * Words of pandas, Arquero and dplyr, and how the same is said here: the helper that does it, and a call as people write it.
 *
 * One that is also a helper's name of ours is not in it.
 */
export const foreignNames: Readonly<Record<string, readonly [helper: string, call: string]>> = {
  groupby: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  groupBy: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  group_by: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  agg: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  aggregate: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  rollup: ["summarize", 'summarize({ by: ["shop"], columns: { total: "sum(units)" } })'],
  assign: ["derive", "derive({ revenue: d => d.units * d.price })"],
  mutate: ["derive", "derive({ revenue: d => d.units * d.price })"],
  with_columns: ["derive", "derive({ revenue: d => d.units * d.price })"],
  where: ["filter", "filter(d => d.age > 30)"],
  loc: ["filter", "filter(d => d.age > 30)"],
  iloc: ["slice", "slice(0, 10)"],
  tail: ["slice", "slice(-5)"],
  sort_values: ["sort", 'sort("shop", "-price")'],
  sortBy: ["sort", 'sort("shop", "-price")'],
  orderby: ["sort", 'sort("shop", "-price")'],
  arrange: ["sort", 'sort("shop", "-price")'],
  nlargest: ["sort", 'sort("-price").slice(0, 10)'],
  merge: ["join", 'join(other, { on: ["id"] })'],
  concat: ["append", "append(other)"],
  bind_rows: ["append", "append(other)"],
  melt: ["longer", 'longer({ columns: ["q1", "q2"], names_to: "quarter", values_to: "sales" })'],
  pivot_longer: ["longer", 'longer({ columns: ["q1", "q2"], names_to: "quarter", values_to: "sales" })'],
  fold: ["longer", 'longer({ columns: ["q1", "q2"], names_to: "quarter", values_to: "sales" })'],
  pivot: ["wider", 'wider({ names_from: "quarter", values_from: "sales" })'],
  pivot_table: ["wider", 'wider({ names_from: "quarter", values_from: "sales" })'],
  pivot_wider: ["wider", 'wider({ names_from: "quarter", values_from: "sales" })'],
  hist: ["histogram", 'histogram("age")'],
  boxplot: ["box", 'box("age")'],
  kde: ["density", 'density("age")'],
  value_counts: ["counts", 'counts("city")'],
  nunique: ["uniques", "uniques()"],
  corr: ["correlations", "correlations()"],
  fillna: ["missing", 'missing({ strategy: "mean" })'],
  dropna: ["missing", 'missing({ strategy: "drop" })'],
  impute: ["missing", 'missing({ strategy: "mean" })'],
  drop_duplicates: ["dropDuplicates", "dropDuplicates()"],
  dedupe: ["dropDuplicates", "dropDuplicates()"],
  get_dummies: ["encode", "encode()"],
  train_test_split: ["split", "split({ test_size: 0.2 })"],
  read_csv: ["input", 'input("file.csv")'],
  read_parquet: ["input", 'input("file.parquet")'],
  from_records: ["input", "input(rows)"],
  DataFrame: ["input", "input(rows)"],
  head: ["input", '(await session.input("file.csv")).dataset.head()'],
  objects: ["input", '(await session.input("file.csv")).dataset.rows()'],
  to_csv: ["input", '(await session.input("file.csv")).dataset.save("rows.csv")'],
  to_dict: ["input", '(await session.input("file.csv")).dataset.rows()'],
};

/** What is said of such a word: how it is called here; null for any other, or where the helper is not among these. */
export function saidHere(name: string, helpers?: ReadonlySet<string>): string | null {
  if (!Object.hasOwn(foreignNames, name)) return null;
  const [helper, call] = foreignNames[name];
  return helpers && !helpers.has(helper) ? null : `Here ${name} is written ${call}.`;
}
