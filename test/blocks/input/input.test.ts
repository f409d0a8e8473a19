import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();

describe("input (DP_1)", () => {
  it("finds numbers, integers, booleans, dates and text, and reads every missing token as missing", async () => {
    const record = await lab.last("a,b,c,d,e\n1,1.5,true,2026-01-02,x\nNA,N/A,False,NaN,null\n,3,,2026-02-03,None\n");
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["a", "b", "c", "d", "e"],
      types: ["integer", "number", "boolean", "datetime", "string"],
      rows: [
        [1, 1.5, true, "2026-01-02", "x"],
        [null, null, false, null, null],
        [null, 3, null, "2026-02-03", null],
      ],
    });
  });

  it("keeps yes and no, leading zeros and ambiguous dates as text", async () => {
    const { types } = await lab.table((await lab.last("a,b,c\nyes,007,01/02/2026\nno,012,02/03/2026\n")).dataset_url);
    expect(types).toEqual(["string", "string", "string"]);
  });

  it("names empty and repeated headers, whatever their case", async () => {
    const { header } = await lab.table((await lab.last("a,,a,A\n1,2,3,4\n")).dataset_url);
    expect(header).toEqual(["a", "column_2", "a_1", "A_2"]);
  });

  it("takes hostile column names as they are", async () => {
    const names = ['"; DROP TABLE x; --', "__proto__", "<b>", "\u001b[31m", "new\nline", "constructor"];
    const csv = `${names.map((name) => `"${name.replaceAll('"', '""')}"`).join(",")}\n1,2,3,4,5,6\n7,8,9,10,11,12\n`;
    const records = await lab.chain(csv, ["describe"], ["missing", { strategy: "mean" }], ["scale"]);
    const { header, rows } = await lab.table(records[3].dataset_url);
    expect(header).toEqual(names);
    expect(rows[0]).toEqual([-1, -1, -1, -1, -1, -1]);
    expect(await lab.view(records[1])).not.toContain("\u001b");
  });

  it("reads semicolons, tabs, quotes, CRLF, a byte-order mark, Latin-1, and files without a header", async () => {
    expect((await lab.table((await lab.last("a;b\n1;x\n2;y\n")).dataset_url)).header).toEqual(["a", "b"]);
    expect((await lab.table((await lab.last("a\tb\r\n1\tx\r\n")).dataset_url)).rows).toEqual([[1, "x"]]);
    expect((await lab.table((await lab.last('a,b\n"x, ""y""\nz",1\n')).dataset_url)).rows).toEqual([['x, "y"\nz', 1]]);
    expect((await lab.table((await lab.last("\ufeffa,b\n1,2\n")).dataset_url)).header).toEqual(["a", "b"]);
    expect((await lab.table((await lab.last("1,2\n3,4\n")).dataset_url)).header).toEqual(["column_1", "column_2"]);
    const { id } = await lab.project();
    const latin = lab.file(Uint8Array.from(Buffer.from("n,c\n1,Z\xfcrich\n", "latin1")), "latin.csv");
    const record = await lab.block(id, 1, 0, ["input", { dburl: latin }]);
    expect((await lab.table(record.dataset_url)).rows).toEqual([[1, "Zürich"]]);
    expect(record.notices).toEqual([
      'input (DP_1): "latin.csv" is not UTF-8; it was read as Windows-1252. If letters look wrong, name its encoding, such as encoding: "windows-1251".',
    ]);
  });

  it("lets all rows decide a type when a late cell disagrees", async () => {
    const csv = `a,b\n${"1,2\n".repeat(30_000)}x,2.5\n`;
    expect((await lab.table((await lab.last(csv)).dataset_url)).types).toEqual(["string", "number"]);
  });

  it("reads JSON as records, lines or columns, and Parquet that it wrote", async () => {
    const { id } = await lab.project();
    const texts = [
      '[{"a":1,"b":"x"},{"a":null,"b":"y"}]',
      '{"a":1,"b":"x"}\n{"a":null,"b":"y"}\n',
      '{"a":[1,null],"b":["x","y"]}',
    ];
    for (const [k, text] of texts.entries()) {
      const record = await lab.block(id, k + 1, 0, ["input", { dburl: lab.file(text, `j${k}.json`) }]);
      expect((await lab.table(record.dataset_url)).rows).toEqual([
        [1, "x"],
        [null, "y"],
      ]);
    }
    const first = (
      await (await lab.service).states({ owner: "someone", url: (a) => `test:${a}`, artifactIn: () => null }, id)
    )[0];
    const again = await lab.block(id, 9, 0, ["input", { dburl: first.dataset_url as string, file_type: "parquet" }]);
    expect((await lab.table(again.dataset_url)).rows).toEqual((await lab.table(first.dataset_url)).rows);
  });

  it("takes an empty table, a wholly missing column, types, delimiter and more missing tokens", async () => {
    expect((await lab.table((await lab.last("a,b\n")).dataset_url)).rows).toEqual([]);
    expect((await lab.table((await lab.last("a,b\n,1\n,2\n")).dataset_url)).types).toEqual(["number", "integer"]);
    const { id } = await lab.project();
    const args = { dburl: lab.file("zip|x\n01234|-\n"), types: { zip: "string" }, na_values: ["-"], delimiter: "|" };
    expect((await lab.table((await lab.block(id, 1, 0, ["input", args])).dataset_url)).rows).toEqual([["01234", null]]);
  });

  it("assigns roles by its own slices", async () => {
    const { id } = await lab.project();
    const record = await lab.block(id, 1, 0, [
      "input",
      { dburl: "sample:iris", x_boundaries: ":, :-1", y_boundaries: "-1" },
    ]);
    expect((await lab.table(record.y_value_url)).header).toEqual(["species"]);
  });

  it("says in one sentence what is wrong with a file", async () => {
    const say = async (content: string | Uint8Array, name: string) => {
      const { id } = await lab.project();
      const error = await lab.block(id, 1, 0, ["input", { dburl: lab.file(content, name) }]).catch((each) => each);
      return [error.status, error.message];
    };
    expect(await say("a,b\n1,2\n3,4,5\n", "ragged.csv")).toEqual([
      422,
      'input (DP_1): "ragged.csv" is ragged: line 3 has 3 cells where the header has 2. Mend the line, or give the right delimiter (read with ",").',
    ]);
    expect(await say("", "empty.csv")).toEqual([422, 'input (DP_1): "empty.csv" is empty.']);
    expect(
      await say(
        Uint8Array.from({ length: 999 }, (_, k) => (k * 7919) % 256),
        "binary.csv",
      ),
    ).toEqual([
      422,
      'input (DP_1): "binary.csv" is not a text file (it holds binary bytes); give its true file_type, or export it as CSV.',
    ]);
    expect((await say("[1, 2", "bad.json"))[0]).toBe(422);
    expect((await say("x", "what.xyz"))[1]).toMatch(/can't tell from "what.xyz" what kind of file it is/);
    const { id } = await lab.project();
    lab.file("a\n1\n", "sales.csv");
    const missing = await lab.block(id, 1, 0, ["input", { dburl: `${lab.home}/sale.csv` }]).catch((each) => each);
    expect([missing.status, missing.message.endsWith('Did you mean "sales.csv"?')]).toEqual([400, true]);
    const sample = await lab.block(id, 1, 0, ["input", { dburl: "sample:pinguins" }]).catch((each) => each);
    expect(sample.message).toBe(
      'input (DP_1): there is no sample "pinguins". Did you mean "penguins"? Samples: birdstrikes, digits, iris, penguins, shapes, weather.',
    );
  });

  it("shows the first rows with types and missing counts", async () => {
    expect(await lab.view(await lab.last("a,b\n1,x\n,y\n"))).toMatchInlineSnapshot(`
      "t14.csv: 2 rows, 2 columns.

            a  b
      integer  string
      ───────  ──────
            1  x
            ·  y
      missing: a 1"
    `);
  });

  it("keeps the rows' order in a file that several threads read, with columns of each type", async () => {
    const numbers = Array.from({ length: 200_000 }, (_, row) => row);
    // 60 MB: a thread takes 32 at a time.
    const long = "long ".repeat(60);
    const rows = numbers.map(
      (row) => `${row},${row / 2},${row % 2 === 0},2026-01-02,${long}${row % 7},${row % 3 ? "word" : "NA"}`,
    );
    const record = await lab.last(`a,b,c,d,e,f\n${rows.join("\n")}\n`);
    const [a, f] = [await lab.column(record, "a"), await lab.column(record, "f")];
    expect(a.findIndex((cell, row) => cell !== row)).toBe(-1);
    expect(f.findIndex((cell, row) => cell !== (row % 3 ? "word" : null))).toBe(-1);
  });

  it("reads a missing token far behind the first rows as missing, whatever the column's type", async () => {
    const types = ["number", "integer", "boolean", "datetime", "string"];
    const row = "1.5,-1,true,2026-01-02,long text\n";
    for (const [k, token] of ["NA", "N/A", "NaN", "null", "NULL", "None", "#N/A"].entries()) {
      const at = k % types.length;
      const cells = row.trim().split(",");
      const late = cells.map((cell, j) => (j === at ? `"${token}"` : cell)).join(",");
      // A text that begins like a token is none, nor is one in another case.
      const texts = "1.5,12,true,2026-01-02,NAN\n1.5,12,true,2026-01-02,none\n";
      // Large enough to be read without looking for tokens everywhere at first.
      const record = await lab.last(
        `a,b,c,d,e\n${row.repeat(40_000)}${late}\n${texts}1.5,12,true,2026-01-02,${token}\n`,
      );
      const table = await lab.table(record.dataset_url);
      expect(table.types).toEqual(types);
      const first = [1.5, -1, true, "2026-01-02", "long text"];
      expect(table.rows.at(-4)).toEqual(first.map((cell, j) => (j === at ? null : cell)));
      expect(table.rows.slice(-3).map((cells) => cells[4])).toEqual(["NAN", "none", null]);
      expect(table.rows.at(-5)).toEqual(first);
    }
  });
});

it("reads times with their distance from UTC, as UTC", async () => {
  const record = await lab.last("d\n2026-03-05T01:00:00+02:00\n2026-03-04T23:00:00Z\n\n".replace("\n\n", "\nNA\n"));
  expect(await lab.column(record, "d")).toEqual(["2026-03-04 23:00:00", "2026-03-04 23:00:00", null]);
  const naive = await lab.last("d\n2026-03-05T01:00:00\n2026-03-04\n");
  expect(await lab.column(naive, "d")).toEqual(["2026-03-05 01:00:00", "2026-03-04 00:00:00"]);
});
