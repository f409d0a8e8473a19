import { describe, expect, it } from "vitest";
import { col, columnsOf, compile, file, join, made, raw, show, sql } from "../../src/engines/sql.ts";
import { call, column, type Expr } from "../../src/plan/expr.ts";

const dialect = {
  path: (artifact: string) => `${artifact}.parquet`,
  write: (expr: Expr) => raw(`«${JSON.stringify(expr)}»`),
};

describe("SQL as data", () => {
  it("binds texts, and writes numbers as literals", () => {
    const piece = sql`SELECT ${col("a")} = ${"x"}, ${-1.5}, ${null} FROM ${file("t")} WHERE ${col("b")} = ${"y"}`;
    expect(compile(piece, dialect)).toEqual({
      text: `SELECT "a" = $1, (-1.5e0), NULL FROM 't.parquet' WHERE "b" = $2`,
      values: ["x", "y"],
    });
  });

  it("binds a text once, so that groups of it are known again", () => {
    expect(compile(sql`${"x"} ${"y"} ${"x"}`, dialect)).toEqual({ text: "$1 $2 $1", values: ["x", "y"] });
  });

  it("shows texts as literals, and leaves alone columns that look like places", () => {
    const piece = sql`SELECT ${join([col("$1"), col('cost "$2"')])} WHERE ${col("$1")} = ${"it's $2"}`;
    expect(show(piece, dialect)).toBe(`SELECT "$1", "cost ""$2""" WHERE "$1" = 'it''s $2'`);
  });

  it("leaves expressions to the engine, and knows what they read", () => {
    const piece = sql`SELECT ${made(call("add", column("a", "integer"), column("b", "integer")))}`;
    expect(show(piece, dialect)).toMatch(/^SELECT «.*"add".*»$/);
    expect(columnsOf(piece)).toEqual(["a", "b"]);
    const along = { ...call("lag", column("a", "integer")), over: { by: ["g"], order: [] } };
    expect(columnsOf(made(along))).toEqual(["g", "a", "__row"]);
  });
});
