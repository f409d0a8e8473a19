import { stripTypeScriptTypes } from "node:module";
import { type Node, parse } from "acorn";

/** A cell that can't be run as written; the message says where. */
export class CellSyntaxError extends SyntaxError {
  /** Lines that show the place: the code, and a caret below. */
  readonly excerpt: readonly string[];
  /** The fault is that the text ends too early. */
  readonly isUnfinished: boolean;

  constructor(message: string, excerpt: readonly string[], isUnfinished = false, name = "SyntaxError") {
    super(message);
    this.name = name;
    this.excerpt = excerpt;
    this.isUnfinished = isUnfinished;
  }
}

/** The function that a cell's imports are turned into. */
export const importName = "__blocklab_import";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface SyntaxNode extends Node {
  readonly [key: string]: unknown;
}

/**
 * A TypeScript cell as JavaScript for V8's REPL mode.
 *
 * Types give way to blanks, so positions stay; enums and namespaces are compiled. Static imports become
 * awaited ones and exports lose their keyword, because a cell is a script with top-level await.
 */
export function transpile(code: string): string {
  return objectLiteral(code) ?? rewriteModuleSyntax(withoutTypes(code));
}

/** Types off; enums and namespaces, which make code, are compiled. */
function withoutTypes(code: string): string {
  try {
    return quietly(() => stripTypeScriptTypes(code, { mode: "strip" }));
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
      try {
        return quietly(() => stripTypeScriptTypes(code, { mode: "transform" }));
      } catch (second) {
        throw fromStripper(second, code);
      }
    }
    throw fromStripper(error, code);
  }
}

let isWarned = false;

/** Node 24 warns once that stripping is experimental, which tells the person at the screen nothing. */
function quietly<T>(work: () => T): T {
  if (isWarned) return work();
  isWarned = true;
  const { emitWarning } = process;
  process.emitWarning = (() => undefined) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function fromStripper(error: unknown, code: string): CellSyntaxError {
  const { message, startLine, startColumn } = error as { message: string; startLine?: number; startColumn?: number };
  const at = startLine === undefined ? positionByParsing(code) : { line: startLine, column: startColumn ?? 0 };
  const words = message.split("\n", 1)[0].replace(/`<eof>`/g, "the end");
  return new CellSyntaxError(words, at ? excerptOf(code, at.line, at.column) : [], /eof/i.test(message));
}

/** Where plain JavaScript's parser stumbles, when the stripper does not say. */
function positionByParsing(code: string): { line: number; column: number } | null {
  try {
    parseScript(code);
    return null;
  } catch (error) {
    return (error as { loc?: { line: number; column: number } }).loc ?? null;
  }
}

function parseScript(code: string): SyntaxNode {
  return parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
    locations: true,
  }) as unknown as SyntaxNode;
}

/** A cell that is one object literal means the object, not a block; null for any other cell. */
function objectLiteral(code: string): string | null {
  const trimmed = code.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  try {
    return rewriteModuleSyntax(withoutTypes(`(${code})`));
  } catch {
    return null;
  }
}

function rewriteModuleSyntax(code: string): string {
  let tree: SyntaxNode;
  try {
    tree = parseScript(code);
  } catch (error) {
    throw fromParser(error, code);
  }
  const edits: Edit[] = [];
  for (const node of tree.body as SyntaxNode[]) topLevel(node, code, edits);
  visit(tree, (node) => {
    if (node.type === "ImportExpression") {
      edits.push({ start: node.start, end: node.start + "import".length, text: importName });
    } else if (node.type === "MetaProperty" && code.slice(node.start, node.end).startsWith("import")) {
      edits.push({ start: node.start, end: node.end, text: `${importName}.meta` });
    }
  });
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
}

function fromParser(error: unknown, code: string): CellSyntaxError {
  const { message, loc, pos } = error as { message: string; loc?: { line: number; column: number }; pos?: number };
  const words = message.replace(/ \(\d+:\d+\)$/, "");
  const isUnfinished = pos !== undefined && code.slice(pos).trim() === "";
  return new CellSyntaxError(
    words,
    loc ? excerptOf(code, loc.line, loc.column) : [],
    isUnfinished || /Unterminated/.test(words),
  );
}

function excerptOf(code: string, line: number, column: number): string[] {
  const text = code.split("\n")[line - 1] ?? "";
  return [`${line} | ${text}`, `${" ".repeat(String(line).length)} | ${" ".repeat(column)}^`];
}

/** Imports and exports at a cell's top level. */
function topLevel(node: SyntaxNode, code: string, edits: Edit[]): void {
  switch (node.type) {
    case "ImportDeclaration":
      edits.push({
        start: node.start,
        end: node.end,
        text: keepLines(importText(node), code.slice(node.start, node.end)),
      });
      return;
    case "ExportNamedDeclaration": {
      const declaration = node.declaration as SyntaxNode | null;
      edits.push({ start: node.start, end: declaration ? declaration.start : node.end, text: "" });
      return;
    }
    case "ExportDefaultDeclaration":
      edits.push({ start: node.start, end: (node.declaration as SyntaxNode).start, text: "" });
      return;
    case "ExportAllDeclaration":
      edits.push({ start: node.start, end: node.end, text: "" });
  }
}

function importText(node: SyntaxNode): string {
  const source = JSON.stringify((node.source as { value: string }).value);
  const attributes = ((node.attributes as SyntaxNode[] | undefined) ?? []).map((attribute) => {
    const key = attribute.key as { name?: string; value?: string };
    return `${JSON.stringify(key.name ?? key.value)}: ${JSON.stringify((attribute.value as { value: string }).value)}`;
  });
  const call = `await ${importName}(${source}${attributes.length > 0 ? `, { with: { ${attributes.join(", ")} } }` : ""})`;
  const specifiers = node.specifiers as SyntaxNode[];
  if (specifiers.length === 0) return `${call};`;
  const local = (specifier: SyntaxNode) => (specifier.local as { name: string }).name;
  const space = specifiers.find((specifier) => specifier.type === "ImportNamespaceSpecifier");
  const named = specifiers
    .filter((specifier) => specifier !== space)
    .map((specifier) => {
      const imported = specifier.type === "ImportDefaultSpecifier" ? "default" : importedName(specifier);
      return `${JSON.stringify(imported)}: ${local(specifier)}`;
    });
  if (!space) return `const { ${named.join(", ")} } = ${call};`;
  const rest = named.length > 0 ? ` const { ${named.join(", ")} } = ${local(space)};` : "";
  return `const ${local(space)} = ${call};${rest}`;
}

function importedName(specifier: SyntaxNode): string {
  const imported = specifier.imported as { name?: string; value?: string };
  return imported.name ?? imported.value ?? "default";
}

/** An import over several lines stays as many lines, so that later positions hold. */
function keepLines(text: string, original: string): string {
  return text + "\n".repeat(original.split("\n").length - 1);
}

function visit(node: unknown, see: (node: SyntaxNode) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, see);
    return;
  }
  if (typeof node !== "object" || node === null || typeof (node as { type?: unknown }).type !== "string") return;
  see(node as SyntaxNode);
  for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value, see);
}
