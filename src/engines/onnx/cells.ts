import { typeOf } from "../../plan/check.ts";
import { columnsRead, type Expr } from "../../plan/expr.ts";
import { numbers } from "./functions/numbers.ts";
import { tests } from "./functions/tests.ts";
import { texts } from "./functions/texts.ts";
import { type Lists, types, type Writer } from "./functions/writing.ts";
import type { SharedNodes } from "./shared-nodes.ts";

/** The table before a node of a plan, as tensors. */
export interface Tensors {
  /** The tensor of each column. */
  readonly columns: ReadonlyMap<string, string>;
  /** The texts with which columns are compared, so that each is looked up once for all of them. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** One of rows×1. */
  readonly like: string;
  /** The lists of each file that the expressions name (default: none). */
  readonly lists?: Lists;
}

/**
 * Writes checked expressions as ONNX operators over tensors of rows×1; what is the same in all rows may be 1×1.
 *
 * Numbers, whole ones too, and booleans as 1 and 0 are doubles, missing as NaN; texts are strings, missing as "".
 * A condition is two tensors, where it is true and where it is false; where it is neither it is missing.
 */
export class CellWriter implements Writer {
  readonly nodes: SharedNodes;
  readonly lists: Lists;
  readonly #at: Tensors;

  constructor(nodes: SharedNodes, at: Tensors) {
    this.nodes = nodes;
    this.lists = at.lists ?? new Map();
    this.#at = at;
  }

  /** The cells of an expression, rows×1 whatever it is made of. */
  column(expr: Expr): string {
    const made = this.cell(expr);
    if (columnsRead(expr).length > 0) return made;
    return this.nodes.add("Expand", [made, this.nodes.add("Shape", [this.#at.like])]);
  }

  cell(expr: Expr): string {
    return typeOf(expr) === "string" ? this.text(expr) : this.number(expr);
  }

  /** What answers a number, a boolean, or an array of numbers (rows×length): doubles. */
  number(expr: Expr): string {
    if ("column" in expr) return this.#tensor(expr.column);
    if ("value" in expr) return this.double(expr.value === null ? Number.NaN : Number(expr.value));
    if (!("call" in expr)) throw new TypeError("ONNX has no form of lists and files by themselves");
    const write = numbers[expr.call];
    if (write) return write(expr.args, this);
    return this.where(this.isTrue(expr), this.double(1), this.where(this.isFalse(expr), this.double(0), this.missing));
  }

  text(expr: Expr): string {
    if ("column" in expr) return this.#tensor(expr.column);
    if ("value" in expr) return this.string(expr.value === null ? "" : String(expr.value));
    const write = "call" in expr ? texts[expr.call] : undefined;
    if (!write || !("call" in expr)) throw new TypeError("ONNX has no form of this text");
    return write(expr.args, this);
  }

  isTrue(expr: Expr): string {
    const test = "call" in expr ? tests[expr.call] : undefined;
    return test && "call" in expr ? test.isTrue(expr.args, this) : this.#is(expr, 1);
  }

  isFalse(expr: Expr): string {
    const test = "call" in expr ? tests[expr.call] : undefined;
    if (!test || !("call" in expr)) return this.#is(expr, 0);
    if (test.isFalse) return test.isFalse(expr.args, this);
    const known = expr.args.filter((each) => !("list" in each)).map((each) => this.not(this.isMissing(each)));
    return known.reduce((all, each) => this.nodes.add("And", [all, each]), this.not(this.isTrue(expr)));
  }

  isMissing(expr: Expr): string {
    if (typeOf(expr) !== "string") return this.nodes.add("IsNaN", [this.number(expr)]);
    return this.isPlace(this.placesOf(this.text(expr), [""]), 1);
  }

  /** Is a text this one? */
  isWord(expr: Expr, word: string): string {
    const known = "column" in expr ? this.#at.words.get(expr.column) : undefined;
    const words = known ?? [word];
    return this.isPlace(this.placesOf(this.text(expr), words), words.indexOf(word) + 1);
  }

  /** The places of texts among words, as whole numbers from 1; 0 where it is none of them. */
  placesOf(text: string, words: readonly string[]): string {
    return this.nodes.ml("LabelEncoder", [text], {
      keys_strings: { texts: words },
      values_int64s: { ints: Int32Array.from(words, (_, k) => k + 1) },
      default_int64: { int: 0 },
    })[0];
  }

  isPlace(places: string, place: number): string {
    return this.nodes.add("Equal", [places, this.nodes.constant(Int32Array.of(place), [1, 1])]);
  }

  where(condition: string, yes: string, no: string): string {
    return this.nodes.add("Where", [condition, yes, no]);
  }

  not(condition: string): string {
    return this.nodes.add("Not", [condition]);
  }

  /** The number, where none of these others is missing. */
  unlessMissing(made: string, others: readonly string[]): string {
    return others.reduce((all, other) => this.where(this.nodes.add("IsNaN", [other]), other, all), made);
  }

  double(number: number): string {
    return this.nodes.constant(Float64Array.of(number), [1, 1]);
  }

  get missing(): string {
    return this.double(Number.NaN);
  }

  string(text: string): string {
    return this.nodes.constant([text], [1, 1]);
  }

  as(type: keyof typeof types, tensor: string): string {
    return this.nodes.add("Cast", [tensor], { to: { int: types[type] } });
  }

  #is(expr: Expr, number: number): string {
    return this.nodes.add("Equal", [this.number(expr), this.double(number)]);
  }

  #tensor(column: string): string {
    const tensor = this.#at.columns.get(column);
    if (tensor === undefined) throw new TypeError(`there is no tensor of the column ${JSON.stringify(column)}`);
    return tensor;
  }
}
