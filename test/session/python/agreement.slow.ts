import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columnRecipes, modelRecipes, sampleRecipes, tableRecipes, wholeRecipes } from "../../support/odd-chains.ts";
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

const files = oddFiles(seed, 60);

/** Every recipe on a plain file. */
describe.skipIf(!python)(`scripts on a plain file${why}`, () => {
  const plain = files.find(({ name }) => name === "semicolons") as (typeof files)[number];
  it.each(Object.entries({ ...tableRecipes, ...modelRecipes }))("%s", async (name, recipe) => {
    const { ran, refused, wrong } = await (trials as Trials).ofFile(plain, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
    // The recipes left out here are for odd columns.
    if (!/words|dates|datetime|first/.test(name)) expect(ran, refused.join("\n")).toBeGreaterThan(0);
  });
});

/** What concerns a file's odd columns, on each of them. */
describe.skipIf(!python).each(files.filter(({ odd }) => odd.length > 0))(`scripts on $name${why}`, (file) => {
  it.each(Object.entries({ ...wholeRecipes, ...columnRecipes }))("%s", async (_name, recipe) => {
    const { wrong } = await (trials as Trials).ofFile(file, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
  });
});

describe.skipIf(!python).each(Object.entries(sampleRecipes))(`scripts on sample:%s${why}`, (sample, recipes) => {
  it.each(Object.entries(recipes))("%s", async (_name, recipe) => {
    const { ran, refused, wrong } = await (trials as Trials).ofSample(sample, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
    expect(ran, refused.join("\n")).toBeGreaterThan(0);
  });
});
