/**
 * Times single blocks on a table of 1,000,000 × 20 against pandas and scikit-learn; prints a markdown table.
 *
 * node bench/columns.ts [rows=1000000] [repeats=3]. Both sides have read the CSV before. Ours: from the call until
 * the block is stored, and where a block is a plan, until its dataset has been written to Parquet once; that is the
 * work that pandas does at once. BLOCKLAB_PYTHON names a Python that has pandas and scikit-learn.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import { type Chain, type Result, Session } from "../src/session/index.ts";
import { inFolder, printTable, pythonWith, quantile, timed, timesInPython } from "./measure.ts";
import { mixedCsv } from "./mixed-csv.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const repeats = Number(process.argv[3] ?? 3);

const PYTHON = `
import json, sys, time
import numpy as np, pandas as pd
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler, TargetEncoder
path, repeats = sys.argv[1], int(sys.argv[2])
data = pd.read_csv(path); numeric = list(data.columns[:16]); words = ["t1", "t2", "t3", "t4"]
days = pd.DataFrame({"day": (pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(data)) % 2000, unit="D")).strftime("%Y-%m-%d")})
data["day"] = days["day"]; plain = data.drop(columns="day")
def parts():
    found = pd.to_datetime(data["day"]); out = data.drop(columns="day")
    for part in ("year", "month", "day", "dayofweek"): out["day_" + part] = getattr(found.dt, part)
    return out
work = {
  "describe": lambda: plain.describe(include="all"),
  "correlations": lambda: plain[numeric].corr(),
  "uniques": lambda: plain.nunique(),
  "info": lambda: (plain.isna().sum(), plain.dtypes, plain.memory_usage(), plain.nunique()),
  "counts": lambda: plain["t4"].value_counts(),
  "duplicates": lambda: plain.duplicated().sum(),
  "dropDuplicates": lambda: plain.drop_duplicates(),
  "dropDuplicates, 2 columns": lambda: plain.drop_duplicates(["t1", "t4"]),
  "missing, mean": lambda: plain.fillna(plain[numeric].mean()),
  "missing, median": lambda: plain.fillna(plain[numeric].median()),
  "encode, onehot": lambda: pd.concat([plain.drop(columns=["t1", "t2"]), pd.DataFrame(OneHotEncoder(sparse_output=False, dtype=np.int64).fit_transform(plain[["t1", "t2"]]))], axis=1),
  "encode, label": lambda: plain.assign(**dict(zip(words, OrdinalEncoder().fit_transform(plain[words]).T))),
  "encode, target": lambda: plain.assign(t4=TargetEncoder().fit_transform(plain[["t4"]], plain["f14"])[:, 0]),
  "scale, standard": lambda: pd.concat([pd.DataFrame(StandardScaler().fit_transform(plain[numeric])), plain[words]], axis=1),
  "scale, robust": lambda: pd.concat([pd.DataFrame(RobustScaler().fit_transform(plain[numeric])), plain[words]], axis=1),
  "astype": lambda: plain.assign(f14=plain["f14"].astype(str), i1=plain["i1"].astype(float)),
  "dates": parts,
  "timesteps": lambda: pd.concat([plain["f14"].shift(-k) for k in range(25)], axis=1).dropna(),
}
${timesInPython}`;

/** Each block on the table of block 1; `false` where the block itself does all the work. */
const work: Readonly<Record<string, readonly [call: (from: Chain) => Chain, isPlan: boolean]>> = {
  describe: [(from) => from.describe(), false],
  correlations: [(from) => from.correlations(), false],
  uniques: [(from) => from.uniques(), false],
  info: [(from) => from.info(), false],
  counts: [(from) => from.counts("t4"), false],
  duplicates: [(from) => from.duplicates(), false],
  dropDuplicates: [(from) => from.dropDuplicates(), false],
  "dropDuplicates, 2 columns": [(from) => from.dropDuplicates("t1", "t4"), false],
  "missing, mean": [(from) => from.missing("mean"), true],
  "missing, median": [(from) => from.missing("median"), true],
  "encode, onehot": [(from) => from.encode({ columns: ["t1", "t2"] }), true],
  "encode, label": [(from) => from.encode({ columns: ["t1", "t2", "t3", "t4"], type: "label" }), true],
  "encode, target": [(from) => from.xy({ y: "f14" }).encode({ columns: ["t4"], type: "target" }), true],
  "scale, standard": [(from) => from.scale("standard"), true],
  "scale, robust": [(from) => from.scale("robust"), true],
  astype: [(from) => from.astype({ type: "str", columns: ["f14"] }).astype({ type: "float", columns: ["i1"] }), true],
  timesteps: [(from) => from.timesteps({ column: "f14", lookback: 24 }), false],
};

async function ours(path: string, home: string): Promise<Record<string, number[]>> {
  const session = new Session(() => embeddedLink({ home }));
  const { block } = await session.input(path);
  const link = await session.link;
  const times: Record<string, number[]> = {};
  for (const [name, [call, isPlan]] of Object.entries(work)) {
    times[name] = [];
    for (let k = 0; k < repeats; k++) {
      times[name].push(
        await timed(async () => {
          const result: Result = await call(session.at(block));
          if (isPlan) await link.download(result.dataset.url, "parquet");
        }),
      );
    }
  }
  await session.close();
  return times;
}

await inFolder(async (folder) => {
  const path = await mixedCsv(rows);
  const mine = await ours(path, join(folder, "home"));
  const python = pythonWith("pandas", "sklearn");
  const found = python
    ? spawnSync(python, ["-W", "ignore", "-c", PYTHON, path, String(repeats)], { encoding: "utf8" })
    : null;
  if (found && found.status !== 0) console.error(found.stderr);
  const theirs = found?.status === 0 ? (JSON.parse(found.stdout) as Record<string, number[]>) : {};
  const seconds = (times: readonly number[] | undefined) => (times ? (quantile(times, 0.5) / 1000).toFixed(2) : "–");
  printTable(
    [`${rows.toLocaleString("en-US")} × 20`, "blocklab s", "pandas, scikit-learn s", "ratio"],
    Object.keys(mine).map((name) => {
      const ratio = theirs[name] ? `${(quantile(theirs[name], 0.5) / quantile(mine[name], 0.5)).toFixed(1)}×` : "–";
      return [name, seconds(mine[name]), seconds(theirs[name]), ratio];
    }),
  );
});
