import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "n,f,t,b,d,w\n1,1.9,7,true,2026-01-02,no\n,-1.9,,false,,yes\n0,,08,true,2026-03-04,1\n";

async function cast(column: string, type: string): Promise<[string, unknown[]]> {
  const record = await lab.last(csv, ["astype", { astype: type, columns: [column] }]);
  const { header, rows, types } = await lab.table(record.dataset_url);
  const at = header.indexOf(column);
  return [types[at], rows.map((row) => row[at])];
}

describe("astype (DP_ASP)", () => {
  it.each([
    ["n", "float", "number", [1, null, 0]],
    ["n", "bool", "boolean", [true, null, false]],
    ["n", "str", "string", ["1", null, "0"]],
    ["f", "int", "integer", [1, -1, null]],
    ["f", "int64", "integer", [1, -1, null]],
    ["b", "int", "integer", [1, 0, 1]],
    ["b", "float", "number", [1, 0, 1]],
    ["w", "bool", "boolean", [false, true, true]],
    ["w", "category", "category", ["no", "yes", "1"]],
    ["d", "datetime", "datetime", ["2026-01-02", null, "2026-03-04"]],
  ])("casts %s to %s", async (column, type, made, values) => {
    expect(await cast(column, type)).toEqual([made, values]);
  });

  it("reads numbers and dates that are text, exactly", async () => {
    const text = '"9007199254740993"\n" 3.0"\n';
    const record = await lab.last(
      `a,b\n${text.replaceAll("\n", ",x\n")}`,
      ["astype", { type: "str", columns: ["a"] }],
      ["astype", { type: "int", columns: ["a"] }],
    );
    expect((await lab.table(record.dataset_url)).types[0]).toBe("integer");
    expect(
      await lab.column(await lab.last("a\n4 Mar 2026\n", ["astype", { type: "datetime", columns: [0] }]), "a"),
    ).toEqual(["2026-03-04 00:00:00"]);
  });

  async function castText(text: string, type: string): Promise<unknown> {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`a,b\n"${text}",x\n`), types: { a: "string" } }]);
    const record = await lab.block(id, 2, 1, ["astype", { astype: type, columns: ["a"] }]);
    return (await lab.table(record.dataset_url)).rows[0][0];
  }

  it.each([
    ["int", "1e3", 1000],
    ["int", " +2.9 ", 2],
    ["int", "007", 7],
    ["float", " 12\t", 12],
    ["float", "-1.5e-3", -0.0015],
    ["bool", " Yes", true],
  ])("as %s reads the text %j", async (type, text, value) => {
    expect(await castText(text, type)).toBe(value);
  });

  it.each([
    ["int", "1_000"],
    ["float", "1_000"],
    ["float", "1e1_0"],
    ["int", "0x1F"],
    ["int", "0b11"],
    ["float", "0x1F"],
    ["float", "+-5"],
    ["int", "Infinity"],
    ["int", "9223372036854775808"],
  ])("as %s refuses the text %j", async (type, text) => {
    await expect(castText(text, type)).rejects.toMatchObject({
      status: 422,
      message: `astype (DP_ASP): 1 cell of column "a" can't be cast to ${type}, the first in row 0: ${JSON.stringify(text)}. Mend or drop them first.`,
    });
  });

  it("takes a text that reads as NaN for missing", async () => {
    const text = '"1.5"\n" nan"\n';
    const record = await lab.last(
      `a,b\n${text.replaceAll("\n", ",x\n")}`,
      ["astype", { type: "str", columns: ["a"] }],
      ["astype", { type: "float", columns: ["a"] }],
      ["info"],
    );
    const columns = [{ name: "a", type: "number", missing: 1 }, { name: "b" }];
    expect(JSON.parse(record.output as string)).toMatchObject({ columns });
  });

  it("names the first cell that can't be cast, deep in a table too, and writes nothing", async () => {
    const rows = Array.from({ length: 9000 }, (_, k) => (k === 8765 ? "oops" : String(k)));
    const failure = await lab.failure(`a,b\n${rows.map((row) => `${row},1`).join("\n")}\n`, [
      "astype",
      { type: "float", columns: ["a"] },
    ]);
    expect([failure.status, failure.message]).toEqual([
      422,
      'astype (DP_ASP): 1 cell of column "a" can\'t be cast to float, the first in row 8765: "oops". Mend or drop them first.',
    ]);
    expect((await lab.failure("a\nsoon\nx\n", ["astype", { type: "datetime", columns: ["a"] }])).status).toBe(422);
    expect((await lab.failure(csv, ["astype", { type: "int", columns: ["d"] }])).status).toBe(422);
  });

  it("takes an all-missing column and an empty table; refuses no columns and an unknown type", async () => {
    expect(await lab.column(await lab.last("a,b\n,1\n", ["astype", { type: "int", columns: ["a"] }]), "a")).toEqual([
      null,
    ]);
    expect(
      (await lab.table((await lab.last("a\n", ["astype", { type: "float", columns: ["a"] }])).dataset_url)).rows,
    ).toEqual([]);
    expect((await lab.failure(csv, ["astype", { type: "int", columns: [] }])).message).toMatch(/name one at least/);
    expect((await lab.failure(csv, ["astype", { type: "flaot", columns: ["n"] }])).message).toMatch(
      /Did you mean "float"/,
    );
  });

  it("says what it cast, and from what", async () => {
    expect(
      await lab.view(await lab.last("a,b\n1,2\n", ["astype", { type: "str", columns: ["a"] }])),
    ).toMatchInlineSnapshot(`
      "Cast to str: a (integer).

      a             b
      string  integer
      ──────  ───────
      1             2"
    `);
  });
});
