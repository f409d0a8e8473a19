/**
 * Times support vector machines against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/svm.ts [rows=5000] [columns=10]. BLOCKLAB_PYTHON names a Python that has scikit-learn (default python3);
 * without one the table has our times alone. One thread on both sides, the best of three runs. "Agree" is the share of
 * rows that both sides give the same class, or the largest difference between two predicted numbers.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RandomState } from "../src/numerics/random.ts";
import { decideSvm, type Machines, voteSvc } from "../src/numerics/svm/predict.ts";
import { fitSvc, type SvcInput } from "../src/numerics/svm/svc.ts";
import { fitSvr, type SvrInput } from "../src/numerics/svm/svm.ts";
import { createMatrix } from "../src/numerics/types.ts";
import { inFolder, printTable, pythonWith } from "./measure.ts";

const n = Number(process.argv[2] ?? 5000);
const d = Number(process.argv[3] ?? 10);

const PYTHON = `
import json, sys, time, warnings
import numpy as np
from sklearn.svm import SVC, SVR
warnings.simplefilter("ignore")
folder, n, d = sys.argv[1], *map(int, sys.argv[2:])
read = lambda name, type: np.fromfile(folder + "/" + name, dtype=type)
X = np.ascontiguousarray(read("x", "f8").reshape(d, n).T)
y, b, c = read("y", "f8"), read("b", "i4"), read("c", "i4")
out = []
def best(work):
    times = []
    for _ in range(3):
        start = time.perf_counter(); work(); times.append(time.perf_counter() - start)
    return min(times)
def add(name, model, target):
    seconds = best(lambda: model.fit(X, target))
    predict = best(lambda: model.predict(X))
    out.append({"name": name, "fit": seconds, "predict": predict, "support": int(model.support_.size)})
    model.predict(X).astype("f8").tofile(folder + "/" + name)
add("svc rbf", SVC(), b)
add("svc rbf, 3 classes", SVC(C=10), c)
add("svc rbf, probabilities", SVC(probability=True, random_state=0), b)
add("svc linear", SVC(kernel="linear"), b)
add("svr rbf", SVR(tol=1e-4), y)
add("svr rbf, tol 0.001", SVR(), y)
add("svr poly", SVR(kernel="poly", tol=1e-4), y)
print(json.dumps(out))`;

type Row = { name: string; fit: number; predict: number; support: number };

function data() {
  const random = new RandomState(1);
  const x = createMatrix(n, d);
  for (let i = 0; i < x.data.length; i++) x.data[i] = random.normal();
  const y = new Float64Array(n);
  const c = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const [a, b, e, f] = [0, 1, 2, 3].map((j) => x.data[j * n + i]!) as [number, number, number, number];
    y[i] = Math.sin(a * b) + e + 0.5 * f * f + 0.1 * random.normal();
    c[i] = (y[i]! + 0.3 * random.normal() > 0.5 ? 1 : 0) + (f > 1 ? 1 : 0);
  }
  return { x, y, c, b: c.map((k) => (k > 0 ? 1 : 0)) };
}

function best(work: () => void): number {
  const times = [0, 1, 2].map(() => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1000;
  });
  return Math.min(...times);
}

function ours({ x, y, b, c }: ReturnType<typeof data>): (Row & { answers: ArrayLike<number> })[] {
  const out: (Row & { answers: ArrayLike<number> })[] = [];
  const kernel = { name: "rbf", gamma: "scale", coef0: 0, degree: 3 } as const;
  const time = <M extends Machines & { support: Int32Array }>(
    name: string,
    train: () => M,
    ask: (model: M) => ArrayLike<number>,
  ) => {
    let model = train();
    const seconds = best(() => {
      model = train();
    });
    const predict = best(() => ask(model));
    out.push({ name, fit: seconds, predict, support: model.support.length, answers: ask(model) });
  };
  const classes = (name: string, input: Partial<SvcInput>) =>
    time(
      name,
      () => fitSvc({ x, y: b, classes: 2, kernel, ...input }),
      (model) => voteSvc({ ...model, sigmoidA: new Float64Array(0), decisions: decideSvm({ x, model }) }).codes,
    );
  const numbers = (name: string, input: Partial<SvrInput>) =>
    time(
      name,
      () => fitSvr({ x, y, kernel, tol: 1e-4, ...input }),
      (model) => decideSvm({ x, model }).data,
    );
  classes("svc rbf", {});
  classes("svc rbf, 3 classes", { y: c, classes: 3, c: 10 });
  classes("svc rbf, probabilities", { probability: true, seed: 0 });
  classes("svc linear", { kernel: { ...kernel, name: "linear" } });
  numbers("svr rbf", {});
  numbers("svr rbf, tol 0.001", { tol: 1e-3 });
  numbers("svr poly", { kernel: { ...kernel, name: "poly" } });
  return out;
}

function agreement(name: string, answers: ArrayLike<number>, theirs: Float64Array): string {
  const gaps = Array.from(theirs, (value, i) => Math.abs(value - answers[i]!));
  if (name.startsWith("svr")) return Math.max(...gaps).toExponential(1);
  return `${((100 * gaps.filter((gap) => gap === 0).length) / n).toFixed(2)}%`;
}

await inFolder(async (folder) => {
  const table = data();
  for (const [name, array] of Object.entries({ x: table.x.data, y: table.y, b: table.b, c: table.c })) {
    writeFileSync(join(folder, name), array);
  }
  const python = pythonWith("sklearn");
  const done = python && spawnSync(python, ["-c", PYTHON, folder, String(n), String(d)], { encoding: "utf8" });
  const reference: Row[] = done && done.status === 0 ? JSON.parse(done.stdout) : [];
  console.log(`${n.toLocaleString("en")} × ${d}, one thread\n`);
  const rows = ours(table).map(({ name, fit, predict, support, answers }) => {
    const other = reference.find((each) => each.name === name);
    const own = [fit.toFixed(3), predict.toFixed(3), String(support)];
    if (!other) return [name, own[0]!, "", "", own[1]!, "", "", own[2]!, ""];
    const bytes = readFileSync(join(folder, name));
    const theirs = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return [
      name,
      own[0]!,
      other.fit.toFixed(3),
      (other.fit / fit).toFixed(2),
      own[1]!,
      other.predict.toFixed(3),
      (other.predict / predict).toFixed(2),
      `${support} / ${other.support}`,
      agreement(name, answers, theirs),
    ];
  });
  printTable(
    [
      "model",
      "fit, s",
      "scikit-learn",
      "times faster",
      "predict, s",
      "scikit-learn",
      "times faster",
      "vectors",
      "agree",
    ],
    rows,
  );
});
