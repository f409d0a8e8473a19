import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelRecipes, sampleRecipes, tableRecipes } from "../../support/odd-chains.ts";
import { oddFiles } from "../../support/odd-files.ts";
import { pythonWith, whyNoPython } from "../../support/python.ts";
import { Trials } from "../../support/trials.ts";

const modules = ["sklearn", "pandas", "imblearn"];
const python = pythonWith(...modules);
const why = whyNoPython(python, ...modules);

/** Another seed makes other files. */
const seed = Number(process.env.BLOCKLAB_SEED ?? 1);

let trials: Trials | undefined;

beforeAll(() => {
  if (python) trials = new Trials(python);
});

afterAll(() => trials?.close());

describe.skipIf(!python).each(oddFiles(seed))(`$name${why}`, (file) => {
  it.each(Object.entries({ ...tableRecipes, ...modelRecipes }))("%s", async (name, recipe) => {
    const { ran, refused, wrong } = await (trials as Trials).ofFile(file, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
    // What the plainest file refuses would never be tried; the recipes left out here are for odd columns.
    const isTried = file.name === "semicolons" && !/words|dates|datetime|first/.test(name);
    if (isTried) expect(ran, refused.join("\n")).toBeGreaterThan(0);
  });
});

describe.skipIf(!python).each(Object.entries(sampleRecipes))(`sample:%s${why}`, (sample, recipes) => {
  it.each(Object.entries(recipes))("%s", async (_name, recipe) => {
    const { ran, refused, wrong } = await (trials as Trials).ofSample(sample, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
    expect(ran, refused.join("\n")).toBeGreaterThan(0);
  });
});
