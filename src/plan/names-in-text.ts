import { callable, type FunctionName, functions, synonyms } from "./functions.ts";
import { inQuotes, Refusal, type Span } from "./problem.ts";

/** Operators of two sides. */
export const binaries: Readonly<Record<string, FunctionName | undefined>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "modulo",
  "**": "power",
  "==": "equal",
  "===": "equal",
  "!=": "notEqual",
  "!==": "notEqual",
  "<": "less",
  "<=": "lessEqual",
  ">": "greater",
  ">=": "greaterEqual",
};

/** Functions that can be written behind a dot: those of text. */
const methods: readonly string[] = callable.filter((name) => functions[name].group === "text");
const methodNames: Readonly<Record<string, FunctionName>> = {
  toLowerCase: "lower",
  toUpperCase: "upper",
  replaceAll: "replace",
  match: "extract",
};

/** What of JavaScript has no place in an expression. */
export const refused: Readonly<Record<string, string>> = {
  AssignmentExpression: "an assignment",
  UpdateExpression: "an assignment",
  NewExpression: "new",
  AwaitExpression: "await",
  ThisExpression: "this",
  FunctionExpression: "a function within",
  ArrowFunctionExpression: "a function within",
  ObjectExpression: "an object",
  SequenceExpression: "a comma",
  ImportExpression: "import",
  ClassExpression: "a class",
  TaggedTemplateExpression: "a tagged template",
};

/** The function that is called by a name. */
export function functionNamed(name: string, { start, end }: Span): FunctionName {
  const found = (callable as readonly string[]).includes(name) ? (name as FunctionName) : own(synonyms, name);
  if (found) return found;
  throw new Refusal({
    code: "unknown_function",
    message: `${inQuotes(name)} is no function of expressions`,
    got: name,
    candidates: [...callable, ...Object.keys(synonyms)],
    span: { start, end },
  });
}

/** The function that is called as a method of its first argument. */
export function methodNamed(name: string, { start, end }: Span): FunctionName {
  const found = methods.includes(name) ? (name as FunctionName) : own(methodNames, name);
  if (found) return found;
  throw new Refusal({
    code: "unknown_function",
    message: `.${name.slice(0, 60)}() is no method that expressions know`,
    got: name,
    candidates: [...methods, ...Object.keys(methodNames)],
    span: { start, end },
  });
}

/** A record's own entry: names come from outside, and every object has a constructor. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
