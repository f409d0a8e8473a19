/**
 * Times boost() as users run it, block by block, against scikit-learn's HistGradientBoosting and, where the Python has it,
 * LightGBM, and prints a markdown table.
 *
 * node bench/boost.ts [rows=100000] [columns=20] [rounds=100]. Wall time and CPU time of both sides, two threads each, the
 * best of three; scores (R², or accuracy) are on the rows learnt from, where both must say the same. BLOCKLAB_PYTHON names a
 * Python that has scikit-learn (default python3); without one the table has our times alone.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RandomState } from "../src/numerics/random.ts";
import { createService } from "../src/service/index.ts";
import type { Caller } from "../src/service/service.ts";
import { inFolder, printTable, pythonWith } from "./measure.ts";

const [n, d, rounds] = [2, 3, 4].map((k, i) => Number(process.argv[k] ?? [100_000, 20, 100][i])) as [
  number,
  number,
  number,
];
const threads = 2;
const repeats = 3;

const PYTHON = `
import json, sys, time
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
path, rounds = sys.argv[1], int(sys.argv[2])
df = pd.read_csv(path)
X = df.drop(columns=["y", "c"]).to_numpy()
same = dict(max_iter=rounds, early_stopping=False, random_state=0)
sides = {"scikit-learn": {"numbers": lambda: HistGradientBoostingRegressor(**same), "3 classes": lambda: HistGradientBoostingClassifier(**same)}}
try:
    import lightgbm
    alike = dict(n_estimators=rounds, min_child_samples=20, num_leaves=31, max_bin=255, n_jobs=${threads}, verbose=-1)
    sides["LightGBM"] = {"numbers": lambda: lightgbm.LGBMRegressor(**alike), "3 classes": lambda: lightgbm.LGBMClassifier(**alike)}
except ImportError:
    pass
def judged(make, target):
    best, model = None, None
    for _ in range(${repeats}):
        wall, cpu = time.perf_counter(), time.process_time()
        model = make().fit(X, df[target])
        took = [time.perf_counter() - wall, time.process_time() - cpu]
        best = took if best is None else [min(a, b) for a, b in zip(best, took)]
    wall, cpu = time.perf_counter(), time.process_time()
    score = model.score(X, df[target])
    return {"fit": best, "predict": [time.perf_counter() - wall, time.process_time() - cpu], "score": score}
print(json.dumps({side: {name: judged(make, "y" if name == "numbers" else "c") for name, make in models.items()} for side, models in sides.items()}))`;

interface Took {
  readonly fit: readonly [wall: number, cpu: number];
  readonly predict: readonly [wall: number, cpu: number];
  readonly score: number;
}

function csv(): string {
  const random = new RandomState(1);
  const names = Array.from({ length: d }, (_, j) => `x${j}`);
  const lines = [[...names, "y", "c"].join()];
  for (let i = 0; i < n; i++) {
    const x = names.map(() => random.normal());
    const y = 2 * x[0]! + Math.sin(3 * x[1]!) + Math.abs(x[2]!) + 0.5 * x[3]! * x[4]! + random.normal();
    lines.push([...x.map((value) => value.toFixed(6)), y.toFixed(6), y < 0 ? "low" : y < 1.6 ? "mid" : "high"].join());
  }
  return `${lines.join("\n")}\n`;
}

const someone: Caller = {
  owner: "bench",
  url: (artifact) => `bench:${artifact}`,
  artifactIn: (url) => (url.startsWith("bench:") ? url.slice(6) : null),
};

async function timed<T>(work: () => Promise<T>): Promise<{ took: [number, number]; answer: T }> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const answer = await work();
  const { user, system } = process.cpuUsage(before);
  return { took: [(performance.now() - start) / 1000, (user + system) / 1e6], answer };
}

async function ours(home: string, path: string): Promise<Record<string, Took>> {
  const service = await createService({ home, threads });
  const out: Record<string, Took> = {};
  for (const [name, target, metric] of [
    ["numbers", "y", "r2"],
    ["3 classes", "c", "accuracy"],
  ] as const) {
    const { id } = await service.createProject(someone, name);
    const run = (block_id: number, parent_id: number, function_code: string, args: object) =>
      service.run(someone, { project_id: id, block_id, parent_id, function_code, args });
    await run(1, 0, "DP_1", { dburl: path });
    await run(2, 1, "DP_FSP", { x: Array.from({ length: d }, (_, j) => `x${j}`), y: target });
    let fit: [number, number] = [Infinity, Infinity];
    for (let k = 0; k < repeats; k++) {
      const { took } = await timed(() =>
        run(3 + k, 2, "MS_XGBOOST", { max_iter: rounds, early_stopping: false, model_name: `m${k}` }),
      );
      fit = [Math.min(fit[0], took[0]), Math.min(fit[1], took[1])];
    }
    const judged = await timed(() => run(9, 3, "MS_XGBOOST_M", { model_name: "m0", metric }));
    out[name] = { fit, predict: judged.took, score: JSON.parse(judged.answer.output as string)[metric] };
  }
  await service.close();
  return out;
}

await inFolder(async (folder) => {
  const path = join(folder, "rows.csv");
  writeFileSync(path, csv());
  const mine = await ours(join(folder, "home"), path);
  const python = pythonWith("sklearn", "pandas");
  const env = { ...process.env, OMP_NUM_THREADS: String(threads) };
  const asked = python && spawnSync(python, ["-c", PYTHON, path, String(rounds)], { encoding: "utf8", env });
  if (asked && asked.status !== 0) console.error(asked.stderr);
  const sides = asked && asked.status === 0 ? (JSON.parse(asked.stdout) as Record<string, Record<string, Took>>) : {};
  const seconds = ([wall, cpu]: readonly [number, number]) => `${wall.toFixed(2)} (${cpu.toFixed(2)})`;
  const ratio = (a: readonly [number, number], b: readonly [number, number]) =>
    `${(b[0] / a[0]).toFixed(1)}× (${(b[1] / a[1]).toFixed(1)}×)`;
  const rows = Object.entries(mine).flatMap(([name, took]) =>
    (["fit", "predict"] as const).map((what) => [
      `${name}, ${what === "fit" ? "fit" : "judge all rows"}`,
      seconds(took[what]),
      took.score.toFixed(6),
      ...Object.values(sides).flatMap(({ [name]: other }) =>
        other ? [seconds(other[what]), ratio(took[what], other[what]), other.score.toFixed(6)] : [],
      ),
    ]),
  );
  console.log(
    `${n.toLocaleString("en-US")} × ${d}, ${rounds} rounds, ${threads} threads; seconds, of CPU in brackets\n`,
  );
  printTable(
    ["", "blocklab", "score", ...Object.keys(sides).flatMap((side) => [side, "times as fast", "score"])],
    rows,
  );
});
