import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { httpLink } from "../../src/client/http.ts";
import type { Link } from "../../src/client/link.ts";
import { type Serving, serve } from "../../src/server/serve.ts";
import { Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-columns-"));
let serving: Serving;

beforeAll(async () => {
  const write = process.stdout.write;
  process.stdout.write = (() => true) as typeof write;
  serving = await serve({ port: 0, home: join(home, "served"), key: "k", threads: 0 }).finally(() => {
    process.stdout.write = write;
  });
});

afterAll(async () => {
  await serving.close();
  rmSync(home, { recursive: true, force: true });
});

const links: readonly (readonly [string, () => Promise<Link>])[] = [
  ["embedded", () => embeddedLink({ home: join(home, "own"), threads: 0 })],
  ["over HTTP", async () => httpLink({ url: serving.url, key: "k" })],
];

describe.each(links)("typed columns, %s", (_name, open) => {
  const session = new Session(open);

  afterAll(() => session.close());

  it("come in the form of their types, with what is missing in them", async () => {
    const { dataset } = await session.input({
      whole: [1, null, 3],
      large: [2n ** 60n, 1n, 2n],
      gaps: [2n ** 60n, null, 2n],
      part: [1.5, null, Number.POSITIVE_INFINITY],
      text: ["a", null, "é".repeat(30)],
      truth: [true, null, false],
      day: ["2024-02-29", null, "1969-12-31"],
      moment: [new Date(1234), null, new Date(-1)],
    });
    expect(await dataset.columns()).toEqual({
      whole: Float64Array.of(1, Number.NaN, 3),
      large: BigInt64Array.of(2n ** 60n, 1n, 2n),
      gaps: [2n ** 60n, null, 2n],
      part: Float64Array.of(1.5, Number.NaN, Number.POSITIVE_INFINITY),
      text: ["a", null, "é".repeat(30)],
      truth: [true, null, false],
      day: [new Date("2024-02-29T00:00:00Z"), null, new Date("1969-12-31T00:00:00Z")],
      moment: [new Date(1234), null, new Date(-1)],
    });
    expect(Object.keys(await dataset.columns(["text", "part"]))).toEqual(["text", "part"]);
  });

  it("are those of all rows, in their order, of a subset as well, and of an empty table", async () => {
    const n = 30_000;
    const all = await session.input({ i: Int32Array.from({ length: n }, (_, i) => i), y: new Float64Array(n) });
    const { i } = await all.dataset.columns(["i"]);
    expect((i as Float64Array).every((value, k) => value === k)).toBe(true);
    const split = await all.xy({ y: "y" }).split({ test_size: 0.25, random_state: 0 });
    const { i: test } = await split.x_test.columns();
    expect(Array.from(test as Float64Array)).toEqual(await split.x_test.column("i"));
    const empty = await session.input({ a: new Float64Array(0) });
    expect(await empty.dataset.columns()).toEqual({ a: new Float64Array(0) });
  });

  it("go to Apache Arrow and come back", async () => {
    const columns = { n: [1, null], text: ["x", null], at: [new Date(5), null] };
    const first = await session.input(columns);
    const table = await first.dataset.toArrow();
    expect([table.numRows, String(table.schema.fields[0].type)]).toEqual([2, "Int64"]);
    expect(await (await session.input(table)).dataset.rows()).toEqual(await first.dataset.rows());
  });

  it("end with the read when a loop over rows is left", async () => {
    const { dataset } = await session.input({ i: Int32Array.from({ length: 25_000 }, (_, i) => i) });
    let seen = 0;
    for await (const row of dataset) {
      expect(row.i).toBe(seen++);
      if (seen === 10_001) break;
    }
    expect(seen).toBe(10_001);
  });

  it("of unknown names are refused with the nearest", async () => {
    const { dataset } = await session.input([{ age: 1 }]);
    await expect(dataset.columns(["aeg"])).rejects.toThrow(/columns: "aeg" is not in the table\. Did you mean "age"\?/);
    await expect(dataset.columns("age" as never)).rejects.toThrow(
      'columns: names must be a list of texts, as in columns(["age", "city"]).',
    );
  });
});
