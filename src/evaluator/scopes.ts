import { boundBy, childrenOf, type SyntaxNode } from "./parse.ts";

/** What a cell declares at its top level: each name, and whether it is constant. */
export function declaredBy(body: readonly SyntaxNode[]): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const node of body) {
    for (const name of hoistedVars(node)) found.set(name, false);
    if (node.type === "ImportDeclaration") {
      for (const specifier of node.specifiers as SyntaxNode[]) {
        for (const name of boundBy(specifier.local as SyntaxNode)) found.set(name, true);
      }
    }
    const declaration = (node.type.startsWith("Export") ? (node.declaration as SyntaxNode | null) : node) ?? node;
    for (const name of namesOf(declaration)) found.set(name, declaration.kind === "const");
  }
  return found;
}

/** The first place that assigns to one of these constants of the top level, inner names of the same spelling aside. */
export function assignmentTo(constants: ReadonlySet<string>, body: readonly SyntaxNode[]): SyntaxNode | null {
  if (constants.size === 0) return null;
  for (const node of body) {
    const found = search(node, constants);
    if (found) return found;
  }
  return null;
}

function search(node: SyntaxNode, constants: ReadonlySet<string>): SyntaxNode | null {
  const inner = new Set(scopeOf(node));
  const left = inner.size === 0 ? constants : new Set([...constants].filter((name) => !inner.has(name)));
  if (left.size === 0) return null;
  const target = targetOf(node);
  if (target && boundBy(target).some((name) => left.has(name))) return target;
  for (const child of childrenOf(node)) {
    const found = search(child, left);
    if (found) return found;
  }
  return null;
}

function targetOf(node: SyntaxNode): SyntaxNode | null {
  if (node.type === "AssignmentExpression") return node.left as SyntaxNode;
  if (node.type === "UpdateExpression") return node.argument as SyntaxNode;
  if (node.type === "ForInStatement" || node.type === "ForOfStatement") return node.left as SyntaxNode;
  return null;
}

/** The names that a node brings for what is inside it. */
function scopeOf(node: SyntaxNode): string[] {
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return (node.body as SyntaxNode[]).flatMap(namesOf);
    case "SwitchStatement":
      return (node.cases as SyntaxNode[]).flatMap((each) => (each.consequent as SyntaxNode[]).flatMap(namesOf));
    case "ForStatement":
      return node.init ? namesOf(node.init as SyntaxNode) : [];
    case "ForInStatement":
    case "ForOfStatement":
      return namesOf(node.left as SyntaxNode);
    case "CatchClause":
      return boundBy(node.param as SyntaxNode | null);
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [
        ...(node.params as SyntaxNode[]).flatMap(boundBy),
        ...boundBy(node.type === "FunctionExpression" ? (node.id as SyntaxNode | null) : null),
        ...hoistedVars(node.body as SyntaxNode),
      ];
    default:
      return [];
  }
}

/** The names that a declaration declares where it stands. */
function namesOf(node: SyntaxNode): string[] {
  if (node.type === "VariableDeclaration") {
    return (node.declarations as SyntaxNode[]).flatMap((each) => boundBy(each.id as SyntaxNode));
  }
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
    return boundBy(node.id as SyntaxNode | null);
  }
  return [];
}

/** The `var`s in a statement, also those in its blocks, but not those in its functions. */
function hoistedVars(node: SyntaxNode): string[] {
  if (/Function/.test(node.type)) return [];
  const own = node.type === "VariableDeclaration" && node.kind === "var" ? namesOf(node) : [];
  return [...own, ...childrenOf(node).flatMap(hoistedVars)];
}
