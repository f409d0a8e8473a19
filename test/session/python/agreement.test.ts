import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelRecipes, tableRecipes } from "../../support/odd-chains.ts";
import { type OddFile, oddFiles, typedFiles } from "../../support/odd-files.ts";
import { pythonWith, whyNoPython } from "../../support/python.ts";
import { Trials } from "../../support/trials.ts";

const modules = ["sklearn", "pandas", "imblearn", "pyarrow", "openpyxl"];
const python = pythonWith(...modules);

const folder = mkdtempSync(join(tmpdir(), "blocklab-typed-"));
let trials: Trials | undefined;

beforeAll(() => {
  if (python) trials = new Trials(python);
});

afterAll(async () => {
  await trials?.close();
  rmSync(folder, { recursive: true, force: true });
});

const files = oddFiles(7, 60);

/** A machine that does much else is late. */
const patience = 120_000;

async function expectAgreement(file: OddFile, recipe: (typeof tableRecipes)[string]): Promise<number> {
  const { ran, refused, wrong } = await (trials as Trials).ofFile(file, recipe);
  expect(wrong.length, wrong.join("\n\n")).toBe(0);
  expect(ran, refused.join("\n")).toBeGreaterThan(0);
  return ran;
}

/** The slow tests try every block; here are those that what a file is odd by disturbs first. */
describe.skipIf(!python)(`scripts in Python${whyNoPython(python, ...modules)}`, { timeout: patience }, () => {
  it("read odd CSV and JSON files as they were read", async () => {
    for (const file of files) await expectAgreement(file, tableRecipes["as read"]);
  });

  it("read JSON, Parquet, Excel and SQLite with the types that were found", async () => {
    const typed = typedFiles(python as string, folder, 7);
    expect(typed.length).toBeGreaterThan(30);
    for (const file of typed) await expectAgreement(file, tableRecipes["as read"]);
  });

  it.each([
    ["dates", "dates taken apart", 9],
    ["flags", "as bool", 7],
  ] as const)("read the %s of odd columns: %s", async (name, recipe, most) => {
    const file = files.find((each) => each.name === name) as OddFile;
    expect(await expectAgreement(file, tableRecipes[recipe])).toBeGreaterThan(most);
  });

  it.each(["rows that a condition keeps", "columns by expressions", "new tables"])(
    "work out the same: %s",
    async (name) => {
      const file = files.find((each) => each.name === "nasty names") as OddFile;
      expect(await expectAgreement(file, tableRecipes[name])).toBeGreaterThan(4);
    },
  );

  it.each(["prepared by itself", "logistic of a truth", "linear", "searched classes", "searched numbers"])(
    "come to the same scores: %s",
    async (name) => {
      for (const each of ["missing words", "nasty names"])
        await expectAgreement(files.find((file) => file.name === each) as OddFile, modelRecipes[name]);
    },
  );
});
