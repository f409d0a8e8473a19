/**
 * Times the way from a CSV file to a first look, and to matrices ready for training, against pandas with
 * scikit-learn, and against polars; prints markdown tables.
 *
 * node bench/tables.ts [rows=1000000] [repeats=3]. The file has 20 columns: 14 floats and 2 integers, of which 5
 * have holes, and 4 texts. It is written once, to the system's temporary folder, and read once by both sides
 * before anything is timed. Starting a process and importing libraries is not timed. BLOCKLAB_PYTHON names a
 * Python that has pandas and scikit-learn, and polars (default python3); what it lacks has no times.
 *
 * "First view": from the file's path to the printed first rows (ours also counts the missing cells of each column).
 * "Chain": from the file's path to x_train and x_test as float64 numbers in memory, on both sides: mean into the
 * holes of numeric columns, two text columns one-hot, the other two dropped, y taken off, a split of 0.25, a
 * standard scaling fitted on the training rows. Ours also keeps every block: its state can be read, branched and run again
 * after a restart. "Read" is the part of ours that computes the whole plan and reads the numbers.
 */
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import type { NumberColumns } from "../src/core/matrix.ts";
import { viewOf } from "../src/core/view.ts";
import { Duck } from "../src/engines/duckdb/index.ts";
import { lookAtNumbers } from "../src/engines/duckdb/read/read.ts";
import { sql } from "../src/engines/sql.ts";
import { toText } from "../src/render/index.ts";
import { Session } from "../src/session/index.ts";
import { Store } from "../src/store/store.ts";
import { inFolder, printTable, pythonWith, quantile, timed } from "./measure.ts";
import { mixedCsv } from "./mixed-csv.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const repeats = Number(process.argv[3] ?? 3);

const PYTHON = `
import json, sys, time
import numpy as np, pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
path, repeats = sys.argv[1], int(sys.argv[2])
def first_view():
    return str(pd.read_csv(path).head())
def chain(look=lambda name: None):
    data = pd.read_csv(path); look("input")
    numeric = list(data.columns[:16])
    data[numeric] = SimpleImputer().fit_transform(data[numeric]); look("missing")
    codes = OneHotEncoder(sparse_output=False, dtype=np.int64).fit_transform(data[["t1", "t2"]]); look("encode")
    x = np.hstack([data[[name for name in numeric if name != "f14"]].to_numpy(), codes]); y = data["f14"].to_numpy(); look("xy")
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=0); look("split")
    scaler = StandardScaler().fit(x_train)
    x_train, x_test = scaler.transform(x_train), scaler.transform(x_test); look("scale")
    return x_train, x_test
def timed(work):
    start = time.perf_counter(); made = work(); return time.perf_counter() - start, made
view, whole, parts = [], [], {}
open(path, "rb").read()
for _ in range(repeats):
    view.append(timed(first_view)[0])
    last = [time.perf_counter()]
    def look(name):
        now = time.perf_counter(); parts.setdefault(name, []).append(now - last[0]); last[0] = now
    seconds, (x_train, x_test) = timed(lambda: chain(look)); whole.append(seconds)
check = [list(x_train.shape), list(x_test.shape)] + [float(np.arange(len(x)) @ np.abs(x).sum(axis=1)) for x in (x_train, x_test)]
print(json.dumps({"view": view, "chain": whole, "parts": parts, "check": check}))
`;

const POLARS = `
import json, sys, time
import numpy as np, polars as pl
from polars import selectors as cs
path, repeats = sys.argv[1], int(sys.argv[2])
def first_view():
    return str(pl.read_csv(path).head())
def chain():
    data = pl.read_csv(path)
    data = data.with_columns(cs.numeric().cast(pl.Float64).fill_null(strategy="mean"))
    data = data.drop("t3", "t4").to_dummies(["t1", "t2"])
    order = np.random.RandomState(0).permutation(len(data))
    n_test = -(-len(data) // 4)
    x = data.drop("f14")
    x_train, x_test = x[order[n_test:]], x[order[:n_test]]
    mean, deviation = x_train.mean(), x_train.std(ddof=0)
    scale = [(pl.col(name) - mean[name][0]) / deviation[name][0] for name in x.columns]
    return [part.select(scale).to_numpy() for part in (x_train, x_test)]
def timed(work):
    start = time.perf_counter(); made = work(); return time.perf_counter() - start, made
view, whole = [], []
open(path, "rb").read()
for _ in range(repeats):
    view.append(timed(first_view)[0])
    seconds, (x_train, x_test) = timed(chain); whole.append(seconds)
check = [list(x_train.shape), list(x_test.shape)] + [float(np.arange(len(x)) @ np.abs(x).sum(axis=1)) for x in (x_train, x_test)]
print(json.dumps({"view": view, "chain": whole, "parts": {}, "check": check}))
`;

interface Times {
  readonly view: number[];
  readonly chain: number[];
  readonly parts: Record<string, number[]>;
  /** Shapes and sums weighted by row, by which the two sides are compared. */
  check: unknown[];
}

async function ours(path: string, home: string, times: Times): Promise<void> {
  const session = new Session(() => embeddedLink({ home }));
  await session.current();
  // What training blocks read with, over the same files; the link hands out no matrices.
  const duck = new Duck({ spillTo: join(home, "spill"), path: (id) => join(home, "artifacts", id) });
  await duck.rows(sql`SELECT 1`);
  times.view.push(
    await timed(async () => {
      toText(await (await session.input(path))[viewOf]());
    }),
  );
  await session.project("chain");
  const part = async (name: string, work: () => Promise<unknown>) => {
    times.parts[name] ??= [];
    times.parts[name].push(await timed(work));
  };
  const made: NumberColumns[] = [];
  times.chain.push(
    await timed(async () => {
      await part("input", () => session.input(path).then());
      await part("missing", () => session.missing({ strategy: "mean" }).then());
      await part("encode", () => session.encode({ columns: ["t1", "t2"] }).then());
      await part("xy", () => session.drop("t3", "t4").xy({ y: "f14" }).then());
      await part("split", () => session.split({ test_size: 0.25, random_state: 0 }).then());
      await part("scale", () => session.scale("standard").then());
      await part("read", async () => {
        const { record } = await session.at(session.last);
        const store = new Store(home);
        const { frame } = store.state("local", record.id) ?? { frame: null };
        store.close();
        if (!frame?.x) throw new Error("the chain has no features");
        for (const subset of ["train", "test"] as const) {
          made.push(await lookAtNumbers(duck, frame.relation, { columns: frame.x, subset, split: frame.split }));
        }
      });
    }),
  );
  times.check = [...made.map(({ n, d }) => [n, d]), ...made.map(weightedSum)];
  await duck.close();
  await session.close();
}

function weightedSum({ data, n }: NumberColumns): number {
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum += (i % n) * Math.abs(data[i]!);
  return sum;
}

function theirs(script: string, path: string, ...modules: readonly string[]): Times | null {
  const python = pythonWith(...modules);
  if (!python) return null;
  const done = spawnSync(python, ["-c", script, path, String(repeats)], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout) as Times;
}

const path = await mixedCsv(rows);
const bytes = (await readFile(path)).length;
const other = theirs(PYTHON, path, "pandas", "sklearn");
const polars = theirs(POLARS, path, "numpy", "polars");
const times: Times = { view: [], chain: [], parts: {}, check: [] };
for (let k = 0; k < repeats; k++) await inFolder((home) => ours(path, home, times));

const seconds = (values: readonly number[] | undefined) => (values ? quantile(values, 0.5) : Number.NaN);
const shown = (value: number) => (Number.isNaN(value) ? "" : value.toFixed(2));
console.log(`${rows.toLocaleString("en")} × 20 CSV (${Math.round(bytes / 2 ** 20)} MB), median of ${repeats}\n`);
printTable(
  ["from the CSV file to", "ours, s", "pandas, scikit-learn, s", "times faster", "polars, s", "times faster"],
  [
    ["first view", seconds(times.view), seconds(other?.view), seconds(polars?.view)] as const,
    [
      "a fitted, split and scaled state",
      seconds(times.chain) - seconds(times.parts.read),
      seconds(other?.chain),
      seconds(polars?.chain),
    ] as const,
    ["x_train and x_test in memory", seconds(times.chain), seconds(other?.chain), seconds(polars?.chain)] as const,
  ].map(([what, mine, ...others]) => [
    what,
    shown(mine / 1000),
    ...others.flatMap((each) => [shown(each), shown((1000 * each) / mine)]),
  ]),
);
console.log("\nThe chain in parts\n");
printTable(
  ["part", "ours, s", "theirs, s"],
  Object.keys(times.parts).map((name) => [
    name,
    shown(seconds(times.parts[name]) / 1000),
    shown(seconds(other?.parts[name])),
  ]),
);
for (const [name, check] of [
  ["pandas", other?.check],
  ["polars", polars?.check],
] as const) {
  if (!check) continue;
  const agree = JSON.stringify(times.check, rounded) === JSON.stringify(check, rounded);
  console.log(
    `\nBoth sides made the same numbers, we and ${name}: ${agree ? "yes" : "NO"} (${JSON.stringify(times.check)})`,
  );
  if (!agree) process.exitCode = 1;
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value;
}
