/**
 * Times verbs over tables of 1,000,000 × 20 and 10,000,000 × 5 against pandas and polars; prints markdown tables.
 *
 * node bench/verbs.ts [rows=1000000] [repeats=3]; the narrow table has ten times as many rows. Ours reads the table
 * from its file and stores what comes of it each time, with the first rows known; theirs work in memory, from which
 * they were read before anything is timed. BLOCKLAB_PYTHON names a Python that has pandas, polars and pyarrow.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import { type Chain, Session } from "../src/session/index.ts";
import { comparison, inFolder, printTable, pythonWith, timedBlock, timesInPython } from "./measure.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const repeats = Number(process.argv[3] ?? 3);

const PYTHON = `
import json, sys, time
path, keys, repeats, lib = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
if lib == "pandas":
    import pandas as pd
    d, k = pd.read_parquet(path), pd.read_parquet(keys)
    work = {
      "filter": lambda: d[(d.x0 > 500) & (d.g1 != 3)],
      "derive": lambda: d.assign(a=d.x0 + d.x1, b=d.x0 * 2, c=d.x1 / d.x0, d=d.x0.round(), e=(d.x0 > d.x1)),
      "summarize": lambda: d.groupby(["g1", "g2", "g3"]).agg(n=("x0", "size"), s=("x0", "sum"), m=("x1", "mean"), l=("x0", "min"), t=("x1", "max")),
      "summarize, std": lambda: d.groupby(["g1", "g2", "g3"]).agg(s=("x0", "std")),
      "join": lambda: d.merge(k, on="k", how="left"),
      "sort": lambda: d.sort_values(["x0"], kind="stable"),
      "top 10": lambda: d.nlargest(10, "x0"),
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
};

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
    const theirs = ["pandas", "polars"].map((lib): Record<string, number[]> => {
      const python = pythonWith(lib, "pyarrow");
      const args = ["-W", "ignore", "-c", PYTHON, ...files, String(repeats), lib];
      const found = python ? spawnSync(python, args, { encoding: "utf8" }) : null;
      if (found && found.status !== 0) console.error(found.stderr);
      return found?.status === 0 ? JSON.parse(found.stdout) : {};
    });
    const lines = [];
    for (const [name, call] of Object.entries(work)) {
      const { answered } = await timedBlock(repeats, async () => await call(session.at(table.block), keys.block), null);
      const [pandas, polars] = theirs.map((each) => comparison(name, answered, each[name]));
      lines.push([...pandas!, ...polars!.slice(2)]);
    }
    console.log();
    const title = `${size!.toLocaleString("en-US")} × ${width! + 4}`;
    printTable([title, "blocklab s", "pandas s", "ratio", "polars s", "ratio"], lines);
  }
  await session.close();
});
