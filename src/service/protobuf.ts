/**
 * A message in protobuf's wire format, put together field by field.
 *
 * Our own because the libraries build a message object by object, and a forest has a hundred million numbers. Source:
 * protobuf.dev, "Encoding".
 */
export class Message {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** The bytes, piece by piece. */
  get parts(): readonly Uint8Array[] {
    return this.#parts;
  }

  /** A whole number from 0 on. */
  int(field: number, value: number): this {
    return this.#push(varints([field * 8, value]));
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#push(varints([field * 8 + 2, value.byteLength])).#push(value);
  }

  message(field: number, value: Message): this {
    this.#push(varints([field * 8 + 2, value.length]));
    for (const part of value.parts) this.#push(part);
    return this;
  }

  /** Whole numbers from 0 on, packed. */
  ints(field: number, values: Int32Array | readonly number[]): this {
    return this.bytes(field, varints(values));
  }

  /** The same field again and again: `texts[code]` for each code. */
  texts(field: number, texts: readonly string[], codes: Uint8Array): this {
    const each = texts.map((text) => Buffer.concat(new Message().text(field, text).parts));
    const out = new Uint8Array(codes.reduce((sum, code) => sum + each[code].length, 0));
    let at = 0;
    for (const code of codes) {
      out.set(each[code], at);
      at += each[code].length;
    }
    return this.#push(out);
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.byteLength;
    return this;
  }
}

/** Seven bits a byte, the lowest first; all but a number's last byte have the high bit. */
function varints(values: Int32Array | readonly number[]): Uint8Array {
  let length = 0;
  for (let k = 0; k < values.length; k++) {
    for (let value = values[k]; value >= 128; value = Math.floor(value / 128)) length++;
    length++;
  }
  const out = new Uint8Array(length);
  let at = 0;
  for (let k = 0; k < values.length; k++) {
    let value = values[k];
    for (; value >= 128; value = Math.floor(value / 128)) out[at++] = (value % 128) | 128;
    out[at++] = value;
  }
  return out;
}
