import { applyEdits, type Edit, placeBefore } from "./edits.ts";
import { importName, importText, usedNames } from "./imports.ts";
import { parseCell, type SyntaxNode, visit } from "./parse.ts";
import { assignmentTo, declaredBy } from "./scopes.ts";
import { compile, type Stripped, stripTypes } from "./strip.ts";
import { CellSyntaxError, excerptOf, fromParser } from "./syntax.ts";

/** A cell as V8's REPL mode runs it. */
export interface Script extends Stripped {
  /** What it declares at its top level; true for constants. */
  readonly declares: ReadonlyMap<string, boolean>;
}

/**
 * A TypeScript cell as JavaScript for V8's REPL mode.
 *
 * Static imports become awaited ones, exports lose their keyword, and declarations of the top level become
 * `var`: V8 lets a `const` be declared again as a `const` alone, and a cell may well change its mind.
 * What a `const` promises is kept by looking for assignments; `constants` are those of earlier cells.
 */
export function transpile(code: string, constants: ReadonlySet<string> = new Set()): Script {
  return objectLiteral(code, constants) ?? toScript(code, strip(code), constants);
}

/** Can the cell be read? Throws the CellSyntaxError that `transpile` would, without ever loading TypeScript. */
export function checkSyntax(code: string): void {
  const js = stripTypes(code);
  // The stripper has read enums and decorators, too; only plain JavaScript is left to be parsed.
  if (js === null || hasDecorators(js)) return;
  parsed(code, { js, before: (place) => place });
}

function strip(code: string): Stripped {
  const js = stripTypes(code);
  return js === null || hasDecorators(js) ? compile(code) : { js, before: (place) => place };
}

/** Acorn stops at the first decorator; Node runs none either. */
function hasDecorators(js: string): boolean {
  if (!js.includes("@")) return false;
  try {
    parseCell(js);
    return false;
  } catch (error) {
    return js[(error as { pos?: number }).pos ?? -1] === "@";
  }
}

/** A cell that is one object literal means the object, not a block; null for any other cell. */
function objectLiteral(code: string, constants: ReadonlySet<string>): Script | null {
  const trimmed = code.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  try {
    const script = toScript(code, strip(`(${code})`), constants);
    const before: Stripped["before"] = (place) => {
      const found = script.before(place);
      return found.line === 1 ? { line: 1, column: Math.max(0, found.column - 1) } : found;
    };
    return { ...script, before };
  } catch {
    return null;
  }
}

function parsed(code: string, { js, before }: Stripped): readonly SyntaxNode[] {
  try {
    return parseCell(js);
  } catch (error) {
    throw fromParser(error, js, code, before);
  }
}

function toScript(code: string, stripped: Stripped, constants: ReadonlySet<string>): Script {
  const { js, before } = stripped;
  const body = parsed(code, stripped);
  refuseUsing(code, stripped, body);
  const declares = declaredBy(body);
  refuseAssignment(code, stripped, body, declares, constants);
  const edits = editsOf(js, body);
  const edited = applyEdits(js, edits);
  return { js: edited, declares, before: (place) => before(placeBefore(js, edits, edited, place)) };
}

function refuseAssignment(
  code: string,
  { before }: Stripped,
  body: readonly SyntaxNode[],
  declares: ReadonlyMap<string, boolean>,
  constants: ReadonlySet<string>,
): void {
  const all = new Set([...constants].filter((name) => !declares.has(name)));
  for (const [name, isConstant] of declares) if (isConstant) all.add(name);
  const target = assignmentTo(all, body);
  if (!target) return;
  const { start } = target.loc as { start: { line: number; column: number } };
  const words = `Assignment to a constant${target.name ? `: "${target.name}" was declared with const or import` : ""}.`;
  throw new CellSyntaxError(words, excerptOf(code, before(start)), false, "TypeError");
}

/** The names of a cell live on, so the end that `using` waits for would never come. */
function refuseUsing(code: string, { before }: Stripped, body: readonly SyntaxNode[]): void {
  const found = body.find(({ type, kind }) => type === "VariableDeclaration" && /using$/.test(String(kind)));
  if (!found) return;
  const { start } = found.loc as { start: { line: number; column: number } };
  const words = `"${found.kind}" needs a block here: { ${found.kind} … }. What a cell declares lives on, and would never be disposed of.`;
  throw new CellSyntaxError(words, excerptOf(code, before(start)));
}

function editsOf(js: string, body: readonly SyntaxNode[]): Edit[] {
  if (body.length === 0) return [];
  const used = body.some((node) => node.type === "ImportDeclaration") ? usedNames(body) : new Set<string>();
  const late = lateImports(body);
  const edits: Edit[] = [
    // As in every module. Without the undefined an empty statement would have the directive's value.
    insert(body[0].start, `"use strict";void 0;${late.map((node) => importText(node, used)).join("")}`),
    ...body.flatMap((node) => (late.includes(node) ? [blank(node, js)] : topLevel(node, js, used))),
    ...silence(body.at(-1)),
  ];
  if (!js.includes("import")) return edits;
  for (const top of body) visit(top, (node) => edits.push(...within(node, js)));
  return edits;
}

/** Imports behind other statements; a module has them before it begins. */
function lateImports(body: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const begins = body.findIndex((node) => node.type !== "ImportDeclaration");
  return begins < 0 ? [] : body.slice(begins).filter((node) => node.type === "ImportDeclaration");
}

/** What becomes of an expression, wherever it stands. */
function within(node: SyntaxNode, js: string): Edit[] {
  const { type, start, end } = node;
  if (type === "ImportExpression") return [{ start, end: start + "import".length, text: importName }];
  if (type === "MetaProperty" && js.startsWith("import", start)) return [{ start, end, text: `${importName}.meta` }];
  return [];
}

/** A cell that ends in a declaration has no value; V8 would answer that of the statement before. */
function silence(last: SyntaxNode | undefined): Edit[] {
  return last && /Declaration$/.test(last.type) && last.type !== "ExportDefaultDeclaration"
    ? [insert(last.end, ";void 0")]
    : [];
}

/** What becomes of a statement of the top level. */
function topLevel(node: SyntaxNode, js: string, used: ReadonlySet<string>): Edit[] {
  const { start, end } = node;
  switch (node.type) {
    case "ImportDeclaration":
      return [{ start, end, text: keepLines(importText(node, used), js.slice(start, end)) }];
    case "VariableDeclaration":
      return variables(node);
    case "ClassDeclaration":
      return [insert(start, `var ${(node.id as unknown as { name: string }).name} = `), insert(end, ";")];
    case "ExportNamedDeclaration": {
      const declaration = node.declaration as SyntaxNode | null;
      if (!declaration) return [blank(node, js)];
      return [{ start, end: declaration.start, text: "" }, ...topLevel(declaration, js, used)];
    }
    case "ExportDefaultDeclaration": {
      const declaration = node.declaration as SyntaxNode;
      const keyword = { start, end: declaration.start, text: "" };
      if (/Declaration$/.test(declaration.type) && declaration.id) return [keyword, ...topLevel(declaration, js, used)];
      return [keyword, insert(declaration.start, "("), insert(declaration.end, ")")];
    }
    case "ExportAllDeclaration":
      return [{ start, end, text: "" }];
    default:
      return [];
  }
}

/** `let` and `const` become `var`; one without a value gets undefined, as it would when declared again. */
function variables(node: SyntaxNode): Edit[] {
  if (node.kind !== "let" && node.kind !== "const") return [];
  const declarators = node.declarations as SyntaxNode[];
  return [
    { start: node.start, end: node.start + node.kind.length, text: "var" },
    ...declarators.filter(({ init }) => !init).map(({ end }) => insert(end, " = void 0")),
  ];
}

function blank({ start, end }: SyntaxNode, js: string): Edit {
  return { start, end, text: keepLines("", js.slice(start, end)) };
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** A statement over several lines stays as many lines, so that the lines after it keep their numbers. */
function keepLines(text: string, original: string): string {
  return text + "\n".repeat(original.split("\n").length - 1);
}
