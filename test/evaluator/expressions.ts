/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 0x9e3779b1;
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  /** Does something with this chance happen? */
  chance(share: number): boolean {
    return this.below(1_000) < share * 1_000;
  }

  /** One of these. */
  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }
}

/** What names stand for. */
export type Kind = "number" | "text" | "list" | "record";

/** The names in scope, by what they stand for. */
export type Names = Readonly<Record<Kind, readonly string[]>>;

/** Makes expressions that always have a value, most of them without an effect. */
export class Expressions {
  readonly dice: Dice;
  readonly names: Record<Kind, string[]> = { number: [], text: [], list: [], record: [] };
  /** Told each name that an expression reads. */
  onRead: (name: string) => void = () => undefined;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  name(kind: Kind): string | null {
    const known = this.names[kind];
    if (known.length === 0) return null;
    const name = this.dice.pick(known);
    this.onRead(name);
    return name;
  }

  number(depth = 3): string {
    const { dice } = this;
    if (depth === 0 || dice.chance(0.2)) {
      return (
        (dice.chance(0.6) && this.name("number")) || dice.pick(["0", "1", "-2", "7", "0x1f", "1_000", "2.5", "1e3"])
      );
    }
    const [a, b] = [this.number(depth - 1), this.number(depth - 1)];
    const simple = dice.pick(["3", "15", "12"]);
    return dice.pick([
      () => `(${a} ${dice.pick(["+", "-", "*", "%", "|", "^", "<<", ">>>", "??"])} ${b})`,
      () => `(${a} > ${b} ? ${simple} : ${a})`,
      () => `((${a}) as number)`,
      () => `(${a})!`,
      () => `-(${a})`,
      () => `Number(typeof (${a}) === "number")`,
      () => `(${a}, ${b})`,
      () => `${this.text(depth - 1)}.length`,
      () => `(${this.list(depth - 1)}.at(${dice.pick(["0", "-1", "9"])}) ?? ${b})`,
      () => `((p: number, q = p + 1): number => p * q)(${a})`,
      () =>
        `(function (this: unknown, ...rest: number[]) { return rest.length + (this === undefined ? 1 : 100); })(${a}, ${b})`,
      () => `(({ m, ...more }: Record<string, number>) => m + Object.keys(more).length)({ m: ${a}, k: 1, l: 2 })`,
      () => `(([p, , q = ${simple}]: number[]) => p + q)([${a}, ${b}])`,
      () => `Number(${dice.pick(["5n ** 3n", "-7n / 2n", "BigInt(2) << 9n"])})`,
      () => `(${this.record(depth - 1)}?.size ?? ${a})`,
    ])();
  }

  text(depth = 2): string {
    const { dice } = this;
    if (depth === 0)
      return (dice.chance(0.6) && this.name("text")) || dice.pick(["'a'", '"it\'s"', "`b`", "'\\u{1F600}é'"]);
    return dice.pick([
      () => `\`<\${${this.number(depth - 1)}}|\${${this.text(depth - 1)}}>\``,
      () => `\`one\n  two \${\`in \${${this.number(1)}}\`}\``,
      () => `(${this.text(depth - 1)} + ${this.number(1)})`,
      () => `String.raw\`\\n\${${this.number(1)}}\``,
      () =>
        `((parts: TemplateStringsArray, ...v: unknown[]) => parts.raw.join("~") + v.length)\`x\${${this.number(1)}}\\ty\``,
      () => `${this.text(depth - 1)}.replace(/[aeiou]/gu, (letter: string) => letter.toUpperCase())`,
      () => `"a-b".replace(/(?<first>\\w)-(?<second>\\w)/, "$<second>/* no comment */$<first>")`,
      () => `JSON.stringify(${this.record(depth - 1)})`,
      () => `(typeof ${dice.pick(["neverDeclared", "Symbol.iterator", "null", "class {}", "(async () => {})"])})`,
    ])();
  }

  list(depth = 2): string {
    const { dice } = this;
    if (depth === 0) return (dice.chance(0.6) && this.name("list")) || "[3, 1, 2]";
    return dice.pick([
      () => `[${this.number(1)}, ...${this.list(depth - 1)}]`,
      () => `${this.list(depth - 1)}.map((each: number, k): number => each * ${this.number(1)} + k)`,
      () => `${this.list(depth - 1)}.filter((each) => each > ${this.number(1)})`,
      () => `${this.list(depth - 1)}.toSorted((p: number, q: number) => p - q)`,
      () => `Array.from({ length: 3 }, (_: unknown, k: number) => k + ${this.number(1)})`,
      () => `[...new Set<number>([1, 1, ${this.number(1)}])]`,
      () => `[...(function* (): Generator<number> { yield ${this.number(1)}; yield* [4, 5]; })()]`,
      () => `[, ${this.number(1)}, ,].map((each) => each ?? 0)`,
    ])();
  }

  record(depth = 2): string {
    const { dice } = this;
    if (depth === 0) return (dice.chance(0.6) && this.name("record")) || "({ size: 1 } as { size: number })";
    return dice.pick([
      () => `({ size: ${this.number(1)}, ["k" + ${this.number(0)}]: ${this.text(1)} } as Record<string, any>)`,
      () => `({ size: 0, ...(${this.record(depth - 1)}) } as Record<string, any>)`,
      () =>
        `({ get size(): number { return ${this.number(1)}; }, set size(value) { this.other = value; }, other: 1 } as any)`,
      () => `({ size: ${this.number(1)}, async *many() { yield 1; }, [Symbol.toStringTag]: "Odd" } as any)`,
      () =>
        `(new (class Inner { static #made = 2; #own = ${this.number(1)}; get size() { return this.#own + Inner.#made; } })() as any)`,
      () => `(Object.freeze({ size: ${this.number(1)} }) as any)`,
      () => `(Object.fromEntries(new Map<string, number>([["size", ${this.number(1)}]])) as any)`,
    ])();
  }
}
