import type { KnownColumn, Language, Tables } from "../evaluator/types-protocol.ts";
import { Chain, Result, type Session } from "../index.ts";
import { declared } from "../registry/index.ts";
import { columnTypes, expressionDeclarations, expressionNames } from "../session/index.ts";
import { atOnce } from "./at-once.ts";

/** Helpers that ask a model that stands. */
const asking = ["shap", "errors", "partialDependence", "calibration", "threshold", "lift", "learningCurve"];

/** What helpers do with a table's columns; others make columns that only their run can tell. */
const does: Readonly<Record<string, Language["helpers"][string]>> = Object.fromEntries([
  ...[
    "filter",
    "sort",
    "slice",
    "sample",
    "collect",
    "split",
    "xy",
    "scale",
    "dropDuplicates",
    "reorder",
    ...asking,
  ].map((name) => [name, "keeps"]),
  ...["gridSearch", "tune", "autoRegressor", "autoClassifier"].map((name) => [name, "keeps"]),
  ["derive", "adds"],
  ["join", "extends"],
]);

/** The language of functions such as `d => d.age > 30`, for the checker of cells. */
export function expressionLanguage(): Language {
  const kept = ["predict", "metrics", "train", "evaluate"].map((name) => [name, "keeps"] as const);
  return {
    declarations: expressionDeclarations(),
    names: expressionNames,
    types: columnTypes,
    helpers: Object.fromEntries([...declared.map(({ name }) => [name, does[name] ?? "makes"] as const), ...kept]),
  };
}

/** Tells the columns that a cell's chains begin with: those of the session, and of variables that hold a chain or result. */
export function tablesOf(session: Session): (code: string, cellId: string | undefined) => Promise<Tables> {
  const seen = new Map<number, readonly KnownColumn[]>();
  const columnsOf = async (result: Result): Promise<readonly KnownColumn[]> => {
    const { id } = result.record;
    const known = seen.get(id) ?? (await result.dataset.shape()).columns.map(({ name, type }) => ({ name, type }));
    seen.delete(id);
    seen.set(id, known);
    if (seen.size > 100) seen.delete(seen.keys().next().value!);
    return known;
  };
  return async (code, cellId) => {
    // Only a function, or one that is being typed, has a row.
    if (!/=>|\bfunction\b/.test(code)) return {};
    const names = new Set(
      [...code.replace(/\s+/g, " ").matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*) ?!? ?\)* ?\. ?[A-Za-z]/g)].map(
        ([, name]) => name,
      ),
    );
    const found = [...names].map(async (name): Promise<[string, readonly KnownColumn[]] | null> => {
      const result = name === "session" ? session.before(cellId) : resultOf(name);
      const columns = await atOnce(result.then((each) => each && columnsOf(each)));
      return columns && [name, columns];
    });
    return Object.fromEntries((await Promise.all(found)).filter((each) => each !== null));
  };
}

/** The result that a cell's variable holds, or its chain will come to; null for any other value. */
async function resultOf(name: string): Promise<Result | null> {
  const value: unknown = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
  if (value instanceof Result) return value;
  return value instanceof Chain ? await value : null;
}
