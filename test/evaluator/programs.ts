import { Dice, Expressions, type Kind } from "./expressions.ts";
import { Statements } from "./statements.ts";

/** Whole statements of a program's top level. */
export interface Piece {
  readonly text: string;
  /** It declares a name again and so must begin a cell. */
  readonly isAgain: boolean;
}

/** A program in TypeScript that a module and cells must understand alike. */
export interface Program {
  readonly pieces: readonly Piece[];
  /** The names whose values the program ends with. */
  readonly names: readonly string[];
  /** It has syntax that makes code, such as an enum, which Node's own stripper refuses. */
  readonly isCompiled: boolean;
}

/**
 * A program, the same for the same seed.
 *
 * A module can't declare a name twice: `n3b` is what cells declare as `n3a` again. What differs by design is left out:
 * assignments to constants (refused before the cell runs), names of the top level before their declaration, names that
 * a function saw and that are then declared again, and promises that nobody awaits.
 */
export function makeProgram(seed: number): Program {
  return new Maker(new Dice(seed)).program();
}

const types: Readonly<Record<Kind, string>> = {
  number: "number",
  text: "string",
  list: "number[]",
  record: "Record<string, any>",
};

class Maker {
  readonly #dice: Dice;
  readonly #make: Expressions;
  readonly #plain: Statements;
  readonly #pieces: Piece[] = [];
  /** Names that may be assigned to. */
  readonly #free = new Set<string>();
  /** Names that a function may look at later. */
  readonly #seen = new Set<string>();
  #count = 0;
  #isCompiled = false;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#make = new Expressions(dice);
    this.#plain = new Statements(this.#make, (letter) => this.#fresh(letter));
  }

  program(): Program {
    const length = 4 + this.#dice.below(8);
    for (let k = 0; k < length; k++) this.#add(k < 2 ? this.#variable() : this.#statement());
    if (this.#dice.chance(0.35)) this.#add(this.#fault());
    const { names } = this.#make;
    return { pieces: this.#pieces, names: Object.values(names).flat(), isCompiled: this.#isCompiled };
  }

  #add(text: string, isAgain = false): void {
    this.#pieces.push({ text, isAgain });
  }

  #fresh(letter: string): string {
    return `${letter}${this.#count++}a`;
  }

  /** Text within a function, which may run when a name stands for something else. */
  #inside(work: () => string): string {
    const before = this.#make.onRead;
    this.#make.onRead = (name) => this.#seen.add(name);
    try {
      return work();
    } finally {
      this.#make.onRead = before;
    }
  }

  #value(kind: Kind): string {
    // Expressions are full of functions, but those run at once.
    return this.#make[kind]();
  }

  #learn(kind: Kind, name: string): void {
    this.#make.names[kind].push(name);
  }

  #variable(): string {
    const kind = this.#dice.pick<Kind>(["number", "number", "text", "list", "record"]);
    const keyword = this.#dice.pick(["const", "let", "var"]);
    const name = this.#fresh(kind[0]);
    const text = `${keyword} ${name}${this.#dice.chance(0.5) ? `: ${types[kind]}` : ""} = ${this.#value(kind)};`;
    this.#learn(kind, name);
    if (keyword !== "const") this.#free.add(name);
    return text;
  }

  #statement(): string {
    const { number, text, list } = this.#shorts();
    return this.#dice.pick([
      () => this.#variable(),
      () => this.#again(),
      ...Array.from({ length: 7 }, () => () => this.#plain.any()),
      () => this.#assignment(),
      () => this.#destructuring(),
      () => this.#fn(),
      () => this.#klass(),
      () => this.#typesOnly(),
      () => this.#codeTypes(),
      () => this.#importing(),
      () => `console.log(${number()}, ${text()});`,
      () => `console.error(${text()}); console.log(${list()});`,
      () => `if (${number()} > ${number()}) console.log("then"); else { console.log("else"); }`,
      () =>
        `switch (${number()} % 3) { case 0: console.log("0"); case 1: { let one = 1; console.log(one); break; } default: console.log("d"); }`,
    ])();
  }

  #shorts() {
    return {
      number: () => this.#make.number(),
      text: () => this.#make.text(),
      list: () => this.#make.list(),
    };
  }

  /** A variable of the same kind under the name that cells take for the same. */
  #again(): string {
    const kind = this.#dice.pick<Kind>(["number", "text", "list"]);
    const known = this.#make.names[kind];
    const old = known.find((name) => !this.#seen.has(name) && name.endsWith("a"));
    if (old === undefined) return this.#variable();
    const name = `${old.slice(0, -1)}b`;
    const keyword = this.#dice.pick(["const", "let", "var"]);
    const value = this.#dice.chance(0.4) ? old : this.#value(kind);
    known.splice(known.indexOf(old), 1, name);
    if (keyword !== "const") this.#free.add(name);
    this.#add(`${keyword} ${name} = ${value};`, true);
    return `console.log(${name});`;
  }

  #assignment(): string {
    const name = this.#make.names.number.find((each) => this.#free.has(each));
    if (!name) return this.#variable();
    const op = this.#dice.pick(["=", "+=", "-=", "**=", "||=", "&&=", "??="]);
    return this.#dice.pick([
      `${name} ${op} ${this.#make.number()};`,
      `${name}++; --${name};`,
      `[${name}] = [${this.#make.number()}];`,
    ]);
  }

  #destructuring(): string {
    const [a, b, c, d] = ["n", "n", "l", "t"].map((letter) => this.#fresh(letter));
    const number = this.#make.number();
    const text = this.#dice.pick([
      `const { x: ${a}, y: [${b} = ${number}, ...${c}], ["t" + 1]: ${d} = "none" } = { x: ${number}, y: [1, 2, 3] } as any;`,
      `let [${a}, { inner: ${b} = ${a} } = {} as any, ...${c}] = [${number}, undefined, 5, 6] as any[], ${d} = \`\${${a}}\`;`,
      `var ${a}: number = 1, ${b} = ${a} + 1, ${c} = [${a}, ${b}], ${d}: string; ${d} = "set";`,
    ]);
    this.#make.names.number.push(a, b);
    this.#learn("list", c);
    this.#learn("text", d);
    return text;
  }

  #fn(): string {
    const name = this.#fresh("f");
    const body = this.#inside(() => this.#make.number());
    const call = `${name}(${this.#make.number(1)})`;
    const text = this.#dice.pick([
      () =>
        `function ${name}(p: number, q?: string): number { if (p > 1e6) return 0; return p + ${body} + (q?.length ?? 0); }`,
      () => `const ${name} = <T extends number>(p: T): number => { const own: T = p; return own * 2 - ${body}; };`,
      () =>
        `function ${name}(p: number): number;\nfunction ${name}(p: string): string;\nfunction ${name}(p: any): any { arguments[0] = 99; return p; }`,
      () => `var ${name} = function inner(p: number): number { return p <= 0 ? 0 : 1 + inner(Math.min(p, 5) - 1); };`,
    ])();
    // A function can be called before its declaration, in the same piece.
    return text.startsWith("function") && this.#dice.chance(0.4)
      ? `console.log(${call});\n${text}`
      : `${text}\nconsole.log(${call}, ${name}.name, ${name}.length);`;
  }

  #klass(): string {
    const [base, child] = [this.#fresh("C"), this.#fresh("C")];
    const body = this.#inside(() => this.#make.number());
    return `abstract class ${base}<T = number> {
  static made = 0; static { this.made += 1; }
  readonly #hidden: number = ${body}; protected label?: string;
  constructor(public_: T) { ${base}.made++; this.label = String(public_) + new.target.name; }
  get hidden(): number { return this.#hidden; } set hidden(value) { console.log("set", value); }
  abstract area(): number; static isOne(it: object) { return #hidden in it; }
}
class ${child} extends ${base}<number> { override area() { return super.hidden + 1; } *[Symbol.iterator]() { yield this.label; } }
const ${child.replace("C", "i")} = new ${child}(3); ${child.replace("C", "i")}.hidden = 4;
console.log(${child.replace("C", "i")}.area(), [...${child.replace("C", "i")}], ${base}.made, ${base}.isOne({}), ${child});`;
  }

  #typesOnly(): string {
    const name = this.#fresh("T");
    const value = name.replace("T", "n");
    const number = this.#make.number();
    this.#learn("number", value);
    return `interface ${name} { a: number; b?: ${name}[] }
type ${name}Or<U> = U extends ${name} ? keyof U : never; declare const ghost${name}: ${name}Or<string>;
import type { Stats } from "node:fs";
const ${value} = (({ a: ${number} } satisfies ${name}) as ${name}).a; let u${name}!: Stats | undefined; u${name} = undefined;`;
  }

  #codeTypes(): string {
    if (this.#dice.chance(0.5)) return this.#typesOnly();
    this.#isCompiled = true;
    const name = this.#fresh("E");
    return this.#dice.pick([
      `enum ${name} { A, B = 5, C, D = "d".length, E = "text" }\nconsole.log(${name}, ${name}[5], ${name}.C);`,
      `const enum ${name} { Low = 1 << 2, High = Low | 8 }\nconsole.log(${name}.High);`,
      `namespace ${name} { export const x = ${this.#make.number()}; export namespace Deep { export function f() { return x + 1; } } }\nconsole.log(${name}.Deep.f());`,
      `class ${name} { constructor(readonly p: number, private q = p + 1) {} sum() { return this.p + this.q; } }\nconsole.log(new ${name}(${this.#make.number()}).sum());`,
    ]);
  }

  #importing(): string {
    const name = this.#fresh("m");
    return this.#dice.pick([
      `import { basename as ${name} } from "node:path";\nconsole.log(${name}("/x/y.ts"));`,
      `console.log(${name}("/x/y.ts"));\nimport { basename as ${name} } from "node:path";`,
      `import * as ${name} from "node:path"; console.log(${name}.posix.sep, typeof ${name}.default);`,
      `import ${name}, { type Stats as S${name} } from "node:fs"; console.log(typeof ${name}.statSync, {} as S${name});`,
      `const { join: ${name} } = await import("node:path"); console.log(${name}("a", "b"), typeof import.meta.url, "import(x) import.meta");`,
      `export const ${name} = ${this.#make.number()}; export { ${name} as x${name} }; console.log(${name});`,
      `export function ${name}() { return "exported"; } console.log(${name}());`,
    ]);
  }

  /** Ends the program with an error. */
  #fault(): string {
    const name = this.#fresh("x");
    const number = this.#make.number();
    return this.#dice.pick([
      `console.log("before"); (undefined as any).${name}.y;`,
      `const ${name} = (p: any) => p.length.toFixed(${number} < 0 ? 1 : 2);\n\n  ${name}(null);`,
      `notDeclared${name} + 1;`,
      `class ${name} extends RangeError { override name = "Own"; }\nif (${number} !== null) throw new ${name}("own words");`,
      `await (async () => { await null; throw new SyntaxError("late"); })();`,
      `function ${name}(): never { throw new TypeError("in a function"); } ${name}();`,
      `throw ${this.#dice.pick(["'text'", "null", "42", "{ code: 1 }"])};`,
      `{ ${name}; let ${name} = 1; }`,
      `new Array(-1);`,
      `(1n as any) + 1;`,
      `(Object.freeze([1]) as number[]).push(${number});`,
      `const { ${name} } = null as any;`,
      `JSON.parse("{");`,
      `await Promise.reject(new Error("rejected", { cause: 1 }));`,
      `let ${name}: number = 5; new (${name} as any)();`,
    ]);
  }
}
