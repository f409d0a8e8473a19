import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import typescript from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CellTypes } from "../../src/evaluator/cell-types.ts";
import { TypeFiles } from "../../src/evaluator/type-files.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-type-files-"));
let types: CellTypes;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const offered = (code: string): string[] => types.complete(code, code.length).items.map(({ text }) => text);
const hovered = (code: string): string => types.inspect(code, code.length)?.signature ?? "";

beforeAll(() => {
  write("node_modules/rows/package.json", '{ "name": "rows", "types": "index.d.ts" }');
  write("node_modules/rows/index.d.ts", 'import type { Gzip } from "zlib";\nexport declare const packed: Gzip;\n');
  types = new CellTypes(typescript, { cwd: folder });
  types.fault("void 0");
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("Node's types", () => {
  it("have their globals from the beginning", () => {
    expect(offered("new URL('a:b').pathn")).toEqual(["pathname"]);
    expect(offered("performance.no")).toEqual(["nodeTiming", "now"]);
    expect(offered("Buffer.from('a').readInt3")).toEqual(["readInt32BE", "readInt32LE"]);
    expect(hovered("setTimeout")).toContain("NodeJS.Timeout");
  });

  it("offer all modules by their names", () => {
    expect(offered('import {} from "node:chi')).toEqual(["node:child_process"]);
    expect(offered('import {} from "node:fs/')).toEqual(["promises"]);
    expect(types.complete('import {} from "node:f', 21).start).toBe(16);
  });

  it("have a module's members and docs once a cell names it, and those it imports", () => {
    expect(types.complete('import { readFileS } from "node:fs"', 18).items[0].text).toBe("readFileSync");
    const found = types.inspect('import { appendFile } from "node:fs/promises"', 12);
    expect(found?.docs).toContain("Asynchronously append data");
    expect(hovered('import { createReadStream } from "fs"; createReadStream("a").pipe')).toMatch(/Stream\.pipe/);
    types.add('import { createHash } from "crypto"');
    expect(offered('createHash("md5").dig')).toEqual(["digest"]);
  });

  it("know what fetch answers once a cell fetches", () => {
    expect(offered('(await fetch("http://x")).arrayB')).toEqual(["arrayBuffer"]);
  });

  it("have a module that a package of the notebook's folder imports", () => {
    expect(offered('import { packed } from "rows"; packed.bytesWr')).toEqual(["bytesWritten"]);
  });
});

it("answers the next letters of a word from its menu, until a cell has run", () => {
  types.add("const shape = { side: 1, sideways: 2 }");
  expect(offered("shape.si")).toEqual(["side", "sideways"]);
  const before = types.complete("shape.side", 10);
  expect(before).toMatchObject({ start: 6, end: 10, items: [{ text: "side" }, { text: "sideways" }] });
  expect(before.items[1].detail).toBe("(property) sideways: number");
  expect(offered("shape.sidew")).toEqual(["sideways"]);
  expect(offered("shape.s")).toContain("side");
  types.add("const shape = { sidestep: 1 }");
  expect(offered("shape.side")).toEqual(["sidestep"]);
});

it("holds a module back whole, and hands it over whole", () => {
  const file = "/x/node_modules/@types/node/os.d.ts";
  const text = 'declare module "os" {\n    import x from "buffer";\n}\ndeclare module "node:os" {}\n';
  const files = new TypeFiles(
    () => text,
    () => false,
  );
  expect([files.text(file), files.version(file)]).toEqual(['declare module "os";\ndeclare module "node:os";', "1"]);
  files.mention("const cosmos = 1");
  expect(files.version(file)).toBe("1");
  files.mention("os.cpus()");
  expect([files.text(file), files.version(file)]).toEqual([text, "2"]);
});
