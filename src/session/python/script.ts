import type { Block } from "../../core/block.ts";
import type { Column, Frame } from "../../core/frame.ts";
import type { Json, StateRecord } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";

/** A block on its way into Python: what it was asked, and the table before and behind it. */
export interface PythonStep {
  readonly block: Block;
  readonly record: StateRecord;
  /** Its arguments, defaults and drawn seeds included. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What it found out where its arguments left that open, as its explanation tells. */
  readonly found: Json;
  readonly before: Frame;
  readonly after: Frame;
  /** The first cells of the table that it made, or of the table before, by column. */
  cells(which: "before" | "after", names: readonly string[]): Promise<readonly (readonly Cell[])[]>;
  /** All cells of a column of the table before, run by run. */
  everyCell(name: string): AsyncIterable<readonly Cell[]>;
  /** The targets of the rows that are learnt from, run by run. */
  everyTarget(): AsyncIterable<readonly Cell[]>;
  /** Which of these columns have no cell in the rows that are learnt from. */
  withoutCells(names: readonly string[]): Promise<readonly string[]>;
  /** The least and the greatest cell of a column of the table that it made. */
  ends(name: string): Promise<readonly Cell[]>;
  /** What makes the table of another block, as an expression of Python, and its columns. */
  tableOf(block: number): Promise<{ readonly text: string; readonly columns: readonly Column[] }>;
  readonly script: Script;
}

/**
 * Writes one block as lines of Python.
 *
 * The lines work on `df`, the table; on `x` and `y`, lists of its columns; and, once there is a split, on `train` and
 * `test`, the labels of their rows in the subsets' own order. The table's index keeps the numbers that the rows had when
 * the table was read, so rows that are dropped disturb no subset.
 */
export type PythonWriter = (step: PythonStep) => readonly string[] | Promise<readonly string[]>;

/** Thrown by a writer: there is nothing in pandas and scikit-learn that does the same, for this reason. */
export class NoEquivalent extends Error {}

/** A script as it grows: what it imports, what it defines for itself, and its steps. */
export class Script {
  readonly #modules = new Set<string>();
  readonly #names = new Map<string, Set<string>>();
  readonly #helpers = new Map<string, string>();
  /** Why steps are missing or differ, one sentence each; told at the top. */
  readonly remarks: string[] = [];
  readonly steps: string[] = [];
  /** Columns of integers that a float can't hold, which pandas keeps as Int64. */
  readonly large = new Set<string>();
  /** Names of the models that it trains. */
  readonly trained = new Set<string>();
  /** How networks and maps were built last, by their kind, and under which names they were trained last. */
  readonly built = new Map<string, Readonly<Record<string, unknown>>>();
  readonly lastTrained = new Map<string, string>();
  /** What restricted Boltzmann machines learnt from, by their names. */
  readonly features = new Map<string, readonly string[]>();
  /** Files are on this machine, and not on that of a service elsewhere. */
  readonly isLocal: boolean;

  constructor(isLocal: boolean) {
    this.isLocal = isLocal;
  }

  /** Imports a module, as in `import numpy as np`. */
  use(statement: string): void {
    this.#modules.add(statement);
  }

  /** Imports a name of a module, and answers it. */
  from(module: string, name: string): string {
    const names = this.#names.get(module) ?? new Set();
    this.#names.set(module, names.add(name));
    return name;
  }

  /** Defines a function at the top, once, and answers its name. */
  define(name: string, source: string): string {
    this.#helpers.set(name, source);
    return name;
  }

  toString(): string {
    const froms = [...this.#names].sort(([a], [b]) => (a < b ? -1 : 1));
    const imports = [
      ...[...this.#modules].sort(),
      ...froms.map(([module, names]) => `from ${module} import ${[...names].sort().join(", ")}`),
    ];
    const helpers = [...this.#helpers.values()].map((source) => `\n\n${source.trim()}\n`);
    const remarks = this.remarks.map((remark) => `# ${remark}`);
    return `${[...remarks, ...imports].join("\n")}\n${helpers.join("")}\n${helpers.length > 0 ? "\n" : ""}${this.steps.join("\n")}`;
  }
}

/** Letters that a reader can't see, or that turn the line around; written as escapes. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A value as a literal of Python; texts are escaped, so that none can end its quotes or its line. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") {
    return `{${(value instanceof Map ? [...value] : Object.entries(value))
      .map(([key, inner]) => `${literal(key)}: ${literal(inner)}`)
      .join(", ")}}`;
  }
  // JSON's escapes are Python's as well.
  return JSON.stringify(value).replace(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The longest line of a script, where a list can be broken. */
const longest = 100;

/** An assignment or call of a list, broken into lines where it is long: `head[...]tail`. */
export function listLines(head: string, items: readonly string[], tail = "", [open, close] = "[]"): string[] {
  const whole = `${head}${open}${items.join(", ")}${close}${tail}`;
  if (whole.length <= longest) return [whole];
  const lines = [""];
  for (const item of items) {
    const last = lines[lines.length - 1];
    if (last !== "" && last.length + item.length > longest - 8) lines.push(`${item},`);
    else lines[lines.length - 1] = last === "" ? `${item},` : `${last} ${item},`;
  }
  return [`${head}${open}`, ...lines.map((line) => `    ${line}`), `${close}${tail}`];
}

/** A call with these arguments, broken into lines where it is long. */
export function callLines(head: string, given: readonly string[]): string[] {
  return listLines(head, given, "", "()");
}

/** Keyword arguments: those that are given, under their own names. */
export function keywords(args: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  return names.flatMap((name) => (args[name] === undefined ? [] : [`${name}=${literal(args[name])}`])).join(", ");
}

/** The rows that a fit may look at. */
export function seen(frame: Frame, columns?: string): string {
  if (!frame.split) return columns === undefined ? "df" : `df[${columns}]`;
  return columns === undefined ? "df.loc[train]" : `df.loc[train, ${columns}]`;
}

/** A column's cells as the texts that they are here: whole numbers without a fraction, truths in small letters. */
export function asTexts({ name, type, integer }: Column): string {
  const cell = `df[${literal(name)}]`;
  if (type === "string" || type === "category") return cell;
  if (type === "boolean") return `${cell}.map({True: "true", False: "false"})`;
  return `${integer ? `${cell}.astype("Int64")` : cell}.astype(str).where(${cell}.notna())`;
}

/** The target of the rows that are learnt from, as scikit-learn takes it. */
export function target(step: Pick<PythonStep, "before" | "script">): string {
  return withoutGaps(seen(step.before, "y[0]"), step.before.y?.[0], step);
}

/**
 * Cells of a column that has no gaps, as scikit-learn takes them: with gaps a column of truths is none of its types, and
 * of an Int64 it makes floats, in which large integers become the same.
 */
export function withoutGaps(
  cells: string,
  name: string | undefined,
  { before, script }: Pick<PythonStep, "before" | "script">,
): string {
  const found = before.columns.find((each) => each.name === name);
  if (found?.type === "boolean") return `${cells}.astype(bool)`;
  return found?.integer && script.large.has(found.name) ? `${cells}.astype("int64")` : cells;
}

/** Lines that end a split's claim to rows that are gone. */
export function keepSplit({ before }: PythonStep): string[] {
  return before.split ? ["train, test = train[np.isin(train, df.index)], test[np.isin(test, df.index)]"] : [];
}

/** A function that puts columns in the place of one. */
export function definePut(script: Script): string {
  return script.define(
    "put",
    `def put(table, name, made):
    """The table with the columns of \`made\` in the place of the one called \`name\`."""
    at = table.columns.get_loc(name)
    return pd.concat([table.iloc[:, :at], made, table.iloc[:, at + 1 :]], axis=1)`,
  );
}
