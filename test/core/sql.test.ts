import { describe, expect, it } from "vitest";
import { col, compile, file, join, show, sql } from "../../src/core/sql.ts";

const path = (artifact: string) => `${artifact}.parquet`;

describe("SQL as data", () => {
  it("binds texts, and writes numbers as literals", () => {
    const piece = sql`SELECT ${col("a")} = ${"x"}, ${-1.5}, ${null} FROM ${file("t")} WHERE ${col("b")} = ${"y"}`;
    expect(compile(piece, path)).toEqual({
      text: `SELECT "a" = $1, (-1.5e0), NULL FROM 't.parquet' WHERE "b" = $2`,
      values: ["x", "y"],
    });
  });

  it("shows texts as literals, and leaves alone columns that look like places", () => {
    const piece = sql`SELECT ${join([col("$1"), col('cost "$2"')])} WHERE ${col("$1")} = ${"it's $2"}`;
    expect(show(piece, path)).toBe(`SELECT "$1", "cost ""$2""" WHERE "$1" = 'it''s $2'`);
  });
});
