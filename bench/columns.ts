/**
 * Times single blocks on a table of 1,000,000 × 20 against pandas and scikit-learn; prints markdown tables.
 *
 * node bench/columns.ts [rows=1000000] [repeats=3]. Both sides have read the CSV before, ours to a file, theirs to
 * memory. "Answered" is from the call until the block is learnt and stored and its first rows are known; theirs has
 * computed all rows in memory by then, which ours does when somebody reads them. "As a file" ends on both sides with
 * all rows in a Parquet file. BLOCKLAB_PYTHON names a Python that has pandas, scikit-learn and, for the files, pyarrow.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import { type Chain, Session } from "../src/session/index.ts";
import { comparison, inFolder, printTable, pythonWith, timedBlock, timesInPython } from "./measure.ts";
import { mixedCsv } from "./mixed-csv.ts";

const rows = Number(process.argv[2] ?? 1_000_000);
const repeats = Number(process.argv[3] ?? 3);

const PYTHON = `
import json, sys, time
import numpy as np, pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler, TargetEncoder
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
  "missing, mode": lambda: plain.fillna(plain.mode().iloc[0]),
  "missing, ffill": lambda: plain.ffill(),
  "missing, linear": lambda: pd.concat([plain[numeric].interpolate(), plain[words]], axis=1),
  "missing, drop": lambda: plain.dropna(),
  "encode, onehot": lambda: pd.concat([plain.drop(columns=["t1", "t2"]), pd.DataFrame(OneHotEncoder(sparse_output=False, dtype=np.int64).fit_transform(plain[["t1", "t2"]]))], axis=1),
  "encode, label": lambda: plain.assign(**dict(zip(words, OrdinalEncoder().fit_transform(plain[words]).T))),
  "encode, extract_numbers": lambda: plain.assign(t4=plain["t4"].str.extract(r"(-?\\d+(?:\\.\\d+)?)", expand=False).astype(float)),
  "encode, target": lambda: plain.assign(t4=TargetEncoder().fit_transform(plain[["t4"]], plain["f14"])[:, 0]),
  "scale, standard": lambda: pd.concat([pd.DataFrame(StandardScaler().fit_transform(plain[numeric])), plain[words]], axis=1),
  "scale, minmax": lambda: pd.concat([pd.DataFrame(MinMaxScaler().fit_transform(plain[numeric])), plain[words]], axis=1),
  "scale, robust": lambda: pd.concat([pd.DataFrame(RobustScaler().fit_transform(plain[numeric])), plain[words]], axis=1),
  "split": lambda: train_test_split(plain, test_size=0.25, random_state=0),
  "astype": lambda: plain.assign(f14=plain["f14"].astype(str), i1=plain["i1"].astype(float)),
  "dates": parts,
  "timesteps": lambda: pd.concat([plain["f14"].shift(-k) for k in range(25)], axis=1).dropna(),
}
try:
    import pyarrow
    def written(run):
        def write():
            out = run(); out.columns = [str(k) for k in range(out.shape[1])]; out.to_parquet(sys.argv[4])
        return write
    for name in sys.argv[3].split("|"): work[name + ", file"] = written(work[name])
except ImportError: pass
${timesInPython}`;

/** Each block on the table of block 1, and whether a new table comes of it. */
const work: Readonly<Record<string, readonly [call: (from: Chain) => Chain, makesTable: boolean]>> = {
  describe: [(from) => from.describe(), false],
  correlations: [(from) => from.correlations(), false],
  uniques: [(from) => from.uniques(), false],
  info: [(from) => from.info(), false],
  counts: [(from) => from.counts("t4"), false],
  duplicates: [(from) => from.duplicates(), false],
  dropDuplicates: [(from) => from.dropDuplicates(), true],
  "dropDuplicates, 2 columns": [(from) => from.dropDuplicates("t1", "t4"), true],
  "missing, mean": [(from) => from.missing("mean"), true],
  "missing, median": [(from) => from.missing("median"), true],
  "missing, mode": [(from) => from.missing("mode"), true],
  "missing, ffill": [(from) => from.missing("ffill"), true],
  "missing, linear": [(from) => from.missing("linear"), true],
  "missing, drop": [(from) => from.missing("drop"), true],
  "encode, onehot": [(from) => from.encode({ columns: ["t1", "t2"] }), true],
  "encode, label": [(from) => from.encode({ columns: ["t1", "t2", "t3", "t4"], type: "label" }), true],
  "encode, extract_numbers": [(from) => from.encode({ columns: ["t4"], type: "extract_numbers" }), true],
  "encode, target": [(from) => from.xy({ y: "f14" }).encode({ columns: ["t4"], type: "target" }), true],
  "scale, standard": [(from) => from.scale("standard"), true],
  "scale, minmax": [(from) => from.scale("minmax"), true],
  "scale, robust": [(from) => from.scale("robust"), true],
  split: [(from) => from.split({ test_size: 0.25, random_state: 0 }), false],
  astype: [(from) => from.astype({ type: "str", columns: ["f14"] }).astype({ type: "float", columns: ["i1"] }), true],
  timesteps: [(from) => from.timesteps({ column: "f14", lookback: 24 }), true],
};

async function ours(path: string, home: string): Promise<Record<string, number[]>> {
  const session = new Session(() => embeddedLink({ home }));
  const { block } = await session.input(path);
  const link = await session.link;
  const times: Record<string, number[]> = {};
  for (const [name, [call, makesTable]] of Object.entries(work)) {
    const save = makesTable ? (url: string) => link.save(url, "parquet", join(home, "ours.parquet")) : null;
    const { answered, file } = await timedBlock(repeats, async () => await call(session.at(block)), save);
    times[name] = answered;
    if (makesTable) times[`${name}, file`] = file;
  }
  await session.close();
  return times;
}

await inFolder(async (folder) => {
  const path = await mixedCsv(rows);
  const mine = await ours(path, join(folder, "home"));
  const python = pythonWith("pandas", "sklearn");
  const tables = Object.keys(work).filter((name) => work[name]![1]);
  const args = ["-W", "ignore", "-c", PYTHON, path, String(repeats), tables.join("|"), join(folder, "theirs.parquet")];
  const found = python ? spawnSync(python, args, { encoding: "utf8" }) : null;
  if (found && found.status !== 0) console.error(found.stderr);
  const theirs = found?.status === 0 ? (JSON.parse(found.stdout) as Record<string, number[]>) : {};
  const print = (title: string, names: readonly string[], suffix: string) => {
    console.log(`\n${title}\n`);
    printTable(
      [`${rows.toLocaleString("en-US")} × 20`, "blocklab s", "pandas, scikit-learn s", "ratio"],
      names.map((name) => comparison(name, mine[name + suffix]!, theirs[name + suffix])),
    );
  };
  print("Answered", Object.keys(work), "");
  print("As a file", tables, ", file");
});
