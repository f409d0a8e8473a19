import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../../src/client/embedded.ts";
import { BlocklabError } from "../../../src/core/errors.ts";
import { type Chain, type Result, Session } from "../../../src/session/index.ts";
import { disagreements } from "../../support/agreement.ts";
import { modelRecipes, type Recipe, tableRecipes } from "../../support/odd-chains.ts";
import { type OddFile, oddFiles } from "../../support/odd-files.ts";
import { pythonWith, whyNoPython } from "../../support/python.ts";
import { ScriptRunner } from "../../support/python-scripts.ts";

const modules = ["sklearn", "pandas", "imblearn"];
const python = pythonWith(...modules);

const home = mkdtempSync(join(tmpdir(), "blocklab-agreement-"));
const linked = embeddedLink({ home: join(home, "data"), threads: 0 });
const session = new Session(() => linked);
let runner: ScriptRunner;

let projects = 0;

beforeAll(() => {
  if (python) runner = new ScriptRunner(python);
});

afterAll(async () => {
  runner?.close();
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

/** What the recipe's chains disagree in with their scripts; a chain that the data can't take counts for nothing. */
async function tried(file: OddFile, recipe: Recipe): Promise<{ ran: number; refused: string[]; wrong: string[] }> {
  await session.project(`p${++projects}`);
  const path = join(home, file.file);
  writeFileSync(path, file.content);
  const table = () => (file.args ? session.input(path, file.args as never) : session.input(path));
  const { columns } = await (await table()).dataset.shape();
  const made = recipe(table(), columns, file);
  const wrong: string[] = [];
  const refused: string[] = [];
  let ran = 0;
  for (const chain of Array.isArray(made) ? (made as Chain[]) : [made as Chain]) {
    let result: Result;
    try {
      result = await chain;
    } catch (error) {
      if (!(error instanceof BlocklabError) || error.status >= 500) throw error;
      refused.push(error.message);
      continue;
    }
    ran++;
    const found = await disagreements(result, await linked, runner);
    if (found.length > 0) wrong.push(found.join("\n"));
  }
  return { ran, refused, wrong };
}

const seed = Number(process.env.BLOCKLAB_SEED ?? 1);

describe.skipIf(!python).each(oddFiles(seed))(`$name${whyNoPython(python, ...modules)}`, (file) => {
  it.each(Object.entries({ ...tableRecipes, ...modelRecipes }))("%s", async (name, recipe) => {
    const { ran, refused, wrong } = await tried(file, recipe);
    expect(wrong.length, wrong.join("\n\n")).toBe(0);
    // A recipe that a plain table refuses would never be tried; these are for odd ones.
    if (file.odd.length === 0 && !/words|dates|datetime|first/.test(name))
      expect(ran, refused.join("\n")).toBeGreaterThan(0);
  });
});
