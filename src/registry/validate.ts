import { z } from "zod";
import type { ArgsSpec } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { didYouMean, listed, quoted } from "../core/names.ts";
import { synonymOf } from "./synonyms.ts";

type Schema = z.core.$ZodType;

/**
 * Checks a block's arguments and fills in defaults.
 *
 * As lenient as clients need: null and "" mean absent, whatever the key; "true" and numbers in strings are coerced where the
 * field's type says so, aliases and known misspellings are mapped. Any other unknown key is an error.
 */
export function validateArgs(block: ArgsSpec, raw: unknown): Record<string, unknown> {
  const who = `${block.name} (${block.code})`;
  if (raw !== undefined && raw !== null && (typeof raw !== "object" || Array.isArray(raw))) {
    throw new ArgsError(`${who}: args must be an object, got ${kindOf(raw)}.`, {
      block: block.code,
      path: "args",
      got: kindOf(raw),
      expected: "an object",
    });
  }
  if (isDeeper(raw, mostLevels)) {
    throw new ArgsError(`${who}: args must not be nested more than ${mostLevels} deep.`, {
      block: block.code,
      path: "args",
      got: `more than ${mostLevels} levels`,
      expected: `at most ${mostLevels} levels`,
    });
  }
  const named = rename(block, (raw ?? {}) as Record<string, unknown>, who);
  const plain = plainLists(block, named);
  refuseLongLists(block, who, named, plain);
  const prepared = Object.fromEntries(
    Object.entries(named)
      .map(
        ([name, value]) => [name, plain.get(name)?.slice(0, pieceLength) ?? coerce(value, block.args[name])] as const,
      )
      .filter(([, value]) => value !== undefined),
  );
  const checked = schemaOf(block).safeParse(prepared);
  if (checked.success) return { ...checked.data, ...Object.fromEntries(plain) };
  throw explain(block, who, innermost(checked.error.issues[0]), prepared);
}

const schemas = new WeakMap<ArgsSpec, z.ZodObject>();

/** The block's schema, made once: zod compiles a new one at its first use, which takes longer than to check. */
function schemaOf(block: ArgsSpec): z.ZodObject {
  const schema = schemas.get(block) ?? z.strictObject(block.args);
  schemas.set(block, schema);
  return schema;
}

/** Deeper JSON would end in a stack overflow when it is stored. */
const mostLevels = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The name among these that was meant by a word nobody knows, as a question. */
function meantBy(word: string, known: readonly string[]): string {
  const synonym = synonymOf(word, known);
  return synonym === undefined ? didYouMean(word, known) : ` Did you mean ${quoted(synonym)}?`;
}

/** Alternatives of a union are told as words, those that are texts in quotes. */
function unquoted(alternative: unknown): string {
  return String(alternative).replace(/^"(.*)"$/, "$1");
}

/** Maps aliases and misspellings to the wire's names; refuses keys nobody knows. */
function rename(block: ArgsSpec, raw: Record<string, unknown>, who: string): Record<string, unknown> {
  const renamed = new Map<string, unknown>();
  const known = Object.keys(block.args);
  const others = { ...block.aliases, ...block.tolerates };
  for (const [key, value] of Object.entries(raw)) {
    const name = Object.hasOwn(block.args, key) ? key : Object.hasOwn(others, key) ? others[key] : null;
    if (name === null && isAbsent(value)) continue;
    if (name === null) {
      const candidates = [...known, ...Object.keys(block.aliases ?? {})];
      const takes = candidates.length === 0 ? "It takes none." : `It takes ${listed(candidates, 20)}.`;
      throw new ArgsError(`${who} has no argument ${quoted(key)}.${meantBy(key, candidates)} ${takes}`, {
        code: "unknown_argument",
        block: block.code,
        path: key.slice(0, 80),
        got: key.slice(0, 80),
        expected: candidates,
      });
    }
    if (isAbsent(value)) continue;
    if (renamed.has(name) && !isAbsent(renamed.get(name))) {
      throw new ArgsError(`${who}: ${name} is given twice, once as ${quoted(key)}; give it once.`, {
        block: block.code,
        path: name,
      });
    }
    renamed.set(name, value);
  }
  return Object.fromEntries(renamed);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Turns texts into what the schema wants, inside lists and objects too; leaves alone what it can't judge. */
function coerce(value: unknown, schema: Schema | undefined): unknown {
  if (isAbsent(value)) return undefined;
  if (!schema) return value;
  const { def } = schema._zod;
  switch (def.type) {
    case "optional":
    case "default":
    case "nullable":
      return coerce(value, (def as unknown as { innerType: Schema }).innerType);
    case "number":
      return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
    case "boolean":
      return coerceBoolean(value);
    case "array":
      return Array.isArray(value)
        ? value.map((item) => (item === null ? item : coerce(item, (def as unknown as { element: Schema }).element)))
        : value;
    case "object": {
      const { shape } = def as unknown as { shape: Record<string, Schema> };
      if (typeof value !== "object" || Array.isArray(value)) return value;
      const entries = Object.entries(value as object).map(
        ([name, inner]) => [name, coerce(inner, Object.hasOwn(shape, name) ? shape[name] : undefined)] as const,
      );
      return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
    }
    case "union": {
      const { options } = def as unknown as { options: Schema[] };
      if (options.some((option) => takesAny(option, value) || fits(option, value))) return value;
      const coerced = options.map((option) => coerce(value, option));
      return coerced.find((candidate, k) => fits(options[k], candidate)) ?? value;
    }
    default:
      return value;
  }
}

/** Lists longer than this are looked at piece by piece. */
const pieceLength = 256;

function piecesOf(list: readonly unknown[]): (readonly unknown[])[] {
  return Array.from({ length: Math.ceil(list.length / pieceLength) }, (_, k) =>
    list.slice(k * pieceLength, (k + 1) * pieceLength),
  );
}

/** Values that an argument may hold at all levels, where it is not a list of numbers and texts as they are wanted. */
const mostValues = 100_000;

/** Long lists that are as their schema wants them, found without asking it about each of a million numbers. */
function plainLists(block: ArgsSpec, named: Readonly<Record<string, unknown>>): Map<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(named)) {
    if (!Array.isArray(value) || value.length <= pieceLength) continue;
    const isPlain = optionsOf(block.args[name]).some(({ _zod: { def } }) => {
      const { type, element, checks = [] } = def as { type: string; element?: Schema; checks?: readonly Check[] };
      if (type !== "array" || element === undefined) return false;
      const isLength = ({ _zod: { def: rule } }: Check) =>
        rule.check === "min_length" || (rule.check === "max_length" && value.length <= (rule.maximum ?? 0));
      if (!checks.every(isLength)) return false;
      const options = optionsOf(element);
      return value.every((item) => options.some((option) => takesAny(option, item)));
    });
    if (isPlain) found.set(name, value);
  }
  return found;
}

interface Check {
  readonly _zod: { readonly def: { readonly check: string; readonly maximum?: number } };
}

/** What a schema takes, without what is wrapped around it. */
function optionsOf(schema: Schema | undefined): readonly Schema[] {
  if (!schema) return [];
  const { type, innerType, options } = schema._zod.def as { type: string; innerType?: Schema; options?: Schema[] };
  if (type === "union" && options) return options.flatMap(optionsOf);
  return innerType ? optionsOf(innerType) : [schema];
}

/**
 * Refuses a long list that is longer than any may be, or else at its first faulty item.
 *
 * Zod has no way to stop there: it goes on and writes a complaint about every one, for minutes over a few megabytes.
 */
function refuseLongLists(
  block: ArgsSpec,
  who: string,
  named: Readonly<Record<string, unknown>>,
  plain: ReadonlyMap<string, unknown>,
): void {
  for (const [name, value] of Object.entries(named)) {
    const schema = block.args[name] as Schema;
    if (plain.has(name)) continue;
    refuseMany(block, who, name, value);
    if (!Array.isArray(value) || value.length <= pieceLength) continue;
    for (const [k, piece] of piecesOf(value).entries()) {
      const coerced = coerce(piece, schema);
      const { error } = z.safeParse(schema as z.ZodType, coerced);
      const issue = error && innermost(error.issues[0]);
      const [at, ...path] = issue?.path ?? [];
      // A rule about the list as a whole says nothing about a piece of it.
      if (!issue || typeof at !== "number") continue;
      const item = (coerced as readonly unknown[])[at];
      const args = { ...named, [name]: { [k * pieceLength + at]: item } };
      throw explain(block, who, { ...issue, path: [name, k * pieceLength + at, ...path] }, args);
    }
  }
}

function refuseMany(block: ArgsSpec, who: string, name: string, value: unknown): void {
  const longest = Math.max(
    0,
    ...optionsOf(block.args[name]).flatMap(({ _zod: { def } }) =>
      ((def as { checks?: readonly Check[] }).checks ?? []).flatMap((each) =>
        each._zod.def.check === "max_length" && def.type === "array" ? [each._zod.def.maximum ?? 0] : [],
      ),
    ),
  );
  const most = longest || mostValues;
  const count = Array.isArray(value) && longest > 0 ? value.length : valuesIn(value, most);
  if (count <= most) return;
  const limit = most.toLocaleString("en-US");
  throw new ArgsError(`${who}: ${name} must hold at most ${limit} values, got ${count.toLocaleString("en-US")}.`, {
    block: block.code,
    path: name,
    got: count,
    expected: `at most ${limit} values`,
  });
}

/** How many values there are at all levels, counted no further than a bit beyond `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return 1;
  const inner = Object.values(value);
  let count = inner.length;
  for (const each of inner) {
    if (count > most) break;
    if (typeof each === "object" && each !== null) count += valuesIn(each, most);
  }
  return count;
}

/** Is every value of this type one for the schema? Saves asking it about each of a million numbers. */
function takesAny(schema: Schema, value: unknown): boolean {
  const { type, check, checks = [] } = schema._zod.def as { type: string; check?: string; checks?: readonly unknown[] };
  if (check === "number_format" && checks.length === 0) return Number.isSafeInteger(value);
  if (type === "unknown") return true;
  if (type === "null") return value === null;
  if (type !== typeof value || checks.length > 0 || check !== undefined) return false;
  return type === "number" ? Number.isFinite(value) : type === "string" || type === "boolean";
}

/** Would the schema take the value? Of a long list a piece at a time, so that the first fault ends it. */
function fits(schema: Schema, value: unknown): boolean {
  const pieces = Array.isArray(value) && value.length > pieceLength ? piecesOf(value) : [value];
  return pieces.every((piece) => z.safeParse(schema as z.ZodType, piece).success);
}

function coerceBoolean(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim().toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

/** Of a union's complaints the one that came furthest into the value: it is about what was meant. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const inner = issue.errors
    .flat()
    .map((each) => innermost({ ...each, path: [...issue.path, ...each.path] } as z.core.$ZodIssue));
  const deepest = inner.sort((a, b) => b.path.length - a.path.length)[0];
  return deepest && deepest.path.length > issue.path.length ? deepest : issue;
}

function explain(block: ArgsSpec, who: string, issue: z.core.$ZodIssue, args: Record<string, unknown>): ArgsError {
  const path = issue.path.map(String).join(".");
  const got = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    args,
  );
  const shown = path.replace(/\.(\d+)/g, "[$1]");
  const { rule, expected } = ruleOf(issue);
  const isSecret = block.secrets?.includes(String(issue.path[0])) === true;
  const said = isSecret && got !== undefined ? kindOf(got) : short(got);
  const detail = { block: block.code, path: shown, got: said, expected };
  if (issue.code === "unrecognized_keys") {
    const within = shown || "args";
    const known = fieldsAt(block.args, issue.path);
    const nearest = issue.keys.length === 1 ? meantBy(issue.keys[0], known) : "";
    const fields = known.length > 0 ? ` Fields: ${listed(known)}.` : "";
    return new ArgsError(
      `${who}: ${within} has no field ${listed(issue.keys.map((key) => key.slice(0, 80)))}.${nearest}${fields}`,
      { ...detail, expected: known, code: "unknown_argument" },
    );
  }
  if (got === undefined) {
    return new ArgsError(`${who} needs ${shown}: ${rule}.`, { ...detail, code: "missing_argument" });
  }
  const near = typeof got === "string" && Array.isArray(expected) ? didYouMean(got, expected.map(unquoted)) : "";
  return new ArgsError(`${who}: ${shown} must be ${rule}, got ${said}.${isSecret ? "" : near}`, detail);
}

/** What an issue asks for, in words, and as data. */
function ruleOf(issue: z.core.$ZodIssue): { rule: string; expected: unknown } {
  switch (issue.code) {
    case "invalid_type":
      return { rule: typeWord(issue.expected), expected: issue.expected };
    case "invalid_value": {
      const values = issue.values.map((value) => (typeof value === "string" ? quoted(value) : String(value)));
      const last = values.pop();
      return { rule: values.length > 0 ? `${values.join(", ")} or ${last}` : String(last), expected: issue.values };
    }
    case "too_small":
      return {
        rule: sizeRule(
          issue.origin,
          issue.exact ? "exactly" : issue.inclusive ? "at least" : "more than",
          issue.minimum,
        ),
        expected: `≥ ${issue.minimum}`,
      };
    case "too_big":
      return {
        rule: sizeRule(
          issue.origin,
          issue.exact ? "exactly" : issue.inclusive ? "at most" : "less than",
          issue.maximum,
        ),
        expected: `≤ ${issue.maximum}`,
      };
    case "invalid_union": {
      const rules = issue.errors.flatMap((inner) => inner.slice(0, 1).map((each) => ruleOf(each).rule));
      return { rule: [...new Set(rules)].join(", or ") || "of a known form", expected: rules };
    }
    default:
      return { rule: issue.message, expected: issue.message };
  }
}

function sizeRule(origin: string, bound: string, size: number | bigint): string {
  if (origin === "string") return `${bound} ${size} character${Number(size) === 1 ? "" : "s"}`;
  if (origin === "array") return `a list of ${bound} ${size}`;
  return `${bound} ${size}`;
}

function typeWord(expected: string): string {
  const words: Record<string, string> = {
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
  };
  return words[expected] ?? expected;
}

/** A value as JSON, cut after a few words. */
export function short(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? kindOf(value));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : typeof value;
}

/** The fields of the object that a path leads to, whatever is wrapped around it. */
function fieldsAt(shape: z.ZodRawShape, path: readonly PropertyKey[]): string[] {
  let fields: Record<string, unknown> | null = shape;
  for (const key of path) {
    if (typeof key === "number") continue;
    fields = objectIn(fields?.[String(key)]);
  }
  return Object.keys(fields ?? {});
}

function objectIn(schema: unknown): Record<string, unknown> | null {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodArray) return objectIn(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.map(objectIn).find((shape) => shape !== null) ?? null;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return objectIn(schema.unwrap());
  return null;
}
