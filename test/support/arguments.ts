import type { Json } from "../../src/core/record.ts";

/** Draws arguments out of a JSON Schema: good ones, and such as somebody who means ill would send. */
export class Arguments {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.draw() * values.length)];
  }

  /** An object of arguments: each that must be there mostly is, some are foul, and now and then one is nobody's. */
  of(schema: Json, likely: readonly unknown[], foulness: number): Record<string, unknown> {
    const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
    const args: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(properties)) {
      if (this.draw() > (required.includes(name) ? 0.97 : 0.35)) continue;
      args[name] = this.draw() < foulness ? this.foul() : this.value(inner, likely, 0);
    }
    if (this.draw() < 0.05)
      args[this.pick(["constructor", "toString", "colunms", "__proto__x", "a\u0000b", " "])] = this.foul();
    return args;
  }

  /** A value that the schema lets pass, or nearly. */
  value(schema: Json, likely: readonly unknown[], depth: number): unknown {
    const s = schema as Record<string, Json | undefined>;
    if (s.const !== undefined) return s.const;
    if (Array.isArray(s.enum)) return this.pick(s.enum as readonly Json[]);
    if (Array.isArray(s.anyOf)) return this.value(this.pick(s.anyOf as readonly Json[]), likely, depth);
    const type = Array.isArray(s.type) ? this.pick(s.type as readonly string[]) : s.type;
    switch (type) {
      case "integer":
        return this.#number(s, true);
      case "number":
        return this.#number(s, false);
      case "boolean":
        return this.draw() < 0.5;
      case "null":
        return null;
      case "array": {
        const length = this.pick([0, 1, 1, 2, 3, 3, 7]);
        return Array.from({ length }, () => this.value(s.items ?? {}, likely, depth + 1));
      }
      case "object": {
        if (s.properties) return this.of(schema, likely, depth > 2 ? 0 : 0.1);
        const names = Array.from({ length: this.pick([0, 1, 2]) }, () => String(this.pick(likely)));
        return Object.fromEntries(
          names.map((name) => [name, this.value(s.additionalProperties ?? {}, likely, depth + 1)]),
        );
      }
      default:
        return this.draw() < 0.8 ? this.pick(likely) : this.pick(foulTexts);
    }
  }

  /** A value that no schema asks for. */
  foul(): unknown {
    const kind = this.pick(["text", "number", "nested", "wide", "odd"]);
    if (kind === "text") return this.pick(foulTexts);
    if (kind === "number") return this.pick(foulNumbers);
    if (kind === "nested") {
      let value: unknown = this.pick(foulTexts);
      for (let k = this.pick([3, 30, 300]); k > 0; k--) value = this.draw() < 0.5 ? [value] : { a: value };
      return value;
    }
    if (kind === "wide")
      return Array.from({ length: this.pick([100, 5000]) }, (_, k) => (this.draw() < 0.5 ? k : `c${k}`));
    return this.pick([null, [], {}, [[]], [null], [{}], { length: 1e9 }, { then: 1 }, true, [true, "a", 1]]);
  }

  #number(s: Record<string, Json | undefined>, isWhole: boolean): number {
    const least = Number(s.minimum ?? s.exclusiveMinimum ?? -5);
    const most = Number(s.maximum ?? s.exclusiveMaximum ?? 20);
    const from = Math.max(least, -5);
    const near = from + this.draw() * (Math.min(most, from + 12) - from);
    if (this.draw() < 0.08) return this.pick([least, most, ...foulNumbers]);
    return isWhole ? Math.round(near) : near;
  }
}

const foulTexts: readonly string[] = [
  "",
  " ",
  "null",
  "NaN",
  "-1",
  "0:0",
  ":, :",
  ":, -9999999999:99999999999999999999",
  "::::,,,,",
  ':, "a',
  "'; DROP TABLE states; --",
  "\"); COPY (SELECT 1) TO '/tmp/x'; --",
  "$1",
  "{{constructor.constructor('return process')()}}",
  "<script>alert(1)</script>",
  "\u0000",
  "a\u0000b",
  "\u001b[2J\u001b]0;x\u0007",
  "\ud800",
  "\u202egnp.exe",
  "../../../../etc/passwd",
  "/etc/passwd",
  "file:///etc/passwd",
  "sample:../../package.json",
  "blocklab:///api/v1/artifacts/AAAAAAAAAAAAAAAAAAAAAA",
  "test:../../x",
  "test:AAAAAAAAAAAAAAAAAAAAAA",
  "__proto__",
  "constructor",
  "__row",
  "x".repeat(100_000),
  "(".repeat(5_000),
  "[".repeat(200),
  "9".repeat(400),
  "1e309",
  "0x10",
  "2024-13-45",
  "٣",
  "𝒳",
];

const foulNumbers: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1.5,
  1e-320,
  1e15,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1.7e308,
  -1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];
