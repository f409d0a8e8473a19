/**
 * Messages in protobuf's wire format, each declared as a table of its fields.
 *
 * Spark's protocol has some 250 messages, of which a client that speaks SQL needs 40. A table of those is shorter than
 * what a generator writes for them, needs no build step, and is compared with the server's own descriptors by a test.
 * Where a message holds its own kind (a relation in a relation), the inner one is declared as bytes: encoded already,
 * or decoded when it is looked at. So nothing here is recursive, and what a server sends is handed back unharmed.
 * Source: protobuf.dev, "Encoding".
 */

/** The values of fields that are no messages. Whole numbers of 64 bits are bigint. */
interface Scalars {
  readonly string: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly int32: number;
  readonly int64: bigint;
  readonly float: number;
  readonly double: number;
}

type Kind = keyof Scalars | AnyMessage;

/** A field's number, what it holds, and whether it may come more than once. */
export type Field = readonly [number: number, kind: Kind, often?: "repeated"];

type Fields = Readonly<Record<string, Field>>;

type ValueOf<K> = K extends keyof Scalars ? Scalars[K] : K extends Message<infer T> ? T : never;

type FieldValue<F> = F extends readonly [number, infer K, "repeated"]
  ? readonly ValueOf<K>[]
  : F extends readonly [number, infer K]
    ? ValueOf<K>
    : never;

/** A message as an object; a field that is not set is not there. */
type Values<F> = { readonly [Name in keyof F]?: FieldValue<F[Name]> | undefined };

/** What all kinds of messages are. */
interface AnyMessage {
  /** The name in the protocol, without its package where that is Spark's. */
  readonly name: string;
  readonly fields: Fields;
  encode(value: never): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** One kind of message. */
export interface Message<T> extends AnyMessage {
  encode(value: T): Uint8Array;
  /** Fields that are not declared are passed over; throws a RangeError where the bytes end too soon. */
  decode(bytes: Uint8Array): T;
}

/** What a message holds. */
export type Of<M> = M extends Message<infer T> ? T : never;

/** Declares a message. */
export function message<const F extends Fields>(name: string, fields: F): Message<Values<F>> {
  const named = Object.entries(fields);
  const byNumber = new Map(named.map((each) => [each[1][0], each]));
  return {
    name,
    fields,
    encode(value) {
      const writer = new Writer();
      for (const [field, [number, kind, often]] of named) {
        const found = value[field];
        if (found === undefined) continue;
        for (const each of often ? (found as readonly unknown[]) : [found]) writer.field(number, kind, each);
      }
      return writer.bytes();
    },
    decode(bytes) {
      const reader = new Reader(bytes);
      const value: Record<string, unknown> = {};
      while (!reader.isAtEnd) {
        const key = reader.key();
        const [field, [, kind, often]] = byNumber.get(key >>> 3) ?? ["", [0, "bytes"] as Field];
        const wireType = key & 7;
        const found = reader.value(wireType, field === "" ? null : kind);
        if (field === "") continue;
        if (often && isPacked(wireType, kind))
          value[field] = [...((value[field] as unknown[]) ?? []), ...unpacked(found as Uint8Array, kind)];
        else if (often) value[field] = [...((value[field] as unknown[]) ?? []), found];
        else value[field] = found;
      }
      return value as Values<F>;
    },
  };
}

/** How a value is told on the wire. */
const varint = 0;
const eightBytes = 1;
const sized = 2;
const fourBytes = 5;

const wireTypes: Readonly<Record<keyof Scalars, number>> = {
  string: sized,
  bytes: sized,
  bool: varint,
  int32: varint,
  int64: varint,
  float: fourBytes,
  double: eightBytes,
};

/** Numbers of a list may come as one run of bytes. */
function isPacked(wireType: number, kind: Kind): kind is keyof Scalars {
  return typeof kind === "string" && wireType === sized && wireTypes[kind] !== sized;
}

function unpacked(bytes: Uint8Array, kind: keyof Scalars): unknown[] {
  const reader = new Reader(bytes);
  const found: unknown[] = [];
  while (!reader.isAtEnd) found.push(reader.value(wireTypes[kind], kind));
  return found;
}

class Writer {
  readonly #parts: Uint8Array[] = [];

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  field(number: number, kind: Kind, value: unknown): void {
    this.#varint(BigInt(number * 8 + (typeof kind === "string" ? wireTypes[kind] : sized)));
    if (typeof kind !== "string") this.#sized(kind.encode(value as never));
    else if (kind === "string") this.#sized(new TextEncoder().encode(value as string));
    else if (kind === "bytes") this.#sized(value as Uint8Array);
    // Negative numbers of 32 bits are written with 64, as all whole numbers.
    else if (kind === "float" || kind === "double") this.#parts.push(real(kind, value as number));
    else this.#varint(BigInt.asUintN(64, BigInt(value as bigint | number | boolean)));
  }

  #sized(value: Uint8Array): void {
    this.#varint(BigInt(value.length));
    this.#parts.push(value);
  }

  /** Seven bits a byte, the lowest first; all but the last byte have the high bit. */
  #varint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.#parts.push(Uint8Array.from(bytes));
  }
}

function real(kind: "float" | "double", value: number): Uint8Array {
  const bytes = Buffer.alloc(kind === "float" ? 4 : 8);
  if (kind === "float") bytes.writeFloatLE(value);
  else bytes.writeDoubleLE(value);
  return bytes;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A field's number and, in the lowest three bits, its wire type. */
  key(): number {
    return Number(this.#varint());
  }

  /** The next value; of a field that is not known it is only passed over. */
  value(wireType: number, kind: Kind | null): unknown {
    if (wireType === varint) return whole(this.#varint(), kind);
    if (wireType === eightBytes) return this.#take(8).readDoubleLE();
    if (wireType === fourBytes) return this.#take(4).readFloatLE();
    if (wireType !== sized) throw new RangeError(`a message has wire type ${wireType}, which is not in use`);
    const bytes = this.#take(Number(this.#varint()));
    if (kind === "string") return bytes.toString("utf8");
    return kind === null || typeof kind === "string" ? bytes : kind.decode(bytes);
  }

  #take(length: number): Buffer {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError("a message ends too soon");
    return this.#bytes.subarray(from, this.#at);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError("a message has a number of more than 64 bits");
  }
}

function whole(value: bigint, kind: Kind | null): unknown {
  if (kind === "bool") return value !== 0n;
  return kind === "int32" ? Number(BigInt.asIntN(32, value)) : BigInt.asIntN(64, value);
}
