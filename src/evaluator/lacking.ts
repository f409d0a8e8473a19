import { lacking } from "../core/foreign-names.ts";
import { parseCell, type SyntaxNode } from "./parse.ts";
import { stripTypes } from "./strip.ts";

/** What a cell looks at in the end: properties behind a name. */
export interface LookedAt {
  readonly name: string;
  readonly path: readonly string[];
}

/** The properties that a cell's last statement looks at, as in `result.species`, and nothing more; null for any other. */
export function lookedAt(code: string): LookedAt | null {
  try {
    const last = parseCell(stripTypes(code) ?? code).at(-1);
    return last?.type === "ExpressionStatement" ? placeOf(last.expression as SyntaxNode) : null;
  } catch {
    return null;
  }
}

function placeOf(node: SyntaxNode): LookedAt | null {
  if (node.type === "AwaitExpression") return placeOf(node.argument as SyntaxNode);
  if (node.type !== "MemberExpression") return null;
  const { object, property, computed } = node as unknown as {
    readonly object: SyntaxNode;
    readonly property: SyntaxNode;
    readonly computed: boolean;
  };
  const key = computed ? (property.type === "Literal" ? property.value : null) : property.name;
  if (typeof key !== "string" && typeof key !== "number") return null;
  if (object.type === "Identifier") return { name: String(object.name), path: [String(key)] };
  const before = placeOf(object);
  return before && { ...before, path: [...before.path, String(key)] };
}

/** What a value of ours says of the first of these properties that it does not have; null for others' values. */
export function lackingWords(value: unknown, path: readonly string[]): string | null {
  let at = value;
  for (const key of path) {
    const isObject = (typeof at === "object" && at !== null) || typeof at === "function";
    if (!isObject || !(lacking in (at as object))) return null;
    // A cast because only values of ours have the key, and they answer a sentence.
    const known = at as { readonly [lacking]: (name: string) => string } & Readonly<Record<string, unknown>>;
    if (!(key in known)) return known[lacking](key);
    at = known[key];
  }
  return null;
}
