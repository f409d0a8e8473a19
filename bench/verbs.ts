/**
 * Times verbs over tables of 1,000,000 × 20 and 10,000,000 × 6 against pandas, polars and Arquero; prints markdown tables.
 *
 * node bench/verbs.ts [rows=1000000] [repeats=3]; the narrow table has ten times as many rows. Ours reads the table
 * from its file, and is done when its first rows are shown; "all rows" is the time until they are a file as well. Theirs
 * work in memory, from which they were read before anything is timed. A ratio is their time by ours, by the clock and in
 * processor time of all threads, which tells more on a busy machine. BLOCKLAB_PYTHON names a Python that has pandas,
 * polars and pyarrow; BLOCKLAB_ARQUERO a folder into which `npm install --prefix FOLDER arquero` was done.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { embeddedLink } from "../src/client/embedded.ts";
import { type Chain, type Result, Session } from "../src/session/index.ts";
import { inFolder, printTable, pythonWith, quantile, timed, timedWithWork, timesInPython } from "./measure.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const repeats = Number(process.argv[3] ?? 3);

/** Milliseconds that each piece of work took, several times; under its name with ", cpu" those of processor time. */
type Times = Readonly<Record<string, readonly number[]>>;

const PYTHON = `
import json, sys, time
path, keys, repeats, lib = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
if lib == "pandas":
    import numpy as np, pandas as pd
    d, k = pd.read_parquet(path), pd.read_parquet(keys)
    work = {
      "filter": lambda: d[(d.x0 > 500) & (d.g1 != 3)],
      "derive": lambda: d.assign(a=d.x0 + d.x1, b=d.x0 * 2, c=d.x1 / d.x0, d=d.x0.round(), e=(d.x0 > d.x1)),
      "summarize": lambda: d.groupby(["g1", "g2", "g3"]).agg(n=("x0", "size"), s=("x0", "sum"), m=("x1", "mean"), l=("x0", "min"), t=("x1", "max")),
      "summarize, std": lambda: d.groupby(["g1", "g2", "g3"]).agg(s=("x0", "std")),
      "join": lambda: d.merge(k, on="k", how="left"),
      "sort": lambda: d.sort_values(["x0"], kind="stable"),
      "top 10": lambda: d.nlargest(10, "x0"),
      "histogram": lambda: np.histogram(d.x0, bins=100),
    }
else:
    import polars as pl
    d, k = pl.read_parquet(path), pl.read_parquet(keys)
    c = pl.col
    work = {
      "filter": lambda: d.filter((c("x0") > 500) & (c("g1") != 3)),
      "derive": lambda: d.with_columns(a=c("x0") + c("x1"), b=c("x0") * 2, c=c("x1") / c("x0"), d=c("x0").round(), e=c("x0") > c("x1")),
      "summarize": lambda: d.group_by("g1", "g2", "g3").agg(n=pl.len(), s=c("x0").sum(), m=c("x1").mean(), l=c("x0").min(), t=c("x1").max()).sort("g1", "g2", "g3"),
      "summarize, std": lambda: d.group_by("g1", "g2", "g3").agg(s=c("x0").std()).sort("g1", "g2", "g3"),
      "join": lambda: d.join(k, on="k", how="left"),
      "sort": lambda: d.sort("x0", maintain_order=True),
      "top 10": lambda: d.top_k(10, by="x0"),
      "histogram": lambda: d["x0"].hist(bin_count=100),
    }
${timesInPython}`;

const by = ["g1", "g2", "g3"];

const work: Readonly<Record<string, (from: Chain, keys: number) => Chain>> = {
  filter: (from) => from.filter((d) => d.x0 > 500 && d.g1 !== 3),
  derive: (from) => from.derive({ columns: { a: "x0 + x1", b: "x0 * 2", c: "x1 / x0", d: "round(x0)", e: "x0 > x1" } }),
  summarize: (from) =>
    from.summarize({ by, columns: { n: "count()", s: "sum(x0)", m: "mean(x1)", l: "min(x0)", t: "max(x1)" } }),
  "summarize, std": (from) => from.summarize({ by, columns: { s: "std(x0)" } }),
  join: (from, keys) => from.join({ other: keys, on: ["k"], how: "left" }),
  sort: (from) => from.sort("x0"),
  "top 10": (from) => from.sort("-x0").slice(0, 10),
  histogram: (from) => from.histogram("x0", { bins: 100 }),
};

/** A table of Arquero, as far as it is used here. */
interface ArqueroTable {
  filter(where: string): ArqueroTable;
  derive(columns: object): ArqueroTable;
  groupby(...by: readonly unknown[]): ArqueroTable;
  rollup(columns: object): ArqueroTable;
  count(): ArqueroTable;
  join_left(other: ArqueroTable, on: string): ArqueroTable;
  orderby(...by: readonly unknown[]): ArqueroTable;
  slice(from: number, to: number): ArqueroTable;
  reify(): ArqueroTable;
}

async function inArquero(table: Result, keys: Result): Promise<Times> {
  const folder = process.env.BLOCKLAB_ARQUERO;
  if (!folder) return {};
  const path = join(folder, "node_modules", "arquero", "src", "index.js");
  const arquero = (await import(pathToFileURL(path).href)) as {
    table(columns: object): ArqueroTable;
    desc(column: string): unknown;
  };
  const held = async ({ dataset }: Result) => arquero.table(await dataset.columns());
  const [d, k] = [await held(table), await held(keys)];
  const group = {
    n: "d => op.count()",
    s: "d => op.sum(d.x0)",
    m: "d => op.mean(d.x1)",
    l: "d => op.min(d.x0)",
    t: "d => op.max(d.x1)",
  };
  const fresh = {
    a: "d => d.x0 + d.x1",
    b: "d => d.x0 * 2",
    c: "d => d.x1 / d.x0",
    d: "d => op.round(d.x0)",
    e: "d => d.x0 > d.x1",
  };
  const calls: Readonly<Record<string, () => ArqueroTable>> = {
    filter: () => d.filter("d => d.x0 > 500 && d.g1 !== 3").reify(),
    derive: () => d.derive(fresh),
    summarize: () =>
      d
        .groupby(...by)
        .rollup(group)
        .orderby(...by)
        .reify(),
    "summarize, std": () =>
      d
        .groupby(...by)
        .rollup({ s: "d => op.stdev(d.x0)" })
        .orderby(...by)
        .reify(),
    join: () => d.join_left(k, "k"),
    sort: () => d.orderby("x0").reify(),
    "top 10": () => d.orderby(arquero.desc("x0")).slice(0, 10).reify(),
    histogram: () => d.groupby({ bin: "d => op.floor(d.x0 / 10)" }).count(),
  };
  const times: Record<string, readonly number[]> = {};
  for (const [name, call] of Object.entries(calls)) {
    const { clock, busy } = await timedWithWork(repeats, async () => call());
    times[name] = clock;
    times[`${name}, cpu`] = busy;
  }
  return times;
}

function inPython(lib: string, files: readonly string[]): Times {
  const python = pythonWith(lib, "pyarrow");
  const args = ["-W", "ignore", "-c", PYTHON, ...files, String(repeats), lib];
  const found = python ? spawnSync(python, args, { encoding: "utf8" }) : null;
  if (found && found.status !== 0) console.error(found.stderr);
  return found?.status === 0 ? JSON.parse(found.stdout) : {};
}

const middle = (times: readonly number[] = []) => quantile(times, 0.5);
const seconds = (ms: number) => (Number.isNaN(ms) ? "–" : (ms / 1000).toFixed(2));
const ratio = (theirs: number, ours: number) => (Number.isNaN(theirs) ? "–" : `${(theirs / ours).toFixed(1)}×`);

/** Three columns of few values, a key of 10,000, and numbers. */
function tableOf(size: number, columns: number): string {
  const numbers = Array.from(
    { length: columns },
    (_, k) => `(hash(range + ${k + 100}) % 1000003) / 1000.0::DOUBLE AS x${k}`,
  );
  const groups = [
    "hash(range) % 10 AS g1",
    "hash(range + 1) % 20 AS g2",
    "hash(range + 2) % 50 AS g3",
    "hash(range + 3) % 10000 AS k",
  ];
  const cells = groups.map((each) => each.replace(/^(.*) AS/, "CAST($1 AS BIGINT) AS"));
  return `SELECT ${[...cells, ...numbers].join(", ")} FROM range(${size})`;
}

await inFolder(async (folder) => {
  const session = new Session(() => embeddedLink({ home: join(folder, "home") }));
  const link = await session.link;
  const start = await session.input("sample:iris");
  const keys = await session.query("SELECT range AS k, range * 0.5 AS v FROM range(10000)");
  for (const [size, width] of [
    [rows, 16],
    [rows * 10, 2],
  ]) {
    const table = await session.at(start.block).query(tableOf(size!, width!));
    const files = [join(folder, "table.parquet"), join(folder, "keys.parquet")];
    await link.save(table.dataset.url, "parquet", files[0]!);
    await link.save(keys.dataset.url, "parquet", files[1]!);
    const others = [...["pandas", "polars"].map((lib) => inPython(lib, files)), await inArquero(table, keys)];
    const lines: string[][] = [];
    for (const [name, call] of Object.entries(work)) {
      let last: Result | undefined;
      const { clock, busy } = await timedWithWork(repeats, async () => {
        last = await call(session.at(table.block), keys.block);
        await link.view(last.record.id);
      });
      const isTable = name !== "histogram";
      const saved = isTable
        ? await timed(() => link.save(last!.dataset.url, "parquet", join(folder, "out.parquet")))
        : Number.NaN;
      const beside = others.flatMap((times) => {
        const [theirs, cpu] = [middle(times[name]), middle(times[`${name}, cpu`])];
        return [seconds(theirs), ratio(theirs, middle(clock)), ratio(cpu, middle(busy))];
      });
      lines.push([name, seconds(middle(clock)), seconds(middle(busy)), seconds(middle(clock) + saved), ...beside]);
    }
    console.log();
    const title = `${size!.toLocaleString("en-US")} × ${width! + 4}`;
    const names = ["pandas", "polars", "Arquero"].flatMap((name) => [`${name} s`, "clock", "work"]);
    printTable([title, "blocklab s", "work s", "all rows s", ...names], lines);
  }
  await session.close();
});
