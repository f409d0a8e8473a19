import { expect, it } from "vitest";
import { writeExpression } from "../../../src/engines/duckdb/expressions.ts";
import { once } from "../../../src/engines/duckdb/once.ts";
import { show, sql } from "../../../src/engines/sql.ts";
import { typeOf } from "../../../src/plan/check.ts";
import { call, column, value } from "../../../src/plan/expr.ts";

const x = column("x", "number");
const guess = call("floor", call("divide", x, value(3, "number")));
const place = call("choose", call("less", x, guess), call("subtract", guess, value(1, "number")), guess);
const rows = sql`SELECT x FROM t`;
const text = (each: ReturnType<typeof once>["rows"]) => show(each, { path: (id) => id, write: writeExpression });

it("makes a column of what is worked out more than once for a row", () => {
  const asked = once({ rows, by: [place], outputs: [place, call("min", guess), call("max", guess)] });
  expect(text(asked.rows).match(/floor/g)).toHaveLength(1);
  expect(JSON.stringify(asked.by)).not.toContain("floor");
  // What groups are alike in is written as it is there, or the engine would not know it again.
  expect(asked.outputs[0]).toEqual(asked.by[0]);
  expect(asked.outputs.map(typeOf)).toEqual([place, call("min", guess), call("max", guess)].map(typeOf));
});

it("works out parts of parts once as well, and takes no name of the table's", () => {
  const twice = call("add", place, place);
  const asked = once({
    rows,
    by: [],
    outputs: [call("sum", twice), call("mean", call("add", twice, column("once_0_0")))],
  });
  expect(text(asked.rows).match(/floor/g)).toHaveLength(1);
  const names = [...text(asked.rows).matchAll(/AS "?(once_\w+)/g)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).not.toContain("once_0_0");
});

it("leaves a branch that few rows may come to, and an expression over groups", () => {
  const rare = (to: number) => call("max", call("choose", call("greater", x, value(to)), guess, value(null)));
  const outputs = [rare(1), rare(2), call("written", column("k")), call("written", column("k"))];
  expect(once({ rows, by: [column("k")], outputs })).toEqual({ rows, by: [column("k")], outputs });
});
