import { expect, it, vi } from "vitest";
import { columnsOf } from "../../../src/blocks/explain/origins.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import type { Relation } from "../../../src/plan/node.ts";

it("looks into a file once for all of its columns", async () => {
  const columns = Array.from({ length: 100 }, (_, k) => ({ name: `c${k}`, type: "number" as const }));
  const describe = vi.fn(async () => ({ columns, rows: 1 }));
  // A cast because one operation of the tables is all that is asked for.
  const context = { tables: { describe } } as unknown as BlockContext;
  const relation: Relation = { artifact: "a", steps: [] };
  const columnAt = columnsOf(relation, context);
  expect(await Promise.all(columns.map(({ name }) => columnAt(-1, name)))).toEqual(columns);
  expect(describe).toHaveBeenCalledTimes(1);
});
