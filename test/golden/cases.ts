import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

type Value = number | string | boolean | null;

/** A table's header and rows. */
export type Lines = readonly (readonly Value[])[];

/** What must come out behind a block. */
export interface Expectation {
  readonly after: number;
  readonly tol: number;
  readonly variable?: string;
  readonly rows?: number;
  readonly columns?: readonly string[];
  readonly head?: readonly (readonly Value[])[];
  readonly sums?: readonly (number | null)[];
  readonly output?: unknown;
  readonly metric?: string;
  readonly at_least?: number;
}

/** A chain of requests, and what must come out. */
export interface GoldenCase {
  readonly name: string;
  readonly requests: readonly { readonly function_code: string; readonly args: unknown; readonly parent?: number }[];
  readonly expect: readonly Expectation[];
}

/** Where the cases and their data lie. */
export const folder = fileURLToPath(new URL("./", import.meta.url));

/** Cases of blocks that the interface doesn't have lie in a folder of their own, as their data does. */
export const cases = ["", "own/"].flatMap((part) => {
  const file = JSON.parse(readFileSync(join(folder, part, "cases.json"), "utf8")) as { cases: GoldenCase[] };
  return file.cases.map((each): GoldenCase => ({ ...each, requests: each.requests.map((request) => below(part, request)) }));
});

function below(part: string, request: GoldenCase["requests"][number]): GoldenCase["requests"][number] {
  const args = request.args as { readonly dburl?: string };
  return args.dburl ? { ...request, args: { ...args, dburl: part + args.dburl } } : request;
}

/** Is it what must come out? A number agrees within the tolerance, text to the letter. */
export function agrees(got: unknown, expected: unknown, tol: number): boolean {
  if (typeof expected === "number") {
    return got !== null && got !== "" && Math.abs(Number(got) - expected) <= tol * Math.max(1, Math.abs(expected));
  }
  if (expected === null) return got === null;
  if (Array.isArray(expected)) return Array.isArray(got) && expected.every((each, k) => agrees(got[k], each, tol));
  if (typeof expected === "object") {
    return Object.entries(expected).every(([key, each]) => agrees((got as Record<string, unknown> | null)?.[key], each, tol));
  }
  return String(got) === String(expected);
}

/** Holds a table to what must come out. */
export function checkTable([header, ...rows]: Lines, wanted: Expectation): void {
  expect(rows.length).toBe(wanted.rows);
  if (wanted.columns) expect(header).toEqual(wanted.columns);
  for (const [i, row] of (wanted.head ?? []).entries()) {
    const differing = row.findIndex((value, j) => !agrees(rows[i][j], value, wanted.tol));
    expect(differing, `row ${i}: ${JSON.stringify(rows[i])} is not ${JSON.stringify(row)}`).toBe(-1);
  }
  if (!wanted.sums) return;
  const numberOf = (cell: Value) => (String(cell) === "true" ? 1 : String(cell) === "false" ? 0 : Number(cell ?? 0));
  const numeric = header.map((_, j) => j).filter((j) => rows.every((row) => Number.isFinite(numberOf(row[j]))));
  const sums = numeric.map((j) => rows.reduce((sum, row) => sum + numberOf(row[j]), 0));
  expect(agrees(sums, wanted.sums, Math.max(wanted.tol, 1e-9)), `${JSON.stringify(sums)} is not ${JSON.stringify(wanted.sums)}`).toBe(true);
}
