import type { Session } from "node:inspector";
import { visible } from "../core/visible.ts";
import type { Variable } from "./evaluator.ts";
import { parseCell, visit } from "./parse.ts";
import { stripTypes } from "./strip.ts";

/** How long V8 may think about a preview; nobody feels it while typing. */
const timeoutMs = 40;

/** A built-in can't be stopped half-way; where the last preview took this long, the next wait for a cell. */
const overrunMs = 250;

const mostLetters = 72;

/** What V8's inspector says of a value. */
interface Remote {
  readonly type: string;
  readonly subtype?: string;
  readonly className?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly preview?: ObjectPreview;
}

interface ObjectPreview {
  readonly subtype?: string;
  readonly description?: string;
  readonly overflow: boolean;
  readonly properties: readonly PropertyPreview[];
  readonly entries?: readonly { readonly key?: ObjectPreview; readonly value: ObjectPreview }[];
}

interface PropertyPreview {
  readonly name: string;
  readonly type: string;
  readonly subtype?: string;
  readonly value?: string;
}

/** Looks at values without running anything that has an effect: V8 refuses to, getters included. */
export class Peek {
  readonly #inspector: Session;
  #isWeary = false;

  constructor(inspector: Session) {
    this.#inspector = inspector;
  }

  /** The value of a pure expression in one line; null for anything else, and for what it says already. */
  preview(code: string): string | null {
    const js = this.#isWeary ? null : pureExpression(code);
    if (js === null) return null;
    const start = performance.now();
    const found = this.#evaluate(`(${js}\n)`);
    this.#isWeary = performance.now() - start > overrunMs;
    if (!found || found.type === "undefined" || found.type === "function") return null;
    const words = inOneLine(found);
    return words === code.trim() ? null : words;
  }

  /** A cell has run: what took too long may be quick now. */
  rest(): void {
    this.#isWeary = false;
  }

  /** What a name stands for; null for one that never got a value. */
  variable(name: string): Variable | null {
    const found = this.#evaluate(name);
    return found && { name, type: typeOf(found), value: inOneLine(found) };
  }

  #evaluate(expression: string): Remote | null {
    let found: Remote | null = null;
    // Not in REPL mode, where V8 answers later and not at once.
    const params = {
      expression,
      throwOnSideEffect: true,
      silent: true,
      generatePreview: true,
      timeout: timeoutMs,
      objectGroup: "blocklab-peek",
    };
    try {
      this.#inspector.post(
        "Runtime.evaluate",
        params as object,
        (error, answer?: { result?: Remote; exceptionDetails?: unknown }) => {
          if (!error && !answer?.exceptionDetails) found = answer?.result ?? null;
        },
      );
      this.#inspector.post("Runtime.releaseObjectGroup", { objectGroup: "blocklab-peek" });
    } catch {
      // Stopped in time, or an evaluator that is closed: there is nothing to tell.
      return null;
    }
    return found;
  }
}

/** One expression without await, as JavaScript; null for any other code, and for what could take long. */
function pureExpression(code: string): string | null {
  if (code.length > 500 || !/\S/.test(code) || /^["'`\d\s.]*$/.test(code)) return null;
  // A call with a large count, such as Array(1e9), may keep a built-in busy that nothing can stop.
  if (code.includes("(") && /\d{6}|\de\d|\*\*|<</i.test(code)) return null;
  try {
    const js = stripTypes(/^\s*\{/.test(code) ? `(${code}\n)` : code);
    if (js === null) return null;
    const [statement, ...rest] = parseCell(js);
    if (rest.length > 0 || statement?.type !== "ExpressionStatement" || "directive" in statement) return null;
    let isPure = true;
    visit(statement, ({ type }) => {
      if (/^(?:Await|Import|Yield)/.test(type)) isPure = false;
    });
    return isPure ? js.slice(statement.start, statement.end).replace(/;\s*$/, "") : null;
  } catch {
    return null;
  }
}

function typeOf({ type, subtype, className, description }: Remote): string {
  if (subtype === "null") return "null";
  if (type !== "object") return type === "function" && /^class\b/.test(description ?? "") ? "class" : type;
  return subtype === "array" || subtype === "typedarray" || subtype === "map" || subtype === "set"
    ? (description ?? className ?? "object")
    : (className ?? "object");
}

/** A value as a reader of JavaScript would write it, cut to a line. */
function inOneLine(found: Remote): string {
  if (found.type === "string") return cut(quote(String(found.value)));
  if (found.type === "function")
    return cut(
      flat(found.description ?? "")
        .split("{")[0]
        .trim(),
    );
  if (found.type === "object" && found.subtype !== "null") {
    if (found.subtype === "error" || found.subtype === "date" || found.subtype === "regexp")
      return cut(
        flat(found.description ?? "")
          .split("    at ")[0]
          .trim(),
      );
    return cut(found.preview ? objectWords(found.preview) : (found.description ?? "object"));
  }
  return cut(found.unserializableValue ?? found.description ?? String(found.value ?? null));
}

function objectWords(preview: ObjectPreview): string {
  const { subtype, description = "Object", properties, entries, overflow } = preview;
  const more = overflow ? ["…"] : [];
  if (entries) {
    const words = entries.map(({ key, value }) => `${key ? `${innerWords(key)} => ` : ""}${innerWords(value)}`);
    return `${description} {${[...words, ...more].join(", ")}}`;
  }
  if (subtype === "array" || subtype === "typedarray") {
    const items = properties.filter(({ name }) => /^\d+$/.test(name)).map(propertyWords);
    const lead = subtype === "array" ? "" : `${description} `;
    return `${lead}[${[...items, ...more].join(", ")}]`;
  }
  const parts = properties.map((each) => `${nameWords(each.name)}: ${propertyWords(each)}`);
  return `${description === "Object" ? "" : `${description} `}{${[...parts, ...more].join(", ")}}`;
}

function innerWords(preview: ObjectPreview & { readonly type?: string }): string {
  const words = preview.description ?? "";
  return preview.type === "string" ? quote(words) : preview.properties.length > 0 ? objectWords(preview) : words;
}

function propertyWords({ type, value = "" }: PropertyPreview): string {
  if (type === "string") return quote(value);
  return type === "function" ? "ƒ" : type === "accessor" ? "…" : value || "{…}";
}

function nameWords(name: string): string {
  return /^[\w$]+$/.test(name) ? name : quote(name);
}

function quote(words: string): string {
  return `"${flat(words).replaceAll('"', '\\"')}"`;
}

function flat(words: string): string {
  return words.slice(0, 4 * mostLetters).replace(/\s+/g, " ");
}

/** One line that no terminal obeys. */
function cut(line: string): string {
  const words = visible(line);
  return words.length > mostLetters ? `${words.slice(0, mostLetters - 1)}…` : words;
}
