import type { Link } from "../../src/client/link.ts";
import type { Cell } from "../../src/core/view.ts";
import type { Result } from "../../src/session/index.ts";
import type { PythonTable, ScriptRunner } from "./python-scripts.ts";

/** Relative to 1 or the number, whichever is larger. */
const closeness = 1e-6;

/** What a chain's script in Python and the chain itself disagree in, a sentence each; none where they agree. */
export async function disagreements(result: Result, link: Link, python: ScriptRunner): Promise<string[]> {
  const script = await result.code({ as: "python" });
  const { error, artifacts, scores } = await python.run(script);
  if (error) return [`${error}\n${numbered(script)}`];
  // Columns under other names can't be compared.
  if (/columns may differ/.test(script)) return [];
  const differs = /# .*\b(?:numbers(?: may)?|digit may) differ\b/.test(script);
  // A neighbour more or less among equally far ones turns a few rows.
  const hasTies = script.includes("may count as the nearest");
  const within = differs ? 0.5 : hasTies ? 0.1 : script.includes("sixth digit") ? 1e-5 : closeness;
  const found: string[] = [];
  const { record } = result;
  for (const name of ["dataset", "x_value", "y_value", "x_train", "y_train", "x_test", "y_test"] as const) {
    const url = record[`${name}_url`];
    if (!url) continue;
    const theirs = artifacts[name];
    if (!theirs) found.push(`${name} is missing`);
    else found.push(...tableDifferences(name, theirs, await link.table(url)));
  }
  const output = result.output as Record<string, unknown> | undefined;
  if (output && typeof output.y_pred_url === "string" && !differs)
    found.push(...predictionDifferences(artifacts.y_pred, await link.table(output.y_pred_url), hasTies ? 0.01 : 0));
  if (output && "on" in output) {
    const given = Object.entries(scores ?? {}).filter(([, value]) => value !== null || !script.includes("left out"));
    found.push(...scoreDifferences(Object.fromEntries(given), output, within));
  }
  return found.length === 0 ? [] : [...found, numbered(script)];
}

function numbered(script: string): string {
  return script
    .split("\n")
    .map((line, k) => `${String(k + 1).padStart(4)} ${line}`)
    .join("\n");
}

/** Predictions are the same but for a share of them. */
function predictionDifferences(theirs: PythonTable | undefined, ours: Ours, share: number): string[] {
  const turned = ours.rows.filter(([cell], i) => !isSame(theirs?.columns[0][i] ?? null, cell)).length;
  if (theirs?.rows === ours.rows.length && turned <= share * theirs.rows) return [];
  // What stands beside an answer, such as how firmly a row is in its cluster, is not in scripts.
  const columns = ours.columns.slice(0, theirs?.columns.length);
  return tableDifferences("y_pred", theirs, { ...ours, columns }, false);
}

type Ours = Awaited<ReturnType<Link["table"]>>;

function tableDifferences(what: string, theirs: PythonTable | undefined, ours: Ours, named = true): string[] {
  if (!theirs) return [`${what} is missing`];
  const names = ours.columns.map(({ name }) => name);
  if (named && JSON.stringify(names) !== JSON.stringify(theirs.names))
    return [`${what}: columns ${JSON.stringify(theirs.names)}, ours ${JSON.stringify(names)}`];
  if (theirs.rows !== ours.rows.length) return [`${what}: ${theirs.rows} rows, ours ${ours.rows.length}`];
  return names.flatMap((name, k) => {
    const { type } = ours.columns[k];
    const wrong = ours.rows.findIndex((row, i) => !isSame(theirs.columns[k][i], row[k], type));
    const isTurned = /^pc\d+$/.test(name) && ours.rows.every((row, i) => isSame(theirs.columns[k][i], -Number(row[k])));
    if (wrong < 0 || isTurned) return [];
    const count = ours.rows.filter((row, i) => !isSame(theirs.columns[k][i], row[k], type)).length;
    return [
      `${what}: ${JSON.stringify(name)} (${ours.columns[k].type}) row ${wrong}: ${JSON.stringify(theirs.columns[k][wrong])}, ours ${JSON.stringify(ours.rows[wrong][k])}; ${count} of ${ours.rows.length} differ`,
    ];
  });
}

/** Is it the same cell? What is true in a table may be 1 in another, and a time can be written in several ways. */
function isSame(theirs: Cell, ours: Cell, type = "number"): boolean {
  if (theirs === ours) return true;
  if (theirs === null || ours === null) return false;
  if (typeof ours === "boolean") return Number(theirs) === Number(ours) || String(theirs) === String(ours);
  // An integer that no float holds comes as text.
  if (typeof theirs === "number" && typeof ours === "string")
    return type === "number" && /^-?\d+$/.test(ours) && isClose(theirs, Number(ours), 1e-15);
  if (typeof ours === "number" && typeof theirs !== "string") return isClose(Number(theirs), ours);
  if (typeof ours === "number") return Number(String(theirs).replace("inf", "Infinity")) === ours;
  if (typeof theirs === "string" && /^\d{4}-\d\d-\d\d/.test(theirs)) return instant(theirs) === instant(String(ours));
  return false;
}

function instant(text: string): string {
  const [, day, time = "00:00:00", fraction = ""] = /^(\S+)(?:[ T](\d\d:\d\d:\d\d)(\.\d+)?)?$/.exec(text) ?? [];
  return day === undefined ? text : `${day} ${time}${fraction.replace(/\.?0+$/, "")}`;
}

function isClose(theirs: number, ours: number, within = closeness): boolean {
  return Math.abs(theirs - ours) <= within * Math.max(1, Math.abs(ours));
}

function scoreDifferences(theirs: unknown, ours: unknown, within: number, path = "scores"): string[] {
  // Rows that are equally likely up to rounding rank by chance.
  const margin = path.endsWith("roc_auc") ? Math.max(within, 0.01) : within;
  if (typeof ours === "number" && typeof theirs === "number")
    return isClose(theirs, ours, margin) ? [] : [`${path}: ${theirs}, ours ${ours}`];
  if (typeof theirs === "object" && theirs !== null && typeof ours === "object" && ours !== null)
    return Object.entries(theirs).flatMap(([key, value]) =>
      // Where numbers may differ, so may the counts in a matrix of confusion.
      within > closeness && key === "confusion"
        ? []
        : scoreDifferences(value, (ours as Record<string, unknown>)[key], within, `${path}.${key}`),
    );
  return String(theirs) === String(ours) ? [] : [`${path}: ${JSON.stringify(theirs)}, ours ${JSON.stringify(ours)}`];
}
