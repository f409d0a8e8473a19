import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Duck, readCells } from "../../src/engines/duckdb/index.ts";
import { call, column, type Expr, value } from "../../src/plan/expr.ts";
import type { FunctionName } from "../../src/plan/functions.ts";
import { addStep, type Relation } from "../../src/plan/node.ts";
import { presentColumns } from "../../src/plan/present.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-present-"));
const duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });
const file: Relation = { artifact: "table", steps: [] };
const full = ["x", "n", "b"];

beforeAll(async () => {
  const numbers = "[0.0, -0.0, 'inf', '-inf', 1e308, -1e308, 5e-324, -1.5]::DOUBLE[]";
  const whole = "[0, -1, 1, 9223372036854775807, -9223372036854775808, 2, 3, 4]::BIGINT[]";
  const cells = `unnest(${numbers}) AS x, unnest(${whole}) AS n, unnest([TRUE, FALSE, TRUE, TRUE, FALSE, TRUE, FALSE, NULL]) AS gaps`;
  const pairs = `SELECT a.x, b.n, a.x > 0 AS b, a.gaps FROM (SELECT ${cells}) AS a, (SELECT ${cells}) AS b`;
  await duck.run(`COPY (${pairs}) TO '${join(folder, "table")}' (FORMAT parquet)`);
});

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

const x = column("x", "number");
const n = column("n", "integer");
const b = column("b", "boolean");
const gaps = column("gaps", "boolean");
const made = (expr: Expr): Relation =>
  addStep(file, { block: 1, name: "derive", outputs: [{ column: { name: "made", type: "number" }, expr }] });
const isSaid = (relation: Relation) => presentColumns(relation, ["made"], (name) => full.includes(name)).has("made");

describe("columns that lack no cell", () => {
  const constants = [0, 2.5, -1, 1e308, Infinity].map((each) => value(each, "number"));
  const pairs = [x, n, ...constants].flatMap((left) => [x, n, ...constants].map((right) => [left, right] as const));
  const two = ["add", "subtract", "multiply", "divide", "modulo", "power", "equal", "less", "greaterEqual"] as const;
  const one = ["negate", "abs", "sign", "ceil", "floor", "trunc", "round", "sqrt", "exp", "ln", "isFinite"] as const;
  const all: Expr[] = [
    ...two.flatMap((name: FunctionName) => pairs.map(([left, right]) => call(name, left, right))),
    ...one.flatMap((name: FunctionName) => [call(name, x), call(name, n), call(name, call("add", x, value(1.5)))]),
    call("and", b, call("not", b)),
    call("or", gaps, b),
    call("choose", gaps, x, value(0, "number")),
    call("choose", b, x, value(null)),
    call("coalesce", call("divide", x, x), value(0, "number")),
    call("isMissing", gaps),
    ...[x, n, b, gaps].map((each) => call("number", each)),
  ];

  it("lack none, whatever is in the table", async () => {
    const said = all.filter((expr) => isSaid(made(expr)));
    expect(said.length).toBeGreaterThan(60);
    const outputs = said.map((expr, k) => ({ column: { name: `c${k}`, type: "number" as const }, expr }));
    const cells = await readCells(duck, addStep(file, { block: 1, name: "derive", outputs }), {});
    const wrong = said.filter((_, k) => cells[k]!.includes(null));
    expect(wrong).toEqual([]);
  });

  it("are told of what preparing blocks make, through several nodes", () => {
    const scaled = call("divide", call("subtract", column("made", "number"), value(3.2)), value(1.7));
    const filled = made(call("coalesce", column("gaps", "number"), value(1, "number")));
    const outputs = [{ column: { name: "made", type: "number" as const }, expr: scaled }];
    expect(isSaid(addStep(filled, { block: 2, name: "scale", outputs }))).toBe(true);
    expect(isSaid(addStep(made(gaps), { block: 2, name: "scale", outputs }))).toBe(false);
  });

  it("are not told of what may run over or have no answer", () => {
    for (const expr of [call("add", n, n), call("divide", x, x), call("add", x, x), call("sqrt", x), call("negate", n)])
      expect(isSaid(made(expr))).toBe(false);
  });
});
