import { type Node, parse } from "acorn";

/** A node of the JavaScript tree, its fields to be read with care. */
export interface SyntaxNode extends Node {
  readonly [key: string]: unknown;
}

/** A cell's JavaScript as a tree: a module (top-level await included). */
export function parseCell(js: string): readonly SyntaxNode[] {
  const tree = parse(js, {
    ecmaVersion: "latest",
    sourceType: "module",
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
    locations: true,
  }) as unknown as { readonly body: readonly SyntaxNode[] };
  return tree.body;
}

/** A node's own nodes. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc") continue;
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) found.push(each);
  }
  return found;
}

/** Calls `see` on a node and everything below it. */
export function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

/** The names that a pattern binds: `a`, `{ a, b: [c] }`, `...rest`. */
export function boundBy(pattern: SyntaxNode | null): string[] {
  if (!pattern) return [];
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name as string];
    case "ObjectPattern":
      return (pattern.properties as SyntaxNode[]).flatMap((each) =>
        boundBy(each.type === "Property" ? (each.value as SyntaxNode) : each),
      );
    case "ArrayPattern":
      return (pattern.elements as (SyntaxNode | null)[]).flatMap(boundBy);
    case "AssignmentPattern":
      return boundBy(pattern.left as SyntaxNode);
    case "RestElement":
      return boundBy(pattern.argument as SyntaxNode);
    default:
      return [];
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
