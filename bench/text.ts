/**
 * Searches text classifiers, and compares the best with scikit-learn's TF-IDF and logistic regression.
 *
 * node bench/text.ts [trials=5] [epochs=5] [most]. Corpora, of each `most` texts where that is given: messages of two kinds and articles on 20 topics, both generated, and
 * paragraphs of the doc strings of 20 Python modules, by module. BLOCKLAB_PYTHON names a Python that has scikit-learn
 * and pandas (default python3); without one there are our numbers on the generated corpora alone. A quarter of each
 * corpus is for testing. Two threads.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bestTrial, type SearchTask, searchTexts } from "../src/blocks/deep/text-trials.ts";
import type { BlockContext } from "../src/core/block.ts";
import { RandomState } from "../src/numerics/random.ts";
import { fitText, predictText } from "../src/numerics/text/model.ts";
import { packTexts } from "../src/numerics/text/units.ts";
import { createPool } from "../src/workers/index.ts";
import { computingOn, inFolder, printTable, pythonWith } from "./measure.ts";

type Corpus = { readonly texts: readonly string[]; readonly labels: readonly number[] };

const [maxTrials, epochs] = [2, 3].map((k) => Number(process.argv[k] ?? 5)) as [number, number];
const most = Number(process.argv[4] ?? Number.POSITIVE_INFINITY);
const python = pythonWith("sklearn", "scipy", "pandas");

const DOCS = `
import contextlib, importlib, inspect, io, json, pkgutil, random, re, sys, warnings
warnings.filterwarnings("ignore")
topics = "sklearn.linear_model sklearn.cluster sklearn.ensemble sklearn.preprocessing sklearn.metrics sklearn.datasets scipy.stats scipy.linalg scipy.optimize scipy.signal scipy.sparse scipy.special scipy.spatial scipy.interpolate scipy.ndimage numpy.linalg numpy.ma numpy.random numpy.polynomial pandas.core".split()
def walk(name):
    try: module = importlib.import_module(name)
    except Exception: return
    yield module
    for inner in pkgutil.iter_modules(getattr(module, "__path__", [])):
        if inner.name not in ("tests", "conftest"): yield from walk(name + "." + inner.name)
owners = {}
with contextlib.redirect_stderr(io.StringIO()):
    for label, topic in enumerate(topics):
        for module in walk(topic):
            for thing in list(vars(module).values()):
                for part in [thing] + (list(vars(thing).values()) if inspect.isclass(thing) else []):
                    doc = getattr(part, "__doc__", None)
                    for text in re.split(r"\\n\\s*\\n", doc) if isinstance(doc, str) else []:
                        text = re.sub(r"\\s+", " ", text).strip()
                        if len(text) > 60 and not text.startswith(">>>"): owners.setdefault(text, set()).add(label)
rows = [(text, labels.pop()) for text, labels in owners.items() if len(labels) == 1]
random.Random(0).shuffle(rows)
json.dump({"texts": [t for t, _ in rows], "labels": [k for _, k in rows]}, open(sys.argv[1], "w"))`;

const THEIRS = `
import json, sys, time
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
corpus = json.load(open(sys.argv[1]))
texts, labels, cut = corpus["texts"], corpus["labels"], int(sys.argv[2])
start = time.perf_counter()
model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)).fit(texts[:cut], labels[:cut])
print(json.dumps({"seconds": time.perf_counter() - start, "accuracy": model.score(texts[cut:], labels[cut:])}))`;

/** Texts of words as frequent as in a language, some of which a topic prefers. */
function generated(rows: number, classes: number, length: number, share: number, seed: number): Corpus {
  const random = new RandomState(seed);
  const parts = ["ka", "lo", "mi", "ne", "ru", "ti", "sa", "vo", "be", "du", "fi", "go"];
  const vocabulary = 20_000;
  const name = (k: number): string => (k < 12 ? parts[k]! : name(Math.floor(k / 12) - 1) + parts[k % 12]!);
  const drawn = () => Math.min(vocabulary, Math.floor(Math.exp(random.uniform() * Math.log(vocabulary))));
  const labels = Array.from(random.integers(classes, rows));
  const texts = labels.map((label) => {
    const words = 3 + Math.floor(-Math.log(1 - random.uniform()) * length);
    const word = () => (random.uniform() < share ? (drawn() * 7 + label * 977) % vocabulary : drawn());
    return Array.from({ length: words }, () => name(word() + 12)).join(" ");
  });
  return { texts, labels };
}

async function ours({ texts, labels }: Corpus, cut: number) {
  const pool = createPool({ size: 2 });
  // What a search asks of a context; nothing is written down.
  const context = {
    ...computingOn(pool, 2),
    notes: () => ({ read: () => null, write() {} }),
  } as unknown as BlockContext;
  const y = Int32Array.from(labels.slice(0, cut));
  const task: SearchTask = {
    texts: packTexts(texts.slice(0, cut)),
    y,
    classes: Math.max(...labels) + 1,
    maxTrials,
    epochs,
    seed: 0,
  };
  const { trials } = await searchTexts(task, context, "bench");
  const { trial, score } = bestTrial(trials, "bench");
  const stop = score.epochs === undefined ? {} : { stopAfter: score.epochs };
  const fit = { ...task, candidate: trial.candidate, rows: Int32Array.from(y.keys()), temperature: score.temperature };
  const model = await pool.run(fitText, { ...fit, ...stop });
  const { n, d, data } = await pool.run(predictText, { texts: packTexts(texts.slice(cut)), model });
  await pool.close();
  let right = 0;
  for (let i = 0; i < n; i++) {
    let best = 0;
    for (let k = 1; k < d; k++) if (data[k * n + i]! > data[best * n + i]!) best = k;
    if (best === labels[cut + i]) right++;
  }
  return { accuracy: right / n, seconds: trials.reduce((sum, each) => sum + each.seconds, 0) / trials.length, trial };
}

await inFolder(async (folder) => {
  const corpora: [string, Corpus][] = [
    ["5,574 messages, 2 kinds", generated(5_574, 2, 15, 0.3, 1)],
    ["20,000 articles, 20 topics", generated(20_000, 20, 150, 0.1, 2)],
  ];
  if (python && spawnSync(python, ["-c", DOCS, join(folder, "docs.json")]).status === 0) {
    const docs = JSON.parse(readFileSync(join(folder, "docs.json"), "utf8")) as Corpus;
    corpora.push([`${docs.texts.length.toLocaleString("en-US")} doc paragraphs, 20 modules`, docs]);
  }
  const rows: string[][] = [];
  for (const [name, { texts, labels }] of corpora) {
    const corpus = { texts: texts.slice(0, most), labels: labels.slice(0, most) };
    const cut = Math.floor(corpus.texts.length * 0.75);
    const mine = await ours(corpus, cut);
    const path = join(folder, "corpus.json");
    writeFileSync(path, JSON.stringify(corpus));
    const done = python && spawnSync(python, ["-c", THEIRS, path, String(cut)], { encoding: "utf8" });
    if (done && done.status !== 0) console.error(done.stderr);
    const other = done && done.status === 0 ? JSON.parse(done.stdout) : null;
    rows.push([
      name,
      mine.accuracy.toFixed(4),
      other ? other.accuracy.toFixed(4) : "",
      mine.seconds.toFixed(2),
      other ? other.seconds.toFixed(2) : "",
      `${mine.trial.candidate.family}, ${mine.trial.candidate.parameters.terms}`,
    ]);
  }
  console.log(`${maxTrials} trials of ${epochs} epochs at most\n`);
  printTable(["corpus", "accuracy", "scikit-learn", "s a trial", "scikit-learn, s", "best candidate"], rows);
});
