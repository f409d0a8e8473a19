import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withSessionHelp } from "../../src/commands/cell-help.ts";
import type { Evaluator } from "../../src/evaluator/evaluator.ts";
import { createSession } from "../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-cell-help-"));
const session = createSession({ home });

beforeAll(async () => {
  await session.input("sample:penguins");
});
afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

/** An evaluator whose types are still being loaded. */
const loading = {
  complete: async (_code: string, cursor: number) => ({ start: cursor, end: cursor, items: [], isEarly: true }),
} as unknown as Evaluator;

describe("completion while the types are loaded", () => {
  const complete = async (code: string) => (await withSessionHelp(loading, session).complete(code, code.length)).items;
  const words = async (code: string) => (await complete(code)).map(({ text }) => text);

  it("knows the helpers and methods of the session and of a chain, with what they take", async () => {
    expect(await complete("await session.miss")).toEqual([
      {
        ...{ text: "missing", kind: "method" },
        detail: expect.stringMatching(/^missing\(\{ strategy_value/),
        docs: expect.stringMatching(/^DP_2\. /),
      },
    ]);
    expect(await words('session.input("x").mis')).toEqual(["missing"]);
    expect(await words("session.gra")).toContain("graph");
    expect(await words("other.mis")).toEqual([]);
  });

  it("knows a call's arguments, and the columns of a row", async () => {
    expect(await words("session.missing({ stra")).toEqual(["strategy", "strategy_value"]);
    expect(await words("session.filter(d => d.bill_l")).toEqual(["bill_length_mm"]);
    expect(await words("session.derive({ columns: { a: (row) => row.species, b: row => row.isl")).toEqual(["island"]);
    expect(await words("session.filter(d => other.bill_l")).toEqual([]);
  });

  it("knows the columns and functions of a formula in quotes", async () => {
    expect(await words('session.filter("body_mass_g > 3 && bill_l')).toEqual(["bill_length_mm"]);
    expect(await words("session.derive({ columns: { z: 'dateTr")).toEqual(["dateTrunc"]);
    expect(await words('session.derive({ by: "spec')).toEqual(["species"]);
  });
});
