import { callable, type FunctionName, functions, units } from "../plan/functions.ts";
import type { Kind, Parameter } from "../plan/signature.ts";

/** How TypeScript writes what a parameter takes, or a function answers; numbers have a type that has no methods. */
const types: Partial<Record<Kind, string>> = {
  N: "number",
  T: "T",
  any: "any",
  integer: "number",
  number: "number",
  boolean: "boolean",
  string: "text",
  datetime: "date",
  pattern: "RegExp | string",
  unit: units.map((each) => JSON.stringify(each)).join(" | "),
  count: "number",
  whole: "number",
  share: "number",
  numbers: "number[]",
  strings: "string[]",
  list: "any[]",
};

/** Types of a table's columns as expressions see them, in the namespace of `expressionDeclarations`. */
export const columnTypes: Readonly<Record<string, string>> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  string: "text",
  category: "text",
  datetime: "date",
};

/** The names that an expression may call. */
export const expressionNames: readonly string[] = callable;

/**
 * Declares the functions of expressions as globals, which a cell's own names go before; and in a namespace
 * `blocklabRows` the types of cells: a text with the methods of the language, and dates, which have none.
 */
export function expressionDeclarations(): string {
  const texts = callable.filter((name) => functions[name].group === "text");
  const methods = [
    ...texts.filter((name) => name !== "length").map((name) => method(name, name)),
    method("toLowerCase", "lower"),
    method("toUpperCase", "upper"),
    method("replaceAll", "replace"),
    method("match", "extract"),
    `${doc("length")} readonly length: number;`,
  ];
  return [
    "declare namespace blocklabRows {",
    "interface text {",
    ...methods,
    "}",
    "interface date {} }",
    "declare global {",
    ...callable.map(declaration),
    "}",
    // A comment on the line of what stands before it belongs to that.
  ].join("\n");
}

function doc(name: FunctionName): string {
  return `/** ${functions[name].help.replaceAll("*/", "")} */`;
}

function declaration(name: FunctionName): string {
  const { parameters, answer } = functions[name].signature;
  const generic = [...parameters.map(({ kind }) => kind), answer].includes("T") ? "<T>" : "";
  return `${doc(name)} function ${name}${generic}(${parameters.map(parameter).join(", ")}): ${typed(answer)};`;
}

/** A function of text behind a dot; `split` alone also answers all parts, one of which an expression then takes. */
function method(name: string, of: FunctionName): string {
  const { parameters } = functions[of].signature;
  const rest = parameters[0].isRest ? parameters : parameters.slice(1);
  const parts = of === "split" ? `${doc(of)} split(by: string): text[];\n` : "";
  return `${parts}${doc(of)} ${name}(${rest.map(parameter).join(", ")}): ${typed(functions[of].signature.answer)};`;
}

function parameter({ name, kind, isOptional, isRest }: Parameter): string {
  const type = kind === "string" ? "text | string" : kind === "datetime" ? "date | string" : kind;
  const written = global(types[type as Kind] ?? type);
  return isRest ? `...${name}: (${written})[]` : `${name}${isOptional ? "?" : ""}: ${written}`;
}

function typed(kind: Kind): string {
  return global(types[kind] ?? "any");
}

/** The namespace stands before its types where they are used outside of it. */
function global(type: string): string {
  return type.replace(/\b(text|date)\b(?! ?:)/g, "blocklabRows.$1");
}
