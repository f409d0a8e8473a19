import type ts from "typescript";
import type { Row, RowFunction } from "./rows.ts";

/** Holds the types of rows and their columns, out of the way of a cell's own names. */
const namespace = "blocklabRows";

interface Insertion {
  /** The place in the cell. */
  readonly at: number;
  readonly text: string;
  readonly isClosing: boolean;
}

/** A cell as it stands in the checker's file, behind `start`: its functions of a row are arguments that know the row. */
export class Placed {
  readonly start: number;
  /** The cell's code with what was put into it. */
  readonly code: string;
  readonly #functions: readonly RowFunction[];
  readonly #insertions: readonly Insertion[];

  constructor(code: string, start: number, functions: readonly RowFunction[]) {
    this.start = start;
    this.#functions = functions.map((each) => ({
      ...each,
      end: each.end + /^\s*/.exec(code.slice(each.end))![0].length,
    }));
    this.#insertions = this.#functions.flatMap((each, k) => [
      { at: each.start, text: `${namespace}.of${k}(`, isClosing: false },
      { at: each.end, text: ")", isClosing: true },
    ]);
    const parts = this.#insertions.map(({ at, text }, k) => code.slice(this.#insertions[k - 1]?.at ?? 0, at) + text);
    this.code = parts.join("") + code.slice(this.#insertions.at(-1)?.at ?? 0);
  }

  /** A place of the cell as one of the file. */
  toFile(place: number): number {
    const before = this.#insertions.filter(({ at, isClosing }) => (isClosing ? at < place : at <= place));
    return this.start + place + before.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** A place of the file as one of the cell. */
  toCode(place: number): number {
    let shift = this.start;
    for (const { at, text } of this.#insertions) {
      if (at + shift + text.length > place) break;
      shift += text.length;
    }
    return place - shift;
  }

  /** The function of a row that holds the place; null where none does. */
  rowFunctionAt(place: number): RowFunction | null {
    return this.#functions.find(({ start, end }) => start <= place && place <= end) ?? null;
  }
}

/** The k-th function's row as a type, and the call that gives it to the function. */
export function rowType({ columns, isWhole }: Row, k: number, types: Readonly<Record<string, string>>): string {
  // Each on a line of its own, or its comment would belong to the one before.
  const members = [...columns].map(([name, type]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `/** ${type.replaceAll("*/", "")} */ readonly ${key}: ${types[type] ?? "any"};`;
  });
  return [
    `declare namespace ${namespace} {`,
    `interface Row${k} {`,
    ...members,
    isWhole ? "}" : "readonly [column: string]: any; }",
    `function of${k}(f: (d: Row${k}, $: any) => any): any; }`,
  ].join("\n");
}

/** Is it the type of a whole row? */
export function isRow(type: ts.Type): boolean {
  return /^Row\d+$/.test(type.getSymbol()?.name ?? "");
}

/** Types of cells without methods. */
export function plainTypes({ TypeFlags }: typeof ts): number {
  return TypeFlags.NumberLike | TypeFlags.BooleanLike | TypeFlags.BigIntLike;
}

/** What the checker writes, without the names that only it knows. */
export function withoutNamespace(words: string): string {
  return words
    .replaceAll(`${namespace}.`, "")
    .replace(/\bRow\d+(?:\.|\["((?:[^"\\]|\\.)*)"\])/g, "$1")
    .replace(/\bRow\d+\b/g, "Row");
}
