import { DataType } from "./messages.ts";

/** A column or a struct's field. */
export interface SparkField {
  readonly name: string;
  readonly type: SparkType;
  readonly isNullable: boolean;
}

/** A type of Spark's: its name as in SQL, and what it is made of. */
export interface SparkType {
  /** The name of its kind: "integer", "decimal", "timestamp_ntz", "array" … */
  readonly kind: string;
  /** As SQL writes it: "decimal(10,2)", "array<int>". */
  readonly text: string;
  readonly precision?: number;
  readonly scale?: number;
  /** Of an array. */
  readonly element?: SparkType;
  /** Of a map. */
  readonly key?: SparkType;
  readonly value?: SparkType;
  /** Of a struct. */
  readonly fields?: readonly SparkField[];
}

/** Kinds whose name in SQL is another than in the protocol. */
const sqlNames: Readonly<Record<string, string>> = {
  null: "void",
  byte: "tinyint",
  short: "smallint",
  integer: "int",
  long: "bigint",
  calendar_interval: "interval",
};

/** The type in an encoded DataType. */
export function typeOf(bytes: Uint8Array): SparkType {
  const found = DataType.decode(bytes);
  const { array, map, struct, decimal, char, var_char, string, udt, unparsed } = found;
  // Exactly one field is set, which tells the kind.
  const [kind = "unparsed"] = Object.keys(found);
  if (array) {
    const element = typeOf(array.element_type ?? new Uint8Array());
    return { kind, element, text: `array<${element.text}>` };
  }
  if (map) {
    const [key, value] = [map.key_type, map.value_type].map((each) => typeOf(each ?? new Uint8Array()));
    return { kind, key, value, text: `map<${key.text},${value.text}>` };
  }
  if (struct) {
    const fields = (struct.fields ?? []).map(({ name = "", data_type = new Uint8Array(), nullable = false }) => {
      return { name, type: typeOf(data_type), isNullable: nullable };
    });
    const inside = fields.map(({ name, type }) => `${quotedName(name)}:${type.text}`).join(",");
    return { kind, fields, text: `struct<${inside}>` };
  }
  if (decimal) {
    const { precision = 10, scale = 0 } = decimal;
    return { kind, precision, scale, text: `decimal(${precision},${scale})` };
  }
  if (char) return { kind: "string", text: `char(${char.length ?? 0})` };
  if (var_char) return { kind: "string", text: `varchar(${var_char.length ?? 0})` };
  if (string) return { kind, text: "string" };
  if (udt) return udt.sql_type ? typeOf(udt.sql_type) : { kind, text: udt.type ?? "udt" };
  if (unparsed) return { kind, text: unparsed.data_type_string ?? "unknown" };
  const interval = found.year_month_interval ?? found.day_time_interval;
  if (interval) return { kind, text: `interval ${spanOf(kind, interval)}` };
  return { kind, text: sqlNames[kind] ?? kind };
}

/** A name as Spark's SQL takes it, whatever it holds. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

function spanOf(kind: string, { start_field, end_field }: { start_field?: number; end_field?: number }): string {
  const units = kind === "year_month_interval" ? ["year", "month"] : ["day", "hour", "minute", "second"];
  const from = start_field ?? 0;
  const to = end_field ?? units.length - 1;
  return from === to ? units[from] : `${units[from]} to ${units[to]}`;
}
