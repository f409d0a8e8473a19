import { expect, expectTypeOf, it } from "vitest";
import { declared } from "../../src/registry/index.ts";
import type { Chain, Session } from "../../src/session/index.ts";
import { sessionTypes } from "../support/session-types.ts";

/** Never called: what compiles here is what a cell may say. */
function cell(session: Session): Chain[] {
  return [
    session.input("file.csv"),
    session.input({ dburl: "file.csv", file_type: "csv" }),
    session.missing({ strategy: "mean", columns: ["age"] }),
    session.missing("mode"),
    session.encode({ columns: ["sex"], type: "onehot" }),
    session.encode(),
    session.xy({ y: "species" }).split({ test_size: 0.2 }),
    session.xy({ x_boundaries: ":, :-1", y_boundaries: -1 }),
    session.drop(["id", "name"]),
    session.dropDuplicates(["id", "name"], { keep: "last" }),
    session.dropDuplicates("id", "name", { keep: "last" }),
    session.drop("id", "name"),
    session.scale("standard"),
    session.counts("city"),
    session.scatter("age", "fare", { color: "sex" }),
    session.compareScatter("a", "b", "c", "d", { grid: true }),
    session.compareScatter("a", "b"),
    session.reshape([1, 2, 3, 4], [2, 2]),
    // @ts-expect-error an object where a column belongs
    session.compareScatter("a", "b", {}, "d"),
    session.forestClassifier({ n_estimators: 10 }).predict().metrics(),
    session.knn({ grid: { n_neighbors: [1, 5], weights: ["uniform"] }, scoring: "f1", cv: 3 }),
    // @ts-expect-error a value in a grid that the argument can't take
    session.knn({ grid: { n_neighbors: ["many"] } }),
    // @ts-expect-error an argument in a grid that isn't one
    session.knn({ grid: { n_neighbours: [1] } }),
    // @ts-expect-error a strategy that isn't one
    session.missing({ strategy: "meen" }),
    // @ts-expect-error an argument that isn't one
    session.missing({ stratgy: "mean" }),
    // @ts-expect-error a helper that isn't one
    session.misssing(),
    // @ts-expect-error a number where a name belongs
    session.scale(3),
    // @ts-expect-error the same on a chain
    session.input("file.csv").forestClassifier({ n_estimators: "many" }),
  ];
}

it("has helpers that answer chains", () => {
  expectTypeOf(cell).returns.toEqualTypeOf<Chain[]>();
  expectTypeOf<Session["missing"]>().toBeCallableWith({ strategy: "mean" });
});

it("takes every example", { timeout: 120_000 }, () => {
  const examples = sessionTypes();
  expect(examples.fault('await session.missing("meen")')).toMatchObject({ message: expect.stringContaining("meen") });
  expect(examples.fault(declared.map(({ example }) => `await ${example};`).join("\n"))).toBeNull();
});
