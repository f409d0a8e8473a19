import * as messages from "./messages.ts";
import type { Of } from "./protobuf.ts";

/** What Spark works out rows from, as the protocol tells it; made by the functions beside it. */
export interface Relation {
  /** The encoded message. */
  readonly bytes: Uint8Array;
}

/** A literal whose type is told, such as { double: 1 } or { timestamp_ntz: 0n }: exactly one of its fields is set. */
export type TypedLiteral = Of<typeof messages.Literal>;

/** A value for a parameter of SQL. A number is a DOUBLE, a bigint a BIGINT, a Date a TIMESTAMP, null of type void. */
export type Argument = null | boolean | number | bigint | string | Uint8Array | Date | TypedLiteral;

/** Values for `:name` by their names, or for each `?` in turn. */
export type Arguments = Readonly<Record<string, Argument>> | readonly Argument[];

/** The rows of a query, with values for its parameters. */
export function sql(query: string, args: Arguments = {}): Relation {
  const list = args as readonly Argument[];
  const parameters = Array.isArray(args)
    ? { pos_arguments: list.map(expressionOf) }
    : { named_arguments: Object.entries(args).map(([key, value]) => ({ key, value: expressionOf(value) })) };
  return relation({ sql: { query, ...parameters } });
}

/** The rows of a table or view; its name as in SQL, such as `catalog.schema.table`. */
export function table(name: string, options: Readonly<Record<string, string>> = {}): Relation {
  return relation({ read: { named_table: { unparsed_identifier: name, options: pairs(options) } } });
}

/** The rows of files that the server can read: format such as "parquet", options such as { header: "true" }. */
export function files(
  format: string,
  paths: readonly string[],
  options: Readonly<Record<string, string>> = {},
  schema?: string,
): Relation {
  return relation({ read: { data_source: { format, paths, options: pairs(options), schema } } });
}

/** A relation's rows with these cells, each an expression of SQL, such as "*" or "_metadata.file_path AS f". */
export function select(input: Relation, expressions: readonly string[]): Relation {
  const texts = expressions.map((expression) => ({ expression_string: { expression } }));
  return relation({ project: { input: input.bytes, expressions: texts } });
}

/** Rows from here: the bytes of an Arrow IPC stream, up to 64 MB of them. */
export function localRows(arrowStream: Uint8Array): Relation {
  return relation({ local_relation: { data: arrowStream } });
}

/** A kind of model of Spark's ML library by its class, and what it is told. */
export interface Estimator {
  /** Such as "org.apache.spark.ml.classification.RandomForestClassifier". */
  readonly name: string;
  readonly parameters: Readonly<Record<string, TypedLiteral>>;
}

/** The rows with a vector of some of their columns behind them, as Spark's ML library takes features. */
export function assembled(input: Relation, columns: readonly string[], output: string): Relation {
  const elements = columns.map((string) => messages.Literal.encode({ string }));
  const parameters = {
    inputCols: { array: { element_type: { string: {} }, elements } },
    outputCol: { string: output },
  };
  const name = "org.apache.spark.ml.feature.VectorAssembler";
  const transformer = { name, uid: "blocklab_assembler", type: messages.operatorTypes.transformer };
  const transform = { transformer, input: input.bytes, params: parametersOf(parameters) };
  return relation({ ml_relation: { transform } });
}

/** The rows with what a fitted model of the session makes of them. */
export function transformed(input: Relation, model: string, parameters: Estimator["parameters"] = {}): Relation {
  const transform = { obj_ref: { id: model }, input: input.bytes, params: parametersOf(parameters) };
  return relation({ ml_relation: { transform } });
}

/** The numbers of a vector of Spark's ML library, as a value of a fitted model tells it; zeros may be left out there. */
export function vectorOf({ struct }: TypedLiteral, length: number): Float64Array {
  const found = new Float64Array(length);
  const [, , at, cells] = (struct?.elements ?? []).map((each) => messages.Literal.decode(each).specialized_array);
  for (const [k, each] of (cells?.doubles?.values ?? []).entries()) found[at?.ints?.values?.[k] ?? k] = each;
  return found;
}

/** What an operator is told, as the protocol tells it. */
export function parametersOf(parameters: Estimator["parameters"]) {
  return { params: Object.entries(parameters).map(([key, value]) => ({ key, value })) };
}

/** A value as the literal of its type. */
export function literalOf(value: Argument): TypedLiteral {
  if (value === null) return { null: { null: {} } };
  if (typeof value === "boolean") return { boolean: value };
  if (typeof value === "number") return { double: value };
  if (typeof value === "bigint") return { long: value };
  if (typeof value === "string") return { string: value };
  if (value instanceof Uint8Array) return { binary: value };
  if (value instanceof Date) return { timestamp: BigInt(value.getTime()) * 1000n };
  return value;
}

function expressionOf(value: Argument): Of<typeof messages.Expression> {
  return { literal: literalOf(value) };
}

function relation(value: Of<typeof messages.Relation>): Relation {
  return { bytes: messages.Relation.encode(value) };
}

function pairs(options: Readonly<Record<string, string>>): { key: string; value: string }[] {
  return Object.entries(options).map(([key, value]) => ({ key, value }));
}
