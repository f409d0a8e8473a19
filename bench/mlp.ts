/**
 * Times multi-layer perceptrons against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/mlp.ts [rounds=3] [share=1]. Some passes of training, and the answers for all rows, on one thread on both sides, in
 * turns; the median of the rounds, in seconds of the processor, which others on the machine disturb less than the
 * clock. BLOCKLAB_PYTHON names a Python that has scikit-learn (default python3); without one the table has our times
 * alone. `share` of the rows is taken. "Differ" is the largest difference between two losses of a pass, as a share of the first.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fitMlp, type MlpInput, predictMlp } from "../src/numerics/networks/mlp.ts";
import { RandomState } from "../src/numerics/random.ts";
import { createMatrix, type Matrix } from "../src/numerics/types.ts";
import { inFolder, printTable, pythonWith, quantile } from "./measure.ts";

const [rounds, share] = [2, 3].map((k, i) => Number(process.argv[k] ?? [3, 1][i])) as [number, number];

/** Rows, features, hidden layers, classes (0 for numbers), passes. */
type Case = readonly [n: number, d: number, hidden: readonly number[], classes: number, passes: number];

const cases: readonly Case[] = [
  [20_000, 20, [100], 3, 10],
  [20_000, 20, [100, 50], 0, 10],
  [5_000, 100, [200, 100], 2, 10],
  [5_000, 784, [256, 128], 10, 3],
];

const PYTHON = `
import json, sys, time, warnings
import numpy as np
from sklearn.neural_network import MLPClassifier, MLPRegressor
warnings.filterwarnings("ignore")
folder, n, d, classes, passes = sys.argv[1], *map(int, sys.argv[2:6])
X = np.ascontiguousarray(np.fromfile(f"{folder}/x", dtype="f8").reshape(d, n).T)
y = np.fromfile(f"{folder}/y", dtype="f8")
kind = MLPClassifier if classes else MLPRegressor
m = kind(hidden_layer_sizes=json.loads(sys.argv[6]), max_iter=passes, n_iter_no_change=1000, random_state=0)
start = time.process_time()
m.fit(X, y)
trained = time.process_time()
m.predict_proba(X) if classes else m.predict(X)
print(json.dumps([trained - start, time.process_time() - trained, m.loss_curve_]))`;

type Times = readonly [fit: number, ask: number, losses: readonly number[]];

function measured<T>(work: () => T): { seconds: number; answer: T } {
  const start = process.cpuUsage();
  const answer = work();
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, answer };
}

function dataOf(n: number, d: number, classes: number): { x: Matrix; y: Float64Array } {
  const random = new RandomState(1);
  const x = createMatrix(n, d, true);
  for (let i = 0; i < x.data.length; i++) x.data[i] = random.normal();
  const y = Float64Array.from({ length: n }, (_, i) => {
    const value = Math.sin(x.data[i]! * 2) + x.data[n + i]! * x.data[2 * n + i]!;
    return classes === 0 ? value : Math.min(classes - 1, Math.max(0, Math.floor(value + classes / 2)));
  });
  return { x, y };
}

function reference(folder: string, [n, d, hidden, classes, passes]: Case): Times | undefined {
  const python = pythonWith("sklearn");
  if (!python) return undefined;
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
  const sizes = [n, d, classes, passes].map(String);
  const done = spawnSync(python, ["-c", PYTHON, folder, ...sizes, JSON.stringify(hidden)], { encoding: "utf8", env });
  if (done.status !== 0) console.error(done.stderr);
  return done.status === 0 ? JSON.parse(done.stdout) : undefined;
}

async function compared(each: Case): Promise<string[][]> {
  const [n, d, hidden, classes, passes] = each;
  const { x, y } = dataOf(n, d, classes);
  const input: MlpInput = {
    x,
    y: classes > 0 ? Int32Array.from(y) : y,
    classes,
    hidden,
    activation: "relu",
    solver: "adam",
    alpha: 0.0001,
    batch: 200,
    rate: 0.001,
    maxIter: passes,
    shuffle: true,
    seed: 0,
    tol: 0.0001,
    patience: 1000,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    momentum: 0.9,
  };
  const [ours, theirs]: [Times[], Times[]] = [[], []];
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "x"), x.data);
    writeFileSync(join(folder, "y"), y);
    for (let k = 0; k < rounds; k++) {
      const { seconds: fit, answer } = measured(() => fitMlp(input));
      const { seconds: ask } = measured(() => predictMlp({ x, model: answer.model }));
      ours.push([fit, ask, [...answer.losses]]);
      const other = reference(folder, each);
      if (other) theirs.push(other);
    }
  });
  const middle = (times: readonly Times[], which: 0 | 1) =>
    quantile(
      times.map((time) => time[which]),
      0.5,
    );
  const name = `${n.toLocaleString("en-US")} × ${d}, ${hidden.join(" + ")} units, ${classes || "no"} classes`;
  const losses = theirs[0]?.[2];
  const differ = losses?.reduce((most, loss, k) => Math.max(most, Math.abs(loss - ours[0]![2][k]!)), 0);
  const row = (what: string, which: 0 | 1) => {
    const own = middle(ours, which);
    const other = losses && middle(theirs, which);
    const beside = other === undefined ? ["", ""] : [other.toFixed(3), (other / own).toFixed(2)];
    return [`${what}, ${name}`, own.toFixed(3), ...beside];
  };
  const share = differ === undefined ? "" : (differ / losses![0]!).toExponential(0);
  return [
    [...row(`${passes} passes`, 0), share],
    [...row("answers", 1), ""],
  ];
}

const rows: string[][] = [];
for (const [n, ...rest] of cases) rows.push(...(await compared([Math.round(n * share), ...rest])));
printTable(["", "ours, s", "scikit-learn, s", "times faster", "differ"], rows);
