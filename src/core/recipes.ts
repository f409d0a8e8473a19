import type { Expr, OpaquePart } from "../plan/expr.ts";
import { passedOn, sourcesOf } from "../plan/lineage.ts";
import type { Output, Step } from "../plan/node.ts";
import type { Frame } from "./frame.ts";

/** How columns are made here, compared with how they were made there. */
export interface Difference {
  /** Columns that other steps made. */
  readonly otherwise: readonly string[];
  /** Columns that the same steps made with other fitted numbers or words. */
  readonly refitted: readonly string[];
}

/**
 * How the columns of two frames came of what was read, compared by the frames' steps.
 *
 * A cast counts as no step: new rows are cast to what was learnt from.
 */
export function comparePreparation(here: Frame, there: Frame, names: readonly string[]): Difference {
  if (JSON.stringify(here.lineage) === JSON.stringify(there.lineage)) return { otherwise: [], refitted: [] };
  const codes = new Codes();
  const [mine, theirs] = [here, there].map(({ lineage }) => recipesOf(lineage, names, codes));
  const differing = names.filter((name) => mine.get(name)?.exact !== theirs.get(name)?.exact);
  const isRefitted = (name: string) => mine.get(name)?.shape === theirs.get(name)?.shape;
  return {
    otherwise: differing.filter((name) => !isRefitted(name)),
    refitted: differing.filter(isRefitted),
  };
}

/** How a column is made, as numbers that are equal where the ways are: with its fitted constants, and without. */
interface Recipe {
  readonly exact: number;
  readonly shape: number;
}

/** A number for each text. */
class Codes {
  readonly #known = new Map<string, number>();

  of(text: string): number {
    const code = this.#known.get(text) ?? this.#known.size;
    this.#known.set(text, code);
    return code;
  }
}

function recipesOf(steps: readonly Step[], names: readonly string[], codes: Codes): ReadonlyMap<string, Recipe> {
  const wanted = wantedBefore(steps, names);
  let made = new Map<string, Recipe>();
  const recipe = (name: string): Recipe => {
    const code = codes.of(`read ${JSON.stringify(name)}`);
    return made.get(name) ?? { exact: code, shape: code };
  };
  steps.forEach(({ outputs }, k) => {
    const used = outputs.filter(({ column }) => wanted[k].has(column.name));
    made = new Map(used.map((output) => [output.column.name, recipeOf(output, recipe, codes)]));
  });
  return new Map(names.map((name) => [name, recipe(name)]));
}

/** For each step the columns behind it that lead to the named ones. */
function wantedBefore(steps: readonly Step[], names: readonly string[]): ReadonlySet<string>[] {
  const wanted: ReadonlySet<string>[] = [];
  let need: ReadonlySet<string> = new Set(names);
  for (const { outputs } of steps.toReversed()) {
    wanted.unshift(need);
    const now = need;
    need = new Set(outputs.filter(({ column }) => now.has(column.name)).flatMap(sourcesOf));
  }
  return wanted;
}

function recipeOf(output: Output, of: (name: string) => Recipe, codes: Codes): Recipe {
  const source = passedOn(output) ?? castOnly(output);
  if (source !== null) return of(source);
  const { expr, entry } = output;
  if (entry) {
    const lists = [of(entry.terms), of(entry.weights)];
    return {
      exact: codes.of(`entry ${entry.at} of ${lists.map(({ exact }) => exact).join()}`),
      shape: codes.of(`entry of ${lists.map(({ shape }) => shape).join()}`),
    };
  }
  if (!expr) return of(output.column.name);
  const text = (way: keyof Recipe) => JSON.stringify(tree(expr, of, way));
  const filled = filledColumn(output);
  return { exact: codes.of(text("exact")), shape: filled === null ? codes.of(text("shape")) : of(filled).shape };
}

/** The column whose missing cells an output fills, which changes no other cell; null where it does something else. */
function filledColumn({ expr }: Output): string | null {
  if (!expr || !("call" in expr) || expr.call !== "coalesce") return null;
  const [first, constant] = expr.args;
  return "column" in first && "value" in constant ? first.column : null;
}

/** An expression with its columns as their recipes; without its constants for the shape. */
function tree(expr: Expr, of: (name: string) => Recipe, way: keyof Recipe): unknown {
  if ("column" in expr) return of(expr.column)[way];
  if ("value" in expr) return way === "exact" ? expr : typeof expr.value;
  if ("list" in expr) return way === "exact" ? expr : "list";
  if ("artifact" in expr) return way === "exact" ? expr : "file";
  if ("parts" in expr) return expr.parts.map((part) => sqlPart(part, of, way));
  return [expr.call, expr.args.map((each) => tree(each, of, way)), expr.over];
}

/** Numbers and words in SQL of our own, and the commas between those of a list. */
const constants = /(?:'(?:[^']|'')*'|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)(?:, )?/gi;

/** A part of an SQL expression; without its constants for the shape, and those of a list as one. */
function sqlPart(part: OpaquePart, of: (name: string) => Recipe, way: keyof Recipe): unknown {
  if ("column" in part) return of(part.column)[way];
  if ("expr" in part) return tree(part.expr, of, way);
  if (way === "exact") return part;
  if ("text" in part) return part.text.replace(constants, "#").replace(/#+/g, "#");
  return typeof ("value" in part ? part.value : part.artifact);
}

/** The column that an output is a mere cast of; null where it is more. */
function castOnly({ expr }: Output): string | null {
  if (!expr) return null;
  if (!("parts" in expr)) {
    if (!("call" in expr) || !["number", "integer", "text", "boolean"].includes(expr.call)) return null;
    const [inner] = expr.args;
    return inner && "column" in inner ? inner.column : null;
  }
  const [open, inner, close] = expr.parts;
  if (expr.parts.length !== 3 || !("text" in open) || !("column" in inner) || !("text" in close)) return null;
  return /^(TRY_)?CAST\($/.test(open.text) && /^ AS [A-Z]+\)$/.test(close.text) ? inner.column : null;
}
