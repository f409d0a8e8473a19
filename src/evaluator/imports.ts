import { type SyntaxNode, visit } from "./parse.ts";

/** The function that a cell's imports are turned into. */
export const importName = "__blocklab_import";

/** A static import as an awaited one, with `used` telling which of its names the cell needs as values. */
export function importText(node: SyntaxNode, used: ReadonlySet<string>): string {
  const source = JSON.stringify((node.source as { value: string }).value);
  const specifiers = (node.specifiers as SyntaxNode[]).map((specifier) => ({
    local: (specifier.local as { name: string }).name,
    imported: importedName(specifier),
  }));
  const named = specifiers.filter(({ imported }) => imported !== null);
  const space = specifiers.find(({ imported }) => imported === null);
  const needed = named.filter(({ local }) => used.has(local)).map(({ imported }) => imported);
  const call = `await ${importName}(${source}, ${optionsText(node)}, ${JSON.stringify(needed)})`;
  if (specifiers.length === 0) return `${call};`;
  const pattern = `{ ${named.map(({ imported, local }) => `${JSON.stringify(imported)}: ${local}`).join(", ")} }`;
  if (!space) return `var ${pattern} = ${call};`;
  return `var ${space.local} = ${call};${named.length > 0 ? ` var ${pattern} = ${space.local};` : ""}`;
}

/** Every name that stands outside of imports; what stands nowhere may well be a type. */
export function usedNames(body: readonly SyntaxNode[]): Set<string> {
  const found = new Set<string>();
  for (const node of body) {
    if (node.type === "ImportDeclaration") continue;
    visit(node, (inner) => {
      if (inner.type === "Identifier") found.add(inner.name as string);
    });
  }
  return found;
}

function optionsText(node: SyntaxNode): string {
  const attributes = ((node.attributes as SyntaxNode[] | undefined) ?? []).map((attribute) => {
    const key = attribute.key as { name?: string; value?: string };
    return `${JSON.stringify(key.name ?? key.value)}: ${JSON.stringify((attribute.value as { value: string }).value)}`;
  });
  return attributes.length > 0 ? `{ with: { ${attributes.join(", ")} } }` : "undefined";
}

/** The name in the module; null for `* as`. */
function importedName(specifier: SyntaxNode): string | null {
  if (specifier.type === "ImportNamespaceSpecifier") return null;
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  const imported = specifier.imported as { name?: string; value?: string };
  return imported.name ?? imported.value ?? "default";
}
