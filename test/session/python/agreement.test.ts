import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelRecipes, tableRecipes } from "../../support/odd-chains.ts";
import { oddFiles } from "../../support/odd-files.ts";
import { pythonWith, whyNoPython } from "../../support/python.ts";
import { Trials } from "../../support/trials.ts";

const modules = ["sklearn", "pandas", "imblearn"];
const python = pythonWith(...modules);

let trials: Trials | undefined;

beforeAll(() => {
  if (python) trials = new Trials(python);
});

afterAll(() => trials?.close());

/** A few of what the slow tests try: what each file is odd by, and a chain through most blocks. */
const few = {
  "as read": tableRecipes["as read"],
  mode: tableRecipes.mode,
  "prepared by itself": modelRecipes["prepared by itself"],
  "logistic, unscaled": modelRecipes["logistic, unscaled"],
  "logistic of a truth": modelRecipes["logistic of a truth"],
};

describe.skipIf(!python)(`scripts in Python on odd files${whyNoPython(python, ...modules)}`, () => {
  it.each(oddFiles(7, 60).map((file) => [file.name, file] as const))("%s", async (_name, file) => {
    for (const recipe of Object.values(few)) {
      const { wrong } = await (trials as Trials).ofFile(file, recipe);
      expect(wrong.length, wrong.join("\n\n")).toBe(0);
    }
  });

  it("reads days first, and casts words to truths", async () => {
    const [dates, flags] = ["dates", "flags"].map((name) => oddFiles(7, 60).find((file) => file.name === name));
    const taken = await (trials as Trials).ofFile(dates as never, tableRecipes["dates taken apart"]);
    expect(taken.wrong.length, taken.wrong.join("\n\n")).toBe(0);
    expect(taken.ran).toBeGreaterThan(6);
    const cast = await (trials as Trials).ofFile(flags as never, tableRecipes["as bool"]);
    expect(cast.wrong.length, cast.wrong.join("\n\n")).toBe(0);
    expect(cast.ran).toBeGreaterThan(6);
  });
});
