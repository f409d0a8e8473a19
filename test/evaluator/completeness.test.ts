import { describe, expect, it } from "vitest";
import { completeness } from "../../src/evaluator/completeness.ts";

describe("completeness", () => {
  it.each([
    "",
    "//",
    "// todo:",
    "x // why,",
    "f(a) /* ( */",
    "const r = /x/",
    "function f() { return /[(]/ }",
    "'a\\\nb'",
    "`${`a`}`",
    "x!",
    "enum E { A }",
    "@d class A {}",
    "abstract class A { abstract m(): void }",
    "{ a: 1 }",
    "declare function f(): void;",
  ])("%j is whole", (code) => {
    expect(completeness(code).status).toBe("complete");
  });

  it.each([
    ["async () => {", "  "],
    ["f({\n  a: [", "      "],
    ["if (x)", "  "],
    ["if (a) b; else", "  "],
    ["  x =>", "    "],
    ["x = a\n  ? b", "  "],
    ["try {}", ""],
    ["try {}\ncatch", ""],
    ["do x()", ""],
    ["import x from", ""],
    ["class A", ""],
    ["function f()", ""],
    ["function f(a: number): void", ""],
    ["let a:", ""],
    ["f<", ""],
    ["@d", ""],
    ["enum E {", "  "],
    ["`a\nb", "  "],
    ["a(/[(]/, `${", "      "],
  ])("%j goes on, indented by %j", (code, indent) => {
    expect(completeness(code)).toEqual({ status: "incomplete", indent });
  });

  it.each(["a b", "}", "foo(]", "'abc", "else", "return 1", "const r = /abc"])("%j can't be mended by more", (code) => {
    expect(completeness(code).status).toBe("invalid");
  });
});
