/**
 * A small assembler for WebAssembly with 128-bit vectors, for the few loops where plain JavaScript is too slow.
 *
 * Opcodes and sections: WebAssembly Core Specification 2.0, chapter 5. Expressions are nested calls, so that a loop
 * reads from the outside in: `set(sum, vector.add(get(sum), vector.load(get(at))))`.
 */

/** What is used of WebAssembly: Node's own types leave it to those of browsers. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => Memory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => CompiledModule;
  readonly Instance: new (
    compiled: CompiledModule,
    imports: { env: { memory: Memory } },
  ) => { readonly exports: unknown };
};

/** A module that is ready to be given a memory. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]: string;
}

/** Memory that compiled functions and typed arrays share. */
export interface Memory {
  readonly buffer: ArrayBuffer;
}

const pageBytes = 65_536;

/** A zeroed memory of at least so many bytes. */
export function createMemory(bytes: number): Memory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) });
}

/** Compiles functions for any memory. */
export function compile(functions: readonly VectorFunction[]): CompiledModule {
  return new WebAssembly.Module(assemble(functions));
}

/** The compiled functions over a memory, as `exports` of the type that the caller knows them to have. */
export function linked<Exports>(compiled: CompiledModule, memory: Memory): Exports {
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as Exports;
}

/** Bytes of an instruction, or of several; what they leave on the stack is their value. */
export type Code = readonly number[];

/** One exported function: addresses and counts in, nothing out. */
export interface VectorFunction {
  readonly name: string;
  /** Numbers of parameters and of further locals; locals are counted on from the parameters, vectors last. */
  readonly params: number;
  readonly ints: number;
  readonly vectors: number;
  readonly body: Code;
}

/** A number in LEB128, signed: seven bits a byte, the lowest first. */
function leb(value: number): number[] {
  const out: number[] = [];
  for (let rest = value; ; ) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    out.push(isLast ? byte : byte | 0x80);
    if (isLast) return out;
  }
}

/** A number from 0 in LEB128, unsigned. */
function uleb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...uleb(value >>> 7)];
}

/** The value of a local. */
export const get = (local: number): Code => [0x20, ...uleb(local)];
/** Puts a value into a local. */
export const set = (local: number, value: Code): Code => [...value, 0x21, ...uleb(local)];
/** A constant whole number. */
export const int = (value: number): Code => [0x41, ...leb(value)];
/** The sum of two whole numbers. */
export const plus = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
/** Is a less than b, both from 0? */
export const less = (a: Code, b: Code): Code => [...a, ...b, 0x49];
/** The whole number at an address. */
export const intAt = (address: Code, offset = 0): Code => [...address, 0x28, 2, ...uleb(offset)];
/** Adds to a local. */
export const advance = (local: number, by: Code): Code => set(local, plus(get(local), by));

/** Repeats while a condition holds; it is asked before each turn. */
export function during(condition: Code, ...body: readonly Code[]): Code {
  // One jump a turn: the condition is asked once before the loop and again at its end.
  const [block, loop, jumpIf, not, end, nothing] = [0x02, 0x03, 0x0d, 0x45, 0x0b, 0x40];
  return [
    block,
    nothing,
    ...condition,
    not,
    jumpIf,
    0,
    loop,
    nothing,
    ...body.flat(),
    ...condition,
    jumpIf,
    0,
    end,
    end,
  ];
}

const simd = (code: number, ...operands: readonly Code[]): Code => [...operands.flat(), 0xfd, ...uleb(code)];

/** Two doubles at a time. Addresses are bytes, and need not be aligned. */
export const vector = {
  load: (address: Code, offset = 0): Code => [...simd(0x00, address), 3, ...uleb(offset)],
  /** The double at an address, twice. */
  spread: (address: Code, offset = 0): Code => [...simd(0x0a, address), 3, ...uleb(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [...simd(0x0b, address, value), 3, ...uleb(offset)],
  zero: simd(0x14, [0x44, 0, 0, 0, 0, 0, 0, 0, 0]),
  add: (a: Code, b: Code): Code => simd(0xf0, a, b),
  subtract: (a: Code, b: Code): Code => simd(0xf1, a, b),
  multiply: (a: Code, b: Code): Code => simd(0xf2, a, b),
  /** Stores the sum of both halves of a vector and of the double at `bias`. */
  storeSum: (address: Code, of: number, bias: Code, offset = 0): Code => {
    const half = (k: number): Code => [...get(of), 0xfd, 0x21, k];
    const sum: Code = [...half(0), ...half(1), 0xa0, ...bias, 0x2b, 3, ...uleb(offset), 0xa0];
    return [...address, ...sum, 0x39, 3, ...uleb(offset)];
  },
};

/** The bytes of a module that works in memory it is given, as `env.memory`. */
function assemble(functions: readonly VectorFunction[]): Uint8Array<ArrayBuffer> {
  const [i32, v128] = [0x7f, 0x7b];
  const sized = (bytes: readonly number[]) => [...uleb(bytes.length), ...bytes];
  const text = (words: string) => sized([...new TextEncoder().encode(words)]);
  const section = (id: number, items: readonly (readonly number[])[]) => [
    id,
    ...sized([...uleb(items.length), ...items.flat()]),
  ];
  const types = functions.map(({ params }) => [0x60, ...sized(Array<number>(params).fill(i32)), 0]);
  const memory = [...text("env"), ...text("memory"), 0x02, 0x00, 0];
  const names = functions.map(({ name }, k) => [...text(name), 0x00, ...uleb(k)]);
  const bodies = functions.map(({ ints, vectors, body }) =>
    sized([2, ...uleb(ints), i32, ...uleb(vectors), v128, ...body, 0x0b]),
  );
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, [memory]),
    ...section(
      3,
      functions.map((_, k) => uleb(k)),
    ),
    ...section(7, names),
    ...section(10, bodies),
  ]);
}
