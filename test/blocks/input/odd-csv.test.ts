import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();

async function read(content: string | Uint8Array, args: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  const record = await lab.block(id, 1, 0, ["input", { dburl: lab.file(content), ...args }]);
  const notices = (record.notices ?? []).map((notice) => notice.replace(/"t\d+\.csv"/, "FILE"));
  return { ...(await lab.table(record.dataset_url)), notices };
}

async function refusal(content: string | Uint8Array, args: Record<string, unknown> = {}): Promise<string> {
  return await read(content, args).then(
    () => Promise.reject(new Error("it was not refused")),
    (error) => `${error.status} ${error.message}`,
  );
}

/** More rows than the sample that decides the types at first. */
const many = 25_000;

describe("rows with names, as R writes them (DP_1)", () => {
  const told = `input (DP_1): the first line of FILE names one column fewer than the others have cells, as R's write.table writes it; column_1 holds the rows' names.`;

  it.each([
    ['"sepal" "n"\n"1" 5.1 3\n"2" 4.9 4\n', ["column_1", "sepal", "n"], [1, 5.1, 3]],
    ['"mpg","cyl"\n"Mazda, RX4",21,6\n"Datsun",22.8,4\n', ["column_1", "mpg", "cyl"], ["Mazda, RX4", 21, 6]],
    ["mpg\tcyl\nMazda\t21\t6\n", ["column_1", "mpg", "cyl"], ["Mazda", 21, 6]],
    ['"1960","1961"\n"Aruba",5,6\n"Chad",7,8\n', ["column_1", "1960", "1961"], ["Aruba", 5, 6]],
    ['"x"\n"1",5.5\n"2",6\n', ["column_1", "x"], [1, 5.5]],
  ])("%j", async (csv, names, first) => {
    const { header, rows, notices } = await read(csv);
    expect([header, rows[0], notices]).toEqual([names, first, [told]]);
    expect(rows).toHaveLength(csv.trim().split("\n").length - 1);
  });

  it.each([
    ["price\n1,5\n2,5\n", "decimal commas"],
    ["city,price\nOslo,1,5\nOslo,2,5\n", "names that repeat"],
    ["a,b\n1,2,3\n4,5\n", "one line alone"],
  ])("%j is ragged still: %s", async (csv) => {
    expect(await refusal(csv)).toMatch(/^422 input \(DP_1\): "t\d+\.csv" is ragged/);
  });

  it.each([
    ['"n","words"\n1,two words\n2,three words\n', ["n", "words"], [1, "two words"]],
    ['"name"\nAnn Bell\nJohn Smith\n', ["name"], ["Ann Bell"]],
  ])("%j has none: a blank stands between words", async (csv, names, first) => {
    const { header, rows, notices } = await read(csv);
    expect([header, rows[0], notices]).toEqual([names, first, []]);
  });

  it("are found behind a line of names that is longer than 64 kB, and such a line is read without them", async () => {
    const names = Array.from({ length: 600 }, (_, k) => `c${k}_${"x".repeat(120)}`);
    const cells = names.map((_, k) => k);
    const plain = await read(`${names}\n${cells}\n${cells}\n`);
    expect([plain.header, plain.rows]).toEqual([names, [cells, cells]]);
    const named = await read(`${names}\nAnn,${cells}\nBo,${cells}\n`);
    expect([named.header[0], named.rows[1], named.notices]).toEqual(["column_1", ["Bo", ...cells], [told]]);
    // One line alone, as long, without an end.
    expect((await read(String(names))).header).toEqual(names);
  });

  it("obeys header, and leaves words alone", async () => {
    expect(await refusal('"a","b"\n"x",5,6\n', { header: false })).toMatch(/is ragged/);
    expect((await read("a,b\n1,2,\n3,4,\n")).rows).toEqual([
      [1, 2],
      [3, 4],
    ]);
    const { header, rows } = await read("name\nAda Lovelace\nAlan Turing\n");
    expect([header, rows]).toEqual([["name"], [["Ada Lovelace"], ["Alan Turing"]]]);
  });
});

describe("a header of numbers (DP_1)", () => {
  it.each([
    ["Country,1960,1961\nAruba,54211,55438\nChad,3002596,3061423\n", ["Country", "1960", "1961"]],
    ["id,1\n5,7\n6,8\n", ["id", "1"]],
    [",0,1,2\n0,1.5,2.5,3.5\n1,4.5,5.5,6.5\n", ["column_1", "0", "1", "2"]],
    ["0,1,2,3\n5.1,3.5,1.4,0.2\n4.9,3.0,1.4,0.2\n", ["0", "1", "2", "3"]],
    ['"a","1"\n"x",5\n"y",7\n', ["a", "1"]],
    ["when,x\n2026-01-01,5\n2026-01-02,7\n", ["when", "x"]],
    ["place,1990,1995,2005\nAruba,1.5,2.5,3.5\n", ["place", "1990", "1995", "2005"]],
    ["1/22/20,1/23/20\n5,7\n", ["1/22/20", "1/23/20"]],
  ])("%j names its columns", async (csv, names) => {
    expect((await read(csv)).header).toEqual(names);
  });

  it.each([
    "5.1,3.5,setosa\n4.9,3.0,setosa\n",
    "1,2\n3,4\n",
    "1,2,3\n4,5,6\n7,8,9\n",
    "0,1\n0,2\n1,2\n",
    "2026-01-01,5\n2026-01-02,7\n",
    "Aruba,54211,55438\nChad,3002596,3061423\n",
  ])("%j has none, and that is told", async (csv) => {
    const { rows, notices } = await read(csv);
    expect(rows).toHaveLength(csv.trim().split("\n").length);
    expect(notices).toEqual([
      expect.stringMatching(/was taken for data; header: true takes it for the columns' names/),
    ]);
  });

  it("tells where it counts, and obeys header", async () => {
    const csv = "Country,1960,1961\nAruba,54211,55438\n";
    expect((await read(csv)).notices).toEqual([
      `input (DP_1): the first line of FILE, "Country, 1960, 1961", was taken for the columns' names; header: false takes it for data.`,
    ]);
    const { header, rows, notices } = await read(csv, { header: false });
    expect([header[0], rows[0], notices]).toEqual(["column_1", ["Country", 1960, 1961], []]);
  });
});

describe("what the first rows could not know (DP_1)", () => {
  const late = async (first: string, last: string) => {
    const { rows, types } = await read(`a,b\n${`${first},x\n`.repeat(many)}${last},x\n`);
    return [types[0], rows[0][0], rows.at(-1)?.[0]];
  };

  it("keeps leading zeros, whatever stood before", async () => {
    expect(await late("12", "007")).toEqual(["string", "12", "007"]);
    expect(await late("1.5", "007")).toEqual(["string", "1.5", "007"]);
    expect(await late("1.5", "041.9")).toEqual(["string", "1.5", "041.9"]);
    expect(await late("", "007")).toEqual(["string", null, "007"]);
    expect(await late("1.5", " 007")).toEqual(["string", "1.5", " 007"]);
  });

  it("types a column that begins without a value", async () => {
    expect(await late("", "12")).toEqual(["integer", null, 12]);
    expect(await late("", "2026-01-02")).toEqual(["datetime", null, "2026-01-02"]);
    expect(await late("", "1.5")).toEqual(["number", null, 1.5]);
  });

  it("keeps digits with underscores or many after a plus as text", async () => {
    expect(await late("1.5", "1_000")).toEqual(["string", "1.5", "1_000"]);
    expect(await late("12", "1_000")).toEqual(["string", "12", "1_000"]);
    expect(await late("1.5", "+4915112345678")).toEqual(["string", "1.5", "+4915112345678"]);
  });

  it("reads signs, blanks, nan and inf as it does in the first rows", async () => {
    expect(await late("1.5", "+2.5")).toEqual(["number", 1.5, 2.5]);
    expect(await late("12", "+7")).toEqual(["integer", 12, 7]);
    expect(await late("1.5", " 7")).toEqual(["number", 1.5, 7]);
    expect(await late("1.5", "-nan")).toEqual(["number", 1.5, null]);
    expect(await late("1.5", "1e3")).toEqual(["number", 1.5, 1000]);
  });

  it("loses no time of day, no zone, and no cell that is no date", async () => {
    expect(await late("2026-01-02", "2026-01-02 10:30:00")).toEqual([
      "datetime",
      "2026-01-02 00:00:00",
      "2026-01-02 10:30:00",
    ]);
    expect(await late("2026-01-02 10:00:00", "2026-01-02T10:00:00+02:00")).toEqual([
      "datetime",
      "2026-01-02 10:00:00",
      "2026-01-02 08:00:00",
    ]);
    expect(await late("2026-01-02", "2026-02-30")).toEqual(["string", "2026-01-02", "2026-02-30"]);
    expect(await late("2026-01-02", "soon")).toEqual(["string", "2026-01-02", "soon"]);
    expect(await late("true", "perhaps")).toEqual(["string", "true", "perhaps"]);
  });

  it("reads lines that end otherwise, and letters that are no UTF-8, far behind the first ones", async () => {
    const unix = await read(`a,b\n${"1,x\n".repeat(many)}2,y\r\n3,z\r\n`);
    expect(unix.rows.slice(-2)).toEqual([
      [2, "y"],
      [3, "z"],
    ]);
    const windows = await read(`a,b\r\n${'1,"x\r\ny"\r\n'.repeat(many)}2,y\n`);
    expect([windows.rows[0], windows.rows.at(-1)]).toEqual([
      [1, "x\r\ny"],
      [2, "y"],
    ]);
    const bytes = Buffer.concat([Buffer.from(`a,b\n${"1,x\n".repeat(many)}`), Buffer.from("3,Z\xfcrich\n", "latin1")]);
    const { rows, notices } = await read(bytes);
    expect(rows.at(-1)).toEqual([3, "Zürich"]);
    expect(notices).toEqual([expect.stringMatching(/FILE is not UTF-8; it was read as Windows-1252/)]);
  });
});

describe("encodings (DP_1)", () => {
  const text = "name,price\nCafé,5\n";
  const utf16 = (bom: boolean) => Buffer.from((bom ? "\ufeff" : "") + text, "utf16le");

  it("reads UTF-16 either way round, with and without a byte-order mark", async () => {
    for (const bytes of [utf16(true), utf16(false), utf16(true).swap16(), utf16(false).swap16()]) {
      expect(await read(bytes)).toMatchObject({ header: ["name", "price"], rows: [["Café", 5]], notices: [] });
      expect((await read(bytes, { encoding: "utf-16" })).rows).toEqual([["Café", 5]]);
    }
  });

  it("reads the signs of Windows-1252", async () => {
    const bytes = Buffer.from("a\n\x80 5\nit\x92s\n", "latin1");
    expect((await read(bytes)).rows).toEqual([["€ 5"], ["it’s"]]);
    expect((await read(bytes, { encoding: "cp1252" })).notices).toEqual([]);
  });

  it("reads what is named", async () => {
    const cyrillic = Buffer.from([0x61, 0x0a, 0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0, 0x0a]);
    expect((await read(cyrillic, { encoding: "windows-1251" })).rows).toEqual([["Москва"]]);
    const japanese = Buffer.from([0x61, 0x0a, 0x93, 0x8c, 0x8b, 0x9e, 0x0a]);
    expect((await read(japanese, { encoding: "shift_jis" })).rows).toEqual([["東京"]]);
    expect((await read("\ufeffa\né\n", { encoding: "utf-8-sig" })).rows).toEqual([["é"]]);
  });

  it("refuses what it can't tell, and what is not as named, with the cure", async () => {
    expect(await refusal(Buffer.from("a\nb\x81\x8d\n", "latin1"))).toMatch(
      /^422 .* is neither UTF-8 nor Windows-1252; name its encoding, such as encoding: "windows-1251" or "shift_jis"\.$/,
    );
    expect(await refusal(Buffer.from("a\nZ\xfcrich\n", "latin1"), { encoding: "utf-8" })).toMatch(
      /^422 .* is not utf-8; /,
    );
    expect(await refusal("a\n1\n", { encoding: "utf-9" })).toMatch(
      /^400 .*encoding "utf-9" is not known\. Did you mean "utf-8"\?/,
    );
  });
});

describe("commas and points in numbers (DP_1)", () => {
  it("reads decimal commas with points between thousands where a column shows them", async () => {
    const { types, rows, notices } = await read("n;p\nA;1.234,56\nB;7,5\nC;12\nD;\n");
    expect(types[1]).toBe("number");
    expect(rows.map(([, p]) => p)).toEqual([1234.56, 7.5, 12, null]);
    expect(notices).toEqual([
      'input (DP_1): p holds numbers with decimal commas, such as "1.234,56", and became numbers; types keeps text.',
    ]);
    expect((await read('a,b\n"1,5",x\n"2,25",y\n')).rows[1]).toEqual([2.25, "y"]);
  });

  it("reads commas between thousands where a column shows them", async () => {
    expect((await read('a,b\n"1,234,567",x\n"12",y\n')).rows).toEqual([
      [1234567, "x"],
      [12, "y"],
    ]);
    expect((await read('a,b\n"1,234.5",x\n"12",y\n')).rows[0]).toEqual([1234.5, "x"]);
    expect((await read('a,b\n"1,234",x\n"0.5",y\n')).rows[0]).toEqual([1234, "x"]);
  });

  it("names the words that keep columns of numbers text, and what reads them as missing", async () => {
    const csv = "a;b;c;d\n3,5;-;1;12a\n-;?;2;7\n4,25;3;3;8\nk.A.;4;x;9\n2,5;?;5;1\n2,5;5;6;2\n1,5;-;7;3\n";
    const { types, notices } = await read(csv);
    expect(types).toEqual(["string", "string", "string", "string"]);
    // Half of b's numbers would be gone, and 12a is no word for a missing cell.
    expect(notices).toEqual([
      'input (DP_1): a stayed text, since words such as "-" and "k.A." stand among its numbers; na_values: ["-","k.A."] reads such cells as missing, and the others as numbers.',
      'input (DP_1): c stayed text, since words such as "x" stand among its numbers; na_values: ["x"] reads such cells as missing, and the others as numbers.',
    ]);
    const mended = await read(csv, { na_values: ["-", "k.A.", "x", "?"] });
    expect(mended.types).toEqual(["number", "integer", "integer", "string"]);
    expect(mended.rows[1]).toEqual([null, null, 2, "7"]);
  });

  it("names columns of dates in other forms, which stay text, and what reads them", async () => {
    const csv =
      "day;us;at;part;iso;mixed\n19.09.2022;9/19/22;19-Sep-2022 9:30;1.2.10;2022-09-19;x\n1.12.2022;12/1/22;1-Dec-2022;1.2.11;2022-12-01;1.12.2022\nn/a;;;1.10.1;;y\n2.12.2022;12/2/22;2-Dec-2022;1.2.3;2022-12-02;z\n";
    const { types, notices } = await read(csv);
    expect(types).toEqual(["string", "string", "string", "string", "datetime", "string"]);
    expect(notices).toEqual([
      'input (DP_1): day holds dates such as "1.12.2022" and stayed text; na_values: ["n/a"] and then astype({ columns: ["day"], type: "datetime" }) reads them.',
      'input (DP_1): us holds dates such as "12/1/22" and stayed text; astype({ columns: ["us"], type: "datetime" }) reads them.',
      'input (DP_1): at holds dates such as "1-Dec-2022" and stayed text; astype({ columns: ["at"], type: "datetime" }) reads them.',
    ]);
    expect((await read(csv, { types: { day: "text", us: "text", at: "text" } })).notices).toEqual([]);
  });

  it("says nothing of texts, long cells and control characters among numbers", async () => {
    expect((await read("a,b\n1,x\n2,y\nword,3\n\u0085,z\n5,4\n6,w\n7,v\n")).notices).toEqual([]);
    expect((await read(`a\n1\n2\n3\n4\n${"word".repeat(9)}\n`)).notices).toEqual([]);
    expect((await read("a\n1\n2\n3\n-\n", { types: { a: "text" } })).notices).toEqual([]);
  });

  it("keeps as text what may be either, and takes the caller's word", async () => {
    const csv = 'a,b\n"1,234",x\n"5,678",y\n';
    const { types, notices } = await read(csv);
    expect(types[0]).toBe("string");
    expect(notices).toEqual([
      'input (DP_1): a holds numbers such as "1,234", whose comma may stand before thousands or decimals, and stayed text; thousands: "," or decimal: "," says which.',
    ]);
    expect((await read(csv, { thousands: "," })).rows[0][0]).toBe(1234);
    expect((await read(csv, { decimal: "," })).rows[0][0]).toBe(1.234);
    expect((await read("a;b\n1 234,5;1'234\n12;7\n", { decimal: ",", thousands: " " })).rows).toEqual([
      [1234.5, "1'234"],
      [12, "7"],
    ]);
    expect(await refusal(csv, { thousands: ",", decimal: "," })).toMatch(/^400 .*decimal and thousands must differ/);
  });

  it("does not take points for decimals beside decimal commas", async () => {
    const csv = "people;share\n1.234;0,5\n12.500;0,25\n";
    const { types, notices } = await read(csv);
    expect(types).toEqual(["string", "number"]);
    expect(notices[1]).toMatch(/people holds numbers such as "1\.234", whose point may stand before thousands/);
    expect((await read(csv, { decimal: ",", thousands: "." })).rows[1]).toEqual([12500, 0.25]);
    expect((await read("a,b\n1.234,x\n12.500,y\n")).rows[0][0]).toBe(1.234);
  });

  it("lets all rows say which it is", async () => {
    const { types, rows } = await read(`a;b\n${"1,234;x\n".repeat(many)}1,5;x\n`);
    expect([types[0], rows[0][0], rows.at(-1)?.[0]]).toEqual(["number", 1.234, 1.5]);
    const text = await read(`a;b\n${"1,5;x\n".repeat(many)}none at all;x\n`);
    expect([text.types[0], text.rows[0][0]]).toEqual(["string", "1,5"]);
    expect(text.notices).toEqual([expect.stringContaining('a stayed text, since words such as "none at all"')]);
  });
});

describe("other odd files (DP_1)", () => {
  it("keeps integers that 64 bits can't hold apart, as text", async () => {
    const csv = "id,n\n12345678901234567890,1\n12345678901234567891,2\n12345678901234567892,3\n";
    const { rows, notices } = await read(csv);
    expect(rows[2][0]).toBe("12345678901234567892");
    expect(notices).toEqual([
      expect.stringMatching(
        /column id holds numbers of more digits than are kept exactly, so it was kept as text; types: /,
      ),
    ]);
    const kept = await lab.last(csv, ["dropDuplicates", { columns: ["id"] }]);
    expect(await lab.column(kept, "n")).toEqual([1, 2, 3]);
    const floats = await read("x\n12345678901234567890\n0.5\n");
    expect([floats.types, floats.notices]).toEqual([
      ["number"],
      [expect.stringMatching(/column x holds fractions beside whole numbers beyond 2\^53/)],
    ]);
    expect((await read("id\n9223372036854775807\n-9223372036854775808\n")).rows[0][0]).toBe("9223372036854775807");
  });

  it("says how to leave a title out, and leaves it out", async () => {
    const ragged = "Report of 2024\n\nshop,units,price\nA,1,2.5\nB,3,4.5\n";
    expect(await refusal(ragged)).toMatch(
      /is ragged: .* If a title comes first, skip_rows: 2 begins at line 3, which has 3 cells\./,
    );
    expect((await read(ragged, { skip_rows: 2 })).rows[0]).toEqual(["A", 1, 2.5]);
    const padded = "Report of 2024,,\n,,\nshop,units,price\nA,1,2.5\n";
    const { notices } = await read(padded);
    expect(notices).toEqual([
      "input (DP_1): the first line of FILE names 1 of 3 columns; if it is a title, skip_rows: 2 begins at line 3.",
    ]);
    expect((await read(padded, { skip_rows: 2 })).header).toEqual(["shop", "units", "price"]);
    expect(await refusal("a\n1\n", { skip_rows: 9 })).toMatch(/^422 .* holds nothing behind its first 9 lines\.$/);
  });

  it("keeps to the types that the caller names", async () => {
    expect((await read("a\n007\n12\n", { types: { a: "int" } })).rows).toEqual([[7], [12]]);
    expect((await read('a\n"1,5"\n"2,5"\n', { types: { a: "string" } })).rows).toEqual([["1,5"], ["2,5"]]);
    expect((await read("t\n2026-01-02T10:00:00+02:00\n", { types: { t: "datetime" } })).rows).toEqual([
      ["2026-01-02 08:00:00"],
    ]);
    expect(await refusal("a\nx\n1\n", { types: { a: "number" } })).toMatch(/column "a" has "x", which is not double/);
    expect(await refusal("a\n1\n", { types: { a: "constructor" } })).toMatch(/^422 .*types knows int, number/);
  });

  it("reads more columns than are looked at together", async () => {
    const names = Array.from({ length: 300 }, (_, k) => `c${k}`);
    const rows = Array.from({ length: 40 }, (_, i) =>
      names.map((_, k) => (k % 3 === 0 ? `t${i}` : i * k + (k % 3) / 4)),
    );
    const { types, rows: found } = await read(`${names.join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`);
    expect(new Set(types.map((type, k) => `${k % 3} ${type}`)).size).toBe(3);
    expect(found).toEqual(rows);
  });
});

describe("named types (DP_1)", () => {
  it("take no 1_000 for a number", async () => {
    const csv = `a\n5\n${"6\n".repeat(3)}1_000\n`;
    expect((await read(csv)).types).toEqual(["string"]);
    for (const type of ["number", "int"])
      expect(await refusal(csv, { types: { a: type } })).toMatch(/column "a" has "1_000", which is not/);
  });
});

describe("numbers with blanks between them (DP_1)", () => {
  it.each([
    ["Chins Situps\n5 162\n2 110\n", true],
    ["5 162 -1.5e3\n2 110 0\n7 8 9\n", true],
    ["Chins Situps\n5 162\n2 some\n", false],
    ["Chins  Situps\n5  162\n2  110\n", false],
    ["name\nAda Lovelace\nAlan Turing\n", false],
    ["a b\n1\n2\n", false],
  ])("%j", async (csv, isTold) => {
    const told =
      /^input \(DP_1\): FILE was read as one column, though blanks part its lines into \d; delimiter: " " reads them\.$/;
    const { header, notices } = await read(csv);
    expect(header).toHaveLength(1);
    expect(notices.some((notice) => told.test(notice))).toBe(isTold);
    if (isTold) expect((await read(csv, { delimiter: " " })).header.length).toBeGreaterThan(1);
  });
});
