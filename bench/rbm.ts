/**
 * Times the restricted Boltzmann machine against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/rbm.ts [rows=10000] [features=784] [hidden=256]. One epoch of training, and the hidden activations of all
 * rows, on one thread on both sides; in seconds of the processor, which others on the machine disturb less than the
 * clock. BLOCKLAB_PYTHON names a Python that has scikit-learn (default python3); without one the table has our times
 * alone. "Differ" is the largest difference between two weights. Last come the ways to multiply that were tried, on one
 * batch of ten rows.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fitRbm } from "../src/numerics/networks/rbm.ts";
import { roomOf, widthsOf } from "../src/numerics/networks/rbm-room.ts";
import { hiddenRbm } from "../src/numerics/networks/rbm-score.ts";
import { RandomState } from "../src/numerics/random.ts";
import { createMatrix, type Matrix, quiet } from "../src/numerics/types.ts";
import { inFolder, printTable, pythonWith } from "./measure.ts";

const [n, d, hidden] = [2, 3, 4].map((k, i) => Number(process.argv[k] ?? [10_000, 784, 256][i])) as [
  number,
  number,
  number,
];
const kinds = ["any numbers", "4 in 5 zeros"] as const;
const batches = [10, 100] as const;

const PYTHON = `
import json, sys, time
import numpy as np
from sklearn.neural_network import BernoulliRBM
folder, n, d, hidden = sys.argv[1], *map(int, sys.argv[2:])
out = []
for kind in (0, 1):
    X = np.ascontiguousarray(np.fromfile(f"{folder}/{kind}", dtype="f8").reshape(d, n).T)
    for batch in (10, 100):
        for type in ("f8", "f4"):
            V = X.astype(type)
            start = time.process_time()
            m = BernoulliRBM(hidden, learning_rate=0.06, batch_size=batch, n_iter=1, random_state=0).fit(V)
            trained = time.process_time(); m.transform(V)
            out.append([trained - start, time.process_time() - trained])
            if type == "f8": m.components_.astype("f8").tofile(f"{folder}/{kind}-{batch}")
print(json.dumps(out))`;

function numbers(isSparse: boolean): Matrix {
  const random = new RandomState(1);
  const x = createMatrix(n, d, true);
  for (let i = 0; i < x.data.length; i++) x.data[i] = isSparse && random.uniform() < 0.8 ? 0 : random.uniform();
  return x;
}

/** Seconds of the processor, and what the work answered. */
function measured<T>(work: () => T): { seconds: number; answer: T } {
  const start = process.cpuUsage();
  const answer = work();
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, answer };
}

async function compared(): Promise<string[][]> {
  return await inFolder(async (folder) => {
    const ours: { name: string; file: string; fit: number; ask: number; weights: Float64Array }[] = [];
    for (const [kind, name] of kinds.entries()) {
      const x = numbers(kind === 1);
      writeFileSync(join(folder, String(kind)), x.data);
      for (const batch of batches) {
        const curve = new Float64Array(1);
        const input = { x, hidden, rate: 0.06, epochs: 1, batch, seed: 0, curve };
        const { seconds: fit, answer: rbm } = measured(() => fitRbm(input, quiet));
        const { seconds: ask } = measured(() => hiddenRbm({ rbm, x }, quiet));
        ours.push({ name: `${name}, batches of ${batch}`, file: `${kind}-${batch}`, fit, ask, weights: rbm.weights });
      }
    }
    const theirs = reference(folder);
    const ratio = (seconds: number | undefined, own: number) =>
      seconds === undefined ? ["", ""] : [seconds.toFixed(3), (seconds / own).toFixed(1)];
    return ours.flatMap(({ name, file, fit, ask, weights }, k) => {
      const [double, single] = [theirs[2 * k], theirs[2 * k + 1]];
      const differ = double ? largestDifference(weights, join(folder, file)).toExponential(0) : "";
      return [
        [`train, ${name}`, fit.toFixed(3), ...ratio(double?.[0], fit), ...ratio(single?.[0], fit), differ],
        [`activations, ${name}`, ask.toFixed(3), ...ratio(double?.[1], ask), ...ratio(single?.[1], ask), ""],
      ];
    });
  });
}

function reference(folder: string): (readonly [fit: number, ask: number])[] {
  const python = pythonWith("sklearn");
  if (!python) return [];
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
  const sizes = [n, d, hidden].map(String);
  const done = spawnSync(python, ["-c", PYTHON, folder, ...sizes], { encoding: "utf8", env });
  if (done.status !== 0) console.error(done.stderr);
  return done.status === 0 ? JSON.parse(done.stdout) : [];
}

function largestDifference(weights: Float64Array, path: string): number {
  const bytes = readFileSync(path);
  const other = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return weights.reduce((most, weight, k) => Math.max(most, Math.abs(weight - other[k]!)), 0);
}

/** Loops over typed arrays, two rows by four units at a time; `w` is hidden×d. */
function tiles(v: Float64Array | Float32Array, w: typeof v, out: typeof v, rows: number): void {
  for (let b = 0; b < rows; b += 2) {
    for (let k = 0; k < hidden; k += 4) {
      let [a0, a1, a2, a3, c0, c1, c2, c3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let j = 0, at = b * d, from = k * d; j < d; j++, at++, from++) {
        const [s, t] = [v[at]!, v[at + d]!];
        const [w0, w1, w2, w3] = [w[from]!, w[from + d]!, w[from + 2 * d]!, w[from + 3 * d]!];
        a0 += s * w0;
        a1 += s * w1;
        a2 += s * w2;
        a3 += s * w3;
        c0 += t * w0;
        c1 += t * w1;
        c2 += t * w2;
        c3 += t * w3;
      }
      out.set([a0, a1, a2, a3], b * hidden + k);
      out.set([c0, c1, c2, c3], (b + 1) * hidden + k);
    }
  }
}

function products(): string[][] {
  const rows = 10;
  const flops = 2 * rows * d * hidden;
  const times = 200;
  const rate = (work: () => void) => {
    const seconds = [0, 1, 2].map(() => {
      const round = measured(() => {
        for (let i = 0; i < times; i++) work();
      });
      return round.seconds;
    });
    return ((flops * times) / Math.min(...seconds) / 1e9).toFixed(1);
  };
  const out: string[][] = [];
  for (const numbers of [Float64Array, Float32Array]) {
    const [v, w, to] = [rows * d, hidden * d, rows * hidden].map((size) => new numbers(size).fill(0.5)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    out.push([`loops over a ${numbers.name}`, rate(() => tiles(v, w, to, rows))]);
  }
  const { row, stride } = widthsOf(hidden);
  const room = roomOf(8 * (d * stride + 2 * row + d) + 4 * d + 64);
  const [table, bias, to, values] = [d * stride, row, row, d].map((size) => room.doubles(size).fill(0.5)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const offsets = room.ints(d).map((_, j) => 8 * j * stride);
  new Int32Array(offsets.buffer, offsets.byteOffset, d).set(offsets);
  const list = room.loops;
  const start = values.byteOffset + 8 * d;
  const work = () => {
    for (let b = 0; b < rows; b++) {
      list.weightedRows(
        start,
        start + 4 * d,
        values.byteOffset,
        table.byteOffset,
        bias.byteOffset,
        to.byteOffset,
        8 * row,
      );
    }
  };
  out.push(["WebAssembly, two doubles at a time", rate(work)]);
  return out;
}

console.log(`${n.toLocaleString("en-US")} × ${d}, ${hidden} hidden units, one epoch, one thread\n`);
printTable(
  ["", "ours, s", "scikit-learn, s", "times faster", "in float32, s", "times faster", "differ"],
  await compared(),
);
console.log();
printTable(["one batch of 10 rows", "GFLOP/s"], products());
