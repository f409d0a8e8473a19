import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pythonWith, whyNoPython } from "./support/python.ts";
import { hasSparkPackage } from "./support/spark.ts";

const folder = fileURLToPath(new URL("../bench/", import.meta.url));

/** Arguments with which each measurement is small; null for a file that is none. */
const small: Readonly<Record<string, readonly string[] | null>> = {
  accuracy: ["1", "knn,linear", "iris,diabetes"],
  blocks: ["1"],
  boost: ["2000", "5", "5"],
  choices: ["2000", "1", "written when read"],
  columns: ["2000", "1"],
  features: ["1", "2000", "200"],
  growth: ["--scale", "0.02"],
  kernel: ["1", "0"],
  kernels: ["2000", "2"],
  large: ["0.05"],
  measure: null,
  "mixed-csv": null,
  models: ["2000", "3", "3000"],
  mlp: ["1", "0.01"],
  rbm: ["200", "20", "8"],
  repl: ["1"],
  service: ["--minutes", "0.02", "--projects", "2"],
  spark: ["100000"],
  start: ["1"],
  svm: ["300", "4"],
  tables: ["2000", "1"],
  text: ["1", "1", "400"],
  verbs: ["2000", "1"],
  wide: ["0.02"],
};

it("knows every file of bench", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));
  expect(files.map((file) => file.slice(0, -3)).sort()).toEqual(Object.keys(small).sort());
});

const python = pythonWith("pandas", "sklearn");
/** Why measurements that are nothing without the other side don't run; empty when they do. */
const lacking: Readonly<Record<string, string>> = {
  accuracy: whyNoPython(python, "pandas", "sklearn"),
  spark: hasSparkPackage && python ? "" : ", skipped: no Spark; set BLOCKLAB_SPARK=$(.ci/spark)",
};

for (const [name, args] of Object.entries(small)) {
  if (args === null) continue;
  const why = lacking[name] ?? "";
  it.skipIf(why !== "")(`bench -- ${name} runs${why}`, { timeout: 600_000 }, () => {
    const done = spawnSync(process.execPath, [`${folder}${name}.ts`, ...args], { encoding: "utf8" });
    expect([done.status, done.stderr]).toEqual([0, expect.not.stringContaining("Error")]);
    // A table of figures, none of which is missing.
    expect(done.stdout).toMatch(/^\|.*\d/m);
    expect(done.stdout).not.toMatch(/NaN|undefined/);
  });
}
