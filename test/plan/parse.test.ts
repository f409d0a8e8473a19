import { describe, expect, it } from "vitest";
import { check } from "../../src/plan/check.ts";
import { parse } from "../../src/plan/parse.ts";
import type { Problem } from "../../src/plan/problem.ts";
import type { Schema, ValueType } from "../../src/plan/types.ts";

const schema: Schema = new Map<string, ValueType>([
  ["age", "integer"],
  ["price", "number"],
  ["name", "string"],
  ["day", "datetime"],
  ["ok", "boolean"],
  ["odd name", "number"],
  ["constructor", "string"],
]);
const anywhere = { kinds: ["aggregate", "window"], where: "" } as const;

/** The text's expression with its types checked. */
function read(text: string, parameters = {}, place: Parameters<typeof check>[2] = anywhere) {
  const parsed = parse(text, new Set(schema.keys()), parameters);
  return "problem" in parsed ? parsed : check(parsed.expr, schema, place, parsed.spans);
}

function problemOf(text: string, parameters = {}, place: Parameters<typeof check>[2] = anywhere): Problem {
  const found = read(text, parameters, place);
  if (!("problem" in found)) throw new Error(`${text} was taken as ${JSON.stringify(found.expr)}`);
  return found.problem;
}

/** The stretch of the text that a problem points at. */
function pointed(text: string): string {
  const { span } = problemOf(text);
  return span ? text.slice(span.start, span.end) : "";
}

describe("expressions as text", () => {
  it("mean the same in each of their three spellings", () => {
    const [first, ...others] = [
      "age * price",
      "d => d.age * d.price",
      "(row) => row['age'] * row.price",
      "function (d) { return d.age * d.price }",
    ];
    for (const text of others) expect(read(text)).toEqual(read(first));
    expect(read(first)).toEqual({
      type: "number",
      expr: {
        call: "multiply",
        args: [
          { column: "age", type: "integer" },
          { column: "price", type: "number" },
        ],
      },
    });
  });

  it("take values of the program by a second parameter", () => {
    expect(read("(d, $) => d.age > $.limit && $.names.includes(d.name)", { limit: 3, names: ["a", "b"] })).toEqual(
      read("age > 3 && ['a', 'b'].includes(name)"),
    );
    expect(problemOf("d => d.age > limit").cure).toContain("params: { limit }");
    expect(problemOf("(d, $) => d.age > $.most", { limit: 3 })).toMatchObject({ got: "most", candidates: ["limit"] });
    expect(problemOf("(d, $) => d.age > $.toString", {}).message).toContain('no "toString"');
  });

  it("know JavaScript's own names for the same functions", () => {
    for (const [theirs, ours] of [
      ["Math.max(age, price)", "greatest(age, price)"],
      ["Math.log(price)", "ln(price)"],
      ["d => d.name.toLowerCase().trim().length", "length(trim(lower(name)))"],
      ["name.replaceAll('a', 'b')", "replace(name, 'a', 'b')"],
      ["/a.c/i.test(name)", "matches(name, '(?i)a.c')"],
      ["name.split(',')[1]", "split(name, ',', 1)"],
      ["name != null", "!isMissing(name)"],
      ["undefined === name", "isMissing(name)"],
      ["Number(name)", "number(name)"],
    ]) {
      expect(read(theirs)).toEqual(read(ours));
    }
  });

  it("keep every digit of a whole number", () => {
    expect(read("age == 9007199254740993")).toMatchObject({
      expr: { args: [{}, { value: "9007199254740993", as: "integer" }] },
    });
    expect(read("age == -9223372036854775808n")).toMatchObject({
      expr: { args: [{}, { value: "-9223372036854775808", as: "integer" }] },
    });
    expect(read("age == 3.0")).toMatchObject({ expr: { args: [{}, { value: 3, as: "number" }] } });
  });

  it("take a date's text beside a date, and put texts behind each other", () => {
    expect(read("day >= '2026-01-31'")).toMatchObject({ expr: { args: [{}, { as: "datetime" }] } });
    expect(read("name + '-' + age")).toMatchObject({ type: "string", expr: { call: "concat" } });
    expect(read("ok + 1")).toMatchObject({ type: "integer" });
  });

  it("point at the word that is wrong", () => {
    expect(pointed("d => d.agee + 1")).toBe("d.agee");
    expect(pointed("age + lenght(name)")).toBe("lenght");
    expect(pointed("price > 3 && name * 2 > 1")).toBe("name");
    expect(pointed("round(price, age)")).toBe("age");
    expect(pointed("age > 3; drop()")).toBe("; drop()");
    expect(pointed("age > > 3")).toBe(">");
  });

  it("answer unknown names with what there is", () => {
    expect(problemOf("agee > 1")).toMatchObject({ code: "unknown_column", got: "agee" });
    expect(problemOf("lowr(name)")).toMatchObject({ code: "unknown_function", got: "lowr" });
    expect(problemOf("lowr(name)").candidates).toContain("lower");
    expect(problemOf("name.tolower()").candidates).toContain("toLowerCase");
    expect(problemOf("dateDiff(day, day, 'days')").candidates).toContain("day");
    expect(problemOf("max(age, price)").cure).toContain("greatest(…)");
    expect(problemOf("mean")).toMatchObject({ cure: "Write mean(…)." });
  });

  it("say how d is the row where a column has that name", () => {
    const parsed = parse('d["odd name"] > 2', new Set(["d", "odd name"]));
    expect(parsed).toMatchObject({ problem: { message: expect.stringContaining("begin with d => where") } });
    expect(parse('d => d["odd name"] > d.d', new Set(["d", "odd name"]))).toHaveProperty("expr");
  });

  it("say which type came where, and the cast that mends it", () => {
    expect(problemOf("name - 1")).toMatchObject({
      message: "- takes numbers, and name is text",
      cure: "number(name) makes it so.",
    });
    expect(problemOf("age > 3 ? 1 : 'x'").message).toContain("values of one type");
    expect(problemOf("name == 3").cure).toBe("number(name) makes it so.");
    expect(problemOf("!age").cure).toBe("Compare it, as in age > 0.");
    expect(problemOf("d['odd name'] && ok").cure).toBe('Compare it, as in d["odd name"] > 0.');
    expect(problemOf("lower(age)").cure).toBe("text(age) makes it so.");
    expect(problemOf("[1, 'a'].includes(age)").message).toContain("constants of one type");
    expect(problemOf("[1, null].includes(age)").message).toContain("one type");
    expect(problemOf("cut(age, [0, 2, 1], ['a', 'b'])").message).toContain("must ascend");
    expect(problemOf("cut(age, [0, 1, 2], ['a'])").message).toContain("2 labels, and 1 came");
  });

  it("keep aggregates and windows where they belong", () => {
    const filter = { kinds: ["aggregate"], where: "a filter" } as const;
    expect(read("price > mean(price)", {}, filter)).toMatchObject({ type: "boolean" });
    expect(problemOf("lag(price) > 1", {}, filter).message).toContain("has no place in a filter");
    expect(problemOf("sum(mean(price))").message).toContain("nest");
  });
});

describe("what is no formula", () => {
  it.each([
    "price = 3",
    "d => { d.age = 3; return d.age }",
    "fetch('http://x')",
    "process.exit(3)",
    "d => d.name.constructor('return 1')()",
    "d.constructor.constructor('x')",
    "(() => 1)()",
    "new Date()",
    "await 1",
    "import('fs')",
    "this",
    "async d => d.age",
    "d => d",
    "d => ({ a: 1 })",
    "age, price",
    "age++",
    "delete d.age",
    "typeof age",
    "age in [1]",
    "age & 1",
    "`${age}`.at(0)",
    "[...name]",
    "((d) => d.age)``",
    "globalThis",
    "toString",
    "__proto__",
    "hasOwnProperty",
    "d => Math.constructor",
    "valueOf()",
    "Math.toString()",
    "function sqrt() { [native code] }",
    "where(d) { return d.age }",
    "name.__proto__",
    "d?.age",
    "",
    "  ",
    "age >",
    "'open",
    "matches(name, '(?=a)')",
    "matches(name, '(a)\\\\1')",
    "matches(name, 'a{1,9999}')",
    "matches(name, '(')",
    "matches(name, /[]/)",
    "matches(name, /[^]/)",
    "matches(name, /\\p{Letter}/)",
    "matches(name, /\\p{Script=Kawi}/)",
    "matches(name, name)",
  ])("%s", (text) => {
    const { message } = problemOf(text);
    expect(message).not.toBe("");
    expect(message).not.toContain("undefined");
  });

  it("is told in a sentence that can be read, and with the cure", () => {
    expect(problemOf(`d => d.${"a".repeat(9_000)}`).message.length).toBeLessThan(120);
    expect(problemOf("a".repeat(9_000)).message.length).toBeLessThan(120);
    expect(problemOf("function () { [native code] }").cure).toMatch(/arrow function/);
    expect(problemOf("where(d) { return d.age }").cure).toMatch(/arrow function/);
    expect(problemOf("(d, $) => $.limit", { limt: 1 })).toMatchObject({
      code: "unknown_parameter",
      candidates: ["limt"],
    });
  });

  it("is not what a minifier wrote", () => {
    expect(read("d=>void 0===d.age")).toEqual(read("d => d.age == null"));
    expect(read("d=>d.ok===!0")).toEqual(read("d => d.ok === true"));
    expect(read("d=>d.ok||!1")).toEqual(read("d => d.ok || false"));
  });

  it("reads a column that is called as every object's own", () => {
    expect(read("d => d.constructor")).toEqual({ type: "string", expr: { column: "constructor", type: "string" } });
  });

  it("is a text too large, too long or too deep, told at once", () => {
    const started = performance.now();
    expect(problemOf("a".repeat(1_000_000)).code).toBe("size");
    expect(problemOf(`${"(".repeat(4_000)}1${")".repeat(4_000)}`).code).toBe("size");
    expect(problemOf(`${"!".repeat(200)}ok`).code).toBe("size");
    expect(problemOf(`age${" + age".repeat(100)} > 1`).code).toBe("size");
    expect(problemOf(`[${"1,".repeat(2_100)}1].includes(age)`).code).toBe("size");
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("is none in a long chain of conditions", () => {
    expect(read(`age > 1${" || age > 2".repeat(400)}`)).toMatchObject({ type: "boolean" });
  });
});
