import { columnsRead, type Expr, looksAlong, type OpaqueExpr, type OpaquePart, rowColumn } from "../plan/expr.ts";

/** A value that SQL text may carry; it is bound, never pasted. */
export type SqlValue = string | number | bigint | boolean | null;

/** SQL as data: what it says of columns and expressions becomes text only when an engine runs it. */
export type Sql = OpaqueExpr;

/** A column of the table at hand. */
export function col(name: string): Sql {
  return { parts: [{ column: name }] };
}

/** An expression of a plan. */
export function made(expr: Expr): Sql {
  return { parts: [{ expr }] };
}

/** The Parquet file behind an artifact id, as a string literal. */
export function file(artifact: string): Sql {
  return { parts: [{ artifact }] };
}

/** SQL words of our own; never anything that came from outside. */
export function raw(text: string): Sql {
  return { parts: [{ text }] };
}

/**
 * Builds SQL from a template: `sql\`coalesce(${col("age")}, ${29.7})\``.
 *
 * Embedded Sql is spliced in; any other value is bound.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (Sql | SqlValue)[]): Sql {
  const parts: OpaquePart[] = [];
  strings.forEach((text, i) => {
    if (text) parts.push({ text });
    if (i >= values.length) return;
    const value = values[i];
    if (isSql(value)) append(parts, value.parts);
    // JSON, in which plans are stored, has no infinity.
    else if (typeof value === "number" && !Number.isFinite(value)) parts.push({ text: numberLiteral(value) });
    else parts.push({ value });
  });
  return { parts };
}

/** Numbers of our own as a list of DOUBLEs: one part of the plan, however many they are. */
export function doubles(values: Iterable<number>): Sql {
  return raw(`[${Array.from(values, numberLiteral).join(", ")}]::DOUBLE[]`);
}

/** Joins pieces of SQL with a separator of our own. */
export function join(pieces: readonly Sql[], separator = ", "): Sql {
  const parts: OpaquePart[] = [];
  pieces.forEach((piece, i) => {
    if (i > 0) parts.push({ text: separator });
    append(parts, piece.parts);
  });
  return { parts };
}

/** One by one: arguments lie on the stack, where the parts of thousands of columns find no room. */
function append(parts: OpaquePart[], more: readonly OpaquePart[]): void {
  for (const part of more) parts.push(part);
}

function isSql(value: unknown): value is Sql {
  return typeof value === "object" && value !== null && "parts" in value;
}

/** The names of the columns that a piece of SQL reads, `rowColumn` among them where rows are looked at in their order. */
export function columnsOf(piece: Sql): string[] {
  return looksAlong(piece) ? [...columnsRead(piece), rowColumn] : columnsRead(piece);
}

/** Quotes an identifier; the only place where one enters SQL text. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string as a SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A number as a DOUBLE literal in parentheses: `x-(-1e0)`, since `--` opens a comment. */
function numberLiteral(value: number): string {
  if (Number.isNaN(value)) return "'nan'::DOUBLE";
  if (!Number.isFinite(value)) return value > 0 ? "'inf'::DOUBLE" : "'-inf'::DOUBLE";
  const digits = String(value);
  const text = Number.isSafeInteger(value) || digits.includes("e") ? digits : `${digits}e0`;
  return value < 0 || Object.is(value, -0) ? `(${text})` : text;
}

/** A statement ready to run: text with `$1`, `$2` … and their values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What an engine knows that turns SQL into text: where an artifact's file lies, and how expressions are written. */
export interface Dialect {
  path(artifact: string): string;
  write(expr: Expr): Sql;
  /** An identifier, where the engine quotes it otherwise than `quote`. */
  quote?(name: string): string;
  /** A string, where the engine writes it otherwise than `literal`. */
  literal?(text: string): string;
}

/** Turns SQL into a statement. */
export function compile(piece: Sql, dialect: Dialect): Statement {
  // One value is one parameter: of two, DuckDB can't tell that expressions with them are the same, as groups must be.
  const places = new Map<string, string>();
  const text = textOf(piece, dialect, (value) => {
    const place = places.get(value) ?? `$${places.size + 1}`;
    places.set(value, place);
    return place;
  });
  return { text, values: [...places.keys()] };
}

/** SQL as a person reads it: values as literals. */
export function show(piece: Sql, dialect: Dialect): string {
  return textOf(piece, dialect, dialect.literal ?? literal);
}

function textOf(piece: Sql, dialect: Dialect, bind: (value: string) => string): string {
  const { quote: quoted = quote, literal: string = literal } = dialect;
  const words = piece.parts.map((part) => {
    if ("text" in part) return part.text;
    if ("column" in part) return quoted(part.column);
    if ("expr" in part) return textOf(dialect.write(part.expr), dialect, bind);
    if ("artifact" in part) return string(dialect.path(part.artifact));
    // Numbers go in as literals: a bound one hides from DuckDB's planner, and our own digits are safe.
    if (typeof part.value === "number") return numberLiteral(part.value);
    if (part.value === null) return "NULL";
    if (typeof part.value === "boolean") return part.value ? "TRUE" : "FALSE";
    if (typeof part.value === "bigint") return part.value < 0n ? `(${part.value})` : String(part.value);
    return bind(part.value);
  });
  return words.join("");
}
