import { afterAll, expect, it } from "vitest";
import { embeddedLink } from "../../../src/client/embedded.ts";
import type { Frame, Split } from "../../../src/core/frame.ts";
import { type Duck, explainReading } from "../../../src/engines/duckdb/index.ts";
import { KeptNumbers } from "../../../src/engines/duckdb/read/kept.ts";
import { call, column, value } from "../../../src/plan/expr.ts";
import type { Output } from "../../../src/plan/node.ts";
import { Session } from "../../../src/session/index.ts";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const session = new Session(() => embeddedLink({ home: `${lab.home}/own`, threads: 0 }));
afterAll(() => session.close());

it("tells how the numbers of a state are read, as that changes", async () => {
  const reading = async (): Promise<string> => (await session.explain()).reading;
  await session.input("sample:penguins");
  expect(await reading()).toBe(
    "4 columns read from the file; for means, 2 columns added up by SQL; missing cells of 7 columns told by the file",
  );
  await session.describe();
  expect(await reading()).toBe("4 columns kept in memory; missing cells of 7 columns told by the file");
  await session.at(1).missing({ strategy: "drop" });
  expect(await reading()).toBe(
    "4 columns worked out by the plan, rows left out by a side table; for means, 2 columns added up by SQL",
  );
  await session.xy({ y: "species" });
  await session.split({ random_state: 1 });
  await session.encode({ columns: ["island", "sex"] });
  expect(await reading()).toBe(
    "9 columns worked out by the plan, training and test rows in one go, each put into its place, rows left out by a side table; for means, 7 columns added up by SQL and training rows told by a mask",
  );
  await session.logistic();
  expect(await reading()).toBe(
    "9 columns kept in memory, for training and test rows; for means, 7 columns added up by SQL and training rows told by a mask",
  );
  expect(String(await session.explain())).toMatch(/\nIts numbers now: 9 columns .*\.$/);
});

it("tells of columns that are worked out by another one's values, of large tables alone", () => {
  const text = column("city", "string");
  const outputs: Output[] = [0, 1, 2].map((k) => ({
    column: { name: `city_${k}`, type: "number", integer: true },
    expr: call("choose", call("equal", text, value(String(k))), value(1), value(0)),
  }));
  const own: Output = { column: { name: "a", type: "number" } };
  const steps = [{ block: 2, name: "encode", outputs: [...outputs, own] }];
  const columns = steps[0].outputs.map((output) => output.column);
  const duck = { kept: new KeptNumbers(1000) } as unknown as Duck;
  const told = (rows: number, split: Pick<Split, "artifact" | "train" | "test"> | null = null) =>
    explainReading(duck, { relation: { artifact: "file", steps }, columns, split, rows } as unknown as Frame);
  expect(told(400_000)).toBe(
    "3 columns worked out once for each value of city, if these are few texts, 1 read from the file; missing cells of 1 column told by the file",
  );
  const few = "for means, 3 columns added up by SQL; missing cells of 1 column told by the file";
  expect(told(1000)).toBe(`1 column read from the file, 3 worked out by the plan; ${few}`);
  const split = { artifact: "split", train: 3, test: 1 };
  expect(told(1000, split)).toBe(
    "1 column read from the file, 3 worked out by the plan, training and test rows in one go, each put into its place; for means, 3 columns added up by SQL and training rows told by a mask; missing cells of 1 column told by the file",
  );
  // 4 columns of so many rows have no room in a memory of 1,000 bytes.
  expect(told(1000, { ...split, train: 40 })).toMatch(/3 worked out by the plan, rows put into their subset's places;/);
  duck.kept.add({ key: "file", names: ["a"], n: 2, data: Float64Array.of(1, 2) });
  expect(told(1000)).toBe(`1 column kept in memory, 3 worked out by the plan; ${few}`);
});

it("adds up no column that is in memory by SQL, and tells of tables without numbers", () => {
  const duck = { kept: new KeptNumbers(1000) } as unknown as Duck;
  const columns = [{ name: "i", type: "number", integer: true }] as const;
  const told = (some: Frame["columns"]) =>
    explainReading(duck, { relation: { artifact: "file", steps: [] }, columns: some, split: null, rows: 2 });
  expect(told(columns)).toMatch(/^1 column read from the file; for means, 1 column added up by SQL;/);
  duck.kept.add({ key: "file", names: ["i"], n: 2, data: Float64Array.of(1, 2) });
  expect(told(columns)).toBe("1 column kept in memory; missing cells of 1 column told by the file");
  expect(told([{ name: "t", type: "string" }])).toBe(
    "no column of numbers; missing cells of 1 column told by the file",
  );
});
