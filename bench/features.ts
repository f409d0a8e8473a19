/**
 * Times principal components of 200,000 × 50 and the words of 100,000 short texts against scikit-learn; prints a markdown table.
 *
 * node bench/features.ts [repeats=3] [rows=200000] [texts=100000]. Both sides have read the CSV before. Ours: from the
 * call until the block is learnt and stored and its first rows are known; theirs: `fit_transform` in memory, the words
 * sparse. "As a file" ends on both sides with all rows in a Parquet file. The 500 most frequent terms are kept, 10,000 for
 * a logistic regression of them. BLOCKLAB_PYTHON names a Python that has pandas, pyarrow and scikit-learn.
 *
 * "Fit in memory" is the learning alone, from a matrix on both sides, on two threads. "From the CSV" begins at the file on
 * disk and ends with the components as a matrix in memory on both sides; ours keeps both blocks' states on the way.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fitOnThreads } from "../src/blocks/features/pca-threads.ts";
import { embeddedLink } from "../src/client/embedded.ts";
import type { NumberColumns } from "../src/core/matrix.ts";
import { Duck } from "../src/engines/duckdb/index.ts";
import { readNumbers } from "../src/engines/duckdb/read/read.ts";
import { literal } from "../src/engines/sql.ts";
import { RandomState } from "../src/numerics/random.ts";
import { type Chain, Session } from "../src/session/index.ts";
import { Store } from "../src/store/store.ts";
import { createPool } from "../src/workers/index.ts";
import {
  comparison,
  computingOn,
  inFolder,
  printTable,
  pythonWith,
  timed,
  timedBlock,
  timesInPython,
} from "./measure.ts";

const [repeats, rows, texts] = [3, 200_000, 100_000].map((usual, k) => Number(process.argv[k + 2] ?? usual));

const PYTHON = `
import json, sys, time
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
numbers, texts, repeats = pd.read_csv(sys.argv[1]).to_numpy(), pd.read_csv(sys.argv[2]), int(sys.argv[3])
words, labels = texts["text"], texts["label"]
def written(pca):
    made = pd.DataFrame(pca.fit_transform(numbers)); made.columns = [f"pc{k + 1}" for k in range(made.shape[1])]; made.to_parquet(sys.argv[1] + ".theirs")
whole = lambda k: PCA(k).fit_transform(pd.read_csv(sys.argv[1]).to_numpy())
work = {
  "pca, all": lambda: PCA().fit_transform(numbers),
  "pca, 5": lambda: PCA(5).fit_transform(numbers),
  "pca, all, as a file": lambda: written(PCA()),
  "pca, 5, as a file": lambda: written(PCA(5)),
  "pca, fit in memory": lambda: PCA().fit(numbers),
  "pca, all, from the CSV": lambda: whole(None),
  "pca, 5, from the CSV": lambda: whole(5),
  "vectorize, tfidf": lambda: TfidfVectorizer(max_features=500).fit_transform(words),
  "vectorize, count": lambda: CountVectorizer(max_features=500).fit_transform(words),
  "tfidf of 10,000 terms, logistic": lambda: make_pipeline(TfidfVectorizer(max_features=10000), LogisticRegression()).fit(words, labels),
}
${timesInPython}`;

const work: Readonly<
  Record<string, readonly [table: "numbers" | "texts", call: (from: Chain) => Chain, isPlan: boolean]>
> = {
  "pca, all": ["numbers", (from) => from.pca(), true],
  "pca, 5": ["numbers", (from) => from.pca(5), true],
  "vectorize, tfidf": ["texts", (from) => from.vectorize("tfidf", { columns: ["text"], max_features: 500 }), false],
  "vectorize, count": ["texts", (from) => from.vectorize("count", { columns: ["text"], max_features: 500 }), false],
  "tfidf of 10,000 terms, logistic": [
    "texts",
    (from) => from.xy({ y: "label" }).vectorize("tfidf", { max_features: 10_000 }).logistic(),
    false,
  ],
};

/** Numbers that five hidden ones decide for the most part. */
function numbersCsv(): string {
  const random = new RandomState(0);
  const mix = Array.from({ length: 250 }, () => random.normal());
  const line = () => {
    const hidden = Array.from({ length: 5 }, () => random.normal());
    const at = (j: number) => hidden.reduce((sum, value, k) => sum + value * mix[5 * j + k], 0.3 * random.normal());
    return Array.from({ length: 50 }, (_, j) => at(j).toFixed(4)).join(",");
  };
  return `${Array.from({ length: 50 }, (_, j) => `f${j}`).join(",")}\n${Array.from({ length: rows }, line).join("\n")}\n`;
}

/** Texts of 12 words out of 20,000, as frequent as in a language. */
function textsCsv(): string {
  const random = new RandomState(1);
  const word = () => `w${Math.floor(20_000 ** random.uniform()).toString(36)}x`;
  const line = () => {
    const words = Array.from({ length: 12 }, word);
    // Rare words, the long ones, speak for one class and frequent ones for the other.
    const label = words.join("").length / 12 + random.normal() > 4.2 ? "rare" : "plain";
    return `${words.join(" ")},${label}`;
  };
  return `text,label\n${Array.from({ length: texts }, line).join("\n")}\n`;
}

async function ours(paths: { readonly numbers: string; readonly texts: string }, home: string) {
  const session = new Session(() => embeddedLink({ home }));
  const link = await session.link;
  const from = { numbers: (await session.input(paths.numbers)).block, texts: (await session.input(paths.texts)).block };
  const times: Record<string, number[]> = {};
  for (const [name, [table, call, isPlan]] of Object.entries(work)) {
    const save = isPlan ? (url: string) => link.save(url, "parquet", join(home, "ours.parquet")) : null;
    const { answered, file } = await timedBlock(repeats, async () => await call(session.at(from[table])), save);
    times[name] = answered;
    if (isPlan) times[`${name}, as a file`] = file;
  }
  times["pca, fit in memory"] = await fitInMemory(paths.numbers, home);
  for (const k of [null, 5]) {
    const name = `pca, ${k ?? "all"}, from the CSV`;
    times[name] = [];
    for (let round = 0; round < repeats; round++) {
      await session.project(`${name}, ${round}`);
      times[name].push(
        await timed(async () => {
          const { record } = await session.input(paths.numbers).pca({ n_components: k });
          await matrixOf(home, record.id);
        }),
      );
    }
  }
  await session.close();
  return times;
}

/** A block's features as training blocks read them; the link hands out no matrices. */
async function matrixOf(home: string, state: number): Promise<NumberColumns> {
  const store = new Store(home);
  const { frame } = store.state("local", state) ?? { frame: null };
  store.close();
  if (!frame) throw new Error("the block has no state");
  const duck = new Duck({ spillTo: join(home, "spill"), path: (id) => join(home, "artifacts", id) });
  const matrix = await readNumbers(duck, frame.relation, { columns: frame.columns.map(({ name }) => name) });
  await duck.close();
  return matrix;
}

async function fitInMemory(path: string, home: string): Promise<number[]> {
  const duck = new Duck({ spillTo: join(home, "spill"), path: () => `${path}.parquet` });
  await duck.run(`COPY (FROM read_csv(${literal(path)})) TO ${literal(`${path}.parquet`)} (FORMAT parquet)`);
  const columns = Array.from({ length: 50 }, (_, j) => `f${j}`);
  const x = await readNumbers(duck, { artifact: "numbers", steps: [] }, { columns });
  await duck.close();
  const pool = createPool({ size: 2 });
  const context = computingOn(pool, 2);
  const learn = () => fitOnThreads({ n: x.n, d: x.d, data: x.data }, null, context);
  await learn();
  const times: number[] = [];
  for (let k = 0; k < repeats; k++) times.push(await timed(learn));
  await pool.close();
  return times;
}

await inFolder(async (folder) => {
  const paths = { numbers: join(folder, "numbers.csv"), texts: join(folder, "texts.csv") };
  writeFileSync(paths.numbers, numbersCsv());
  writeFileSync(paths.texts, textsCsv());
  const mine = await ours(paths, join(folder, "home"));
  const python = pythonWith("pandas", "pyarrow", "sklearn");
  const args = ["-W", "ignore", "-c", PYTHON, paths.numbers, paths.texts, String(repeats)];
  const found = python ? spawnSync(python, args, { encoding: "utf8" }) : null;
  if (found && found.status !== 0) console.error(found.stderr);
  const theirs = found?.status === 0 ? (JSON.parse(found.stdout) as Record<string, number[]>) : {};
  printTable(
    [
      `${rows.toLocaleString("en-US")} × 50, ${texts.toLocaleString("en-US")} texts`,
      "blocklab s",
      "scikit-learn s",
      "ratio",
    ],
    Object.keys(mine).map((name) => comparison(name, mine[name]!, theirs[name])),
  );
});
