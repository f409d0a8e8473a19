import type { Session } from "node:inspector";
import type { Completions } from "./evaluator.ts";

interface Property {
  readonly name: string;
  readonly value?: { readonly type: string; readonly description?: string };
  readonly symbol?: unknown;
}

/** A path of names before the dot at the cursor; nothing that could have an effect. */
const memberPath = /(?:^|[^\w$.\])])((?:[A-Za-z_$][\w$]*\.)+)([\w$]*)$/;

/**
 * Completes the properties of a live object: `table.co|`. Null when the code before the cursor is no such path.
 *
 * V8 evaluates it without side effects, or refuses to.
 */
export function completeLive(inspector: Session, code: string, cursor: number): Completions | null {
  const found = memberPath.exec(code.slice(0, cursor));
  if (!found) return null;
  const [, path, partial] = found;
  // The session's helpers are described by their types, with docs; the running program knows only names.
  if (/^(?:session|help)\./.test(path)) return null;
  const properties = propertiesOf(inspector, path.slice(0, -1));
  if (!properties) return null;
  const items = properties
    .filter(
      (property) =>
        !property.symbol && property.name.startsWith(partial) && /^(?!__)[A-Za-z_$][\w$]*$/.test(property.name),
    )
    .map((property) => ({ text: property.name, kind: property.value?.type === "function" ? "method" : "property" }));
  return items.length === 0 ? null : { start: cursor - partial.length, end: cursor, items: items.slice(0, 200) };
}

function propertiesOf(inspector: Session, path: string): Property[] | null {
  let objectId: string | undefined;
  // Not in REPL mode, where V8 answers later and not at once.
  const params = { expression: path, throwOnSideEffect: true, silent: true };
  inspector.post(
    "Runtime.evaluate",
    params,
    (error, answer?: { result?: { objectId?: string }; exceptionDetails?: unknown }) => {
      if (!error && !answer?.exceptionDetails) objectId = answer?.result?.objectId;
    },
  );
  if (!objectId) return null;
  let found: Property[] = [];
  inspector.post(
    "Runtime.getProperties",
    { objectId, ownProperties: false, generatePreview: false },
    (error, answer?: { result?: Property[] }) => {
      if (!error) found = answer?.result ?? [];
    },
  );
  inspector.post("Runtime.releaseObject", { objectId });
  return found;
}

/** What the types say of the names at the cursor, and behind it what only the running program knows. */
export function merge(live: Completions | null, typed: Completions | null): Completions | null {
  if (typed?.isAll) return typed;
  if (!live || !typed || typed.items.length === 0) return live ?? typed;
  const known = new Set(typed.items.map((item) => item.text));
  return { ...typed, items: [...typed.items, ...live.items.filter((item) => !known.has(item.text))] };
}
