import { stack, text, type View } from "../core/view.ts";
import { callable, type FunctionName, functions, type Group, synonyms } from "../plan/functions.ts";
import { limits } from "../plan/limits.ts";
import type { Kind, Parameter } from "../plan/signature.ts";

/** The headings of the functions, in the order in which they are listed. */
const groups: Readonly<Record<Exclude<Group, "hidden">, string>> = {
  operators: "Operators",
  numbers: "Numbers",
  text: "Text",
  dates: "Dates",
  missing: "Missing cells",
  casts: "Casts",
  aggregates: "Aggregates: over all rows, or those of a group",
  windows: "Windows: over the rows around, in an order",
};

/** The rules of expressions, a sentence each. */
const rules: readonly string[] = [
  'A column is d.age, or d["odd name"]; in a formula as text the bare name: "units * price".',
  "A value of the program comes in by params: filter((d, $) => d.age > $.limit, { params: { limit: 30 } }).",
  'The text of the function is read, and never run as code; ["a", "b"].includes(d.city) asks for one of several.',
  "What touches a missing cell is missing, and a condition that is missing is not true; d.age == null asks for missing cells.",
  "1 / 0 is infinite, 0 / 0 missing; what is no real number, such as sqrt(-1), and a whole number beyond 2^63 are missing.",
  'Text compares by code point; text beside a date is a date: d.day >= "2026-01-31".',
  "In derive and filter an aggregate is worked out over the group or all rows, and over training rows alone once there are such.",
  `An expression has at most ${limits.levels} levels, ${limits.parts.toLocaleString("en-US")} parts and ${limits.letters.toLocaleString("en-US")} characters.`,
];

/** Code that shows an expression at work. */
export const expressionsExample =
  'session.input("sample:penguins").derive({ columns: { kg: (d) => round(d.body_mass_g / 1000, 1) } })';

/** What people may write, by group: operators with their signs, the others by name. */
export function functionsByGroup(): {
  readonly title: string;
  readonly functions: readonly { readonly name: FunctionName; readonly help: string }[];
}[] {
  // A cast because Object.keys forgets the names.
  const names = (Object.keys(functions) as FunctionName[]).filter(
    (name) => functions[name].sign !== undefined || callable.includes(name),
  );
  return Object.entries(groups).map(([group, title]) => ({
    title,
    functions: names
      .filter((name) => functions[name].group === group)
      .map((name) => ({ name, help: functions[name].help })),
  }));
}

/** How a function is written: "round(x, digits?)", "a + b". */
export function functionCall(name: string): string {
  // A cast because who asks has the name from the table.
  const { sign, signature } = functions[name as FunctionName];
  const operands = signature.parameters.map((each) => each.name);
  if (sign === "??") return "coalesce(x, ...others), x ?? y";
  if (sign === "? :") return "when ? then : otherwise";
  if (sign?.includes("x")) return sign;
  if (sign !== undefined)
    return signature.parameters.length === 1 ? `${sign}${operands[0]}` : `${operands[0]} ${sign} ${operands[1]}`;
  return `${name}(${signature.parameters.map(labelOf).join(", ")})`;
}

/** All functions by group, and the rules: help("expressions"). */
export function expressionsView(): View {
  const lists = functionsByGroup().map(({ title, functions: listed }) => ({
    kind: "facts" as const,
    title,
    items: listed.map(({ name, help }) => ({ label: functionCall(name), value: help })),
  }));
  return stack(
    text("An expression is a formula over the columns of a row: d => d.units * d.price, or the same as text."),
    { kind: "facts", title: "Rules", items: rules.map((rule, k) => ({ label: String(k + 1), value: rule })) },
    ...lists,
    text(
      "Math.abs and its kin and the methods of texts (d.city.toLowerCase()) are other names of the same functions.",
      "quiet",
    ),
    text(`help("round") explains one. Example: ${expressionsExample}`, "quiet"),
  );
}

/** One function with its signature, what it takes, and code that shows it; null for a name that expressions don't know. */
export function functionHelp(name: string): { readonly view: View; readonly example: string } | null {
  const known = functionNamed(name);
  if (known === null) return null;
  const example = exampleOf(known);
  const { signature, help, kind, missing } = functions[known];
  const others = Object.keys(synonyms).filter((each) => synonyms[each] === known && each !== name);
  const where = { row: "", aggregate: "An aggregate over many rows. ", window: "A window over the rows around. " }[
    kind
  ];
  const view = stack(
    text(`${functionCall(known)}: ${answerWords(signature.answer)}, in expressions`),
    text(`${where}${help}${missing === "spreads" ? " Missing where an argument is." : ""}`),
    signature.parameters.length > 0 && {
      kind: "facts",
      items: signature.parameters.map((each) => ({
        label: labelOf(each),
        value: `${kindWords[each.kind] ?? each.kind}${each.isOptional ? ", optional" : ""}`,
      })),
    },
    others.length > 0 && text(`Also written ${others.join(", ")}.`),
    text(`Example: ${example}`, "quiet"),
  );
  return { view, example };
}

/** The function that goes by a name, or by another one of it. */
function functionNamed(name: string): FunctionName | null {
  const own = callable.find((each) => each === name);
  return own ?? (Object.hasOwn(synonyms, name) ? synonyms[name] : null);
}

/** A call of the function that runs on a sample. */
function exampleOf(name: FunctionName): string {
  const made = `${name === "power" ? "d.bill_length_mm ** 2" : callOf(name)}`;
  return `session.input("sample:${needsDate(name) ? "weather" : "penguins"}").derive({ columns: { made: d => ${made} } })`;
}

function needsDate(name: FunctionName): boolean {
  return functions[name].signature.parameters.some(({ kind }) => kind === "datetime");
}

/** Arguments that fit a function, by kind: columns of a sample, and constants. */
const fitting: Partial<Record<Kind, string>> = {
  N: "d.bill_length_mm",
  number: "d.bill_length_mm",
  integer: "1",
  T: "d.bill_length_mm",
  any: "d.species",
  string: "d.species",
  datetime: "d.date",
  boolean: "d.bill_length_mm > 40",
  pattern: "/^A/",
  unit: '"month"',
  count: "2",
  whole: "1",
  share: "0.9",
  numbers: "[0, 40, 100]",
  strings: '["short", "long"]',
};

function callOf(name: FunctionName): string {
  const { parameters } = functions[name].signature;
  const args = parameters.map(({ kind, name: label }, k): string => {
    if (kind === "string" && k > 0) return label === "by" && name === "split" ? '"e"' : '"A"';
    if (kind === "datetime" && k > 0) return 'date("2026-01-31")';
    if (name === "clip" && k > 0) return k === 1 ? "35" : "50";
    if (name === "bin" && k === 1) return "5";
    if (name === "split" && k === 2) return "0";
    if (name === "extract" && k === 2) return "0";
    return fitting[kind] ?? "d.species";
  });
  return `${name}(${args.join(", ")})`;
}

function labelOf({ name, isOptional, isRest }: Parameter): string {
  return `${isRest ? "..." : ""}${name}${isOptional ? "?" : ""}`;
}

const kindWords: Partial<Record<Kind, string>> = {
  N: "a number",
  T: "any value, of one type with the others",
  any: "any value",
  integer: "a whole number",
  number: "a number",
  string: "text",
  datetime: "a date",
  boolean: "a condition",
  pattern: "a regular expression, constant",
  unit: "a unit of time, constant: second, minute, hour, day, week, month, quarter, year",
  count: "a whole number from 1, constant",
  whole: "a whole number, constant",
  share: "a number from 0 to 1, constant",
  numbers: "a list of numbers, constant",
  strings: "a list of texts, constant",
  list: "a list of constants",
};

function answerWords(kind: Kind): string {
  return (
    { N: "a number", T: "a value of the same type", boolean: "true or false" }[kind as string] ??
    kindWords[kind] ??
    kind
  );
}
