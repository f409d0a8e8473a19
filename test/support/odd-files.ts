import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file as nobody would prepare it, and which of its columns serve for what. */
export interface OddFile {
  readonly name: string;
  /** Its name, or where it lies already. */
  readonly file: string;
  readonly content?: string | Uint8Array;
  /** What `input` is told besides. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Columns of dates written as text. */
  readonly dates?: readonly string[];
  /** Columns that are odd in the way that the file is about. */
  readonly odd: readonly string[];
}

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Row = Record<string, string>;
type Draw = () => number;

const cities = ["Lagos", "Oslo", "New York", "São Paulo"];

/** Columns that every file has: numbers, words, flags, and targets that depend on them. */
function baseRow(draw: Draw): Row {
  const size = draw() * 10;
  const rooms = 1 + Math.floor(draw() * 6);
  const city = Math.floor(draw() * 4);
  const score = size + rooms + city + draw() * 4;
  return {
    size: draw() < 0.1 ? "" : size.toFixed(3),
    rooms: draw() < 0.08 ? "NA" : String(rooms),
    city: draw() < 0.07 ? "" : cities[city],
    price: (20 * size + 7 * rooms + 3 * draw()).toFixed(2),
    kind: score < 8 ? "small" : score < 13 ? "middle" : "large",
    ok: String(score + draw() < 11),
  };
}

function rowsOf(seed: number, n: number, more: (draw: Draw, i: number, base: Row) => Row): Row[] {
  const draw = generator(seed);
  return Array.from({ length: n }, (_, i) => {
    const base = baseRow(draw);
    return { ...base, ...more(draw, i, base) };
  });
}

function quotedCell(cell: string, delimiter: string): string {
  return /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function csv(rows: readonly Row[], delimiter = ",", newline = "\n", header?: readonly string[]): string {
  const names = Object.keys(rows[0]);
  const lines = [header ?? names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => cells.map((cell) => quotedCell(cell, delimiter)).join(delimiter) + newline).join("");
}

const pick = <T>(draw: Draw, from: readonly T[]): T => from[Math.floor(draw() * from.length)];

const two = (n: number) => String(n).padStart(2, "0");

const day = (draw: Draw) => [2020 + Math.floor(draw() * 6), 1 + Math.floor(draw() * 12), 1 + Math.floor(draw() * 28)];

/** Names that a script could take for its own, or that could end its quotes. */
const nastyNames = [
  "class",
  "lambda",
  "df",
  "x",
  "train",
  "names",
  'say "hi"',
  "it's",
  "back\\slash",
  "two\nlines",
  "Ünïcödé 数",
  "{braces}",
  "%s",
  "'); import os; os._exit(7)  #",
  '"""',
  "tail ",
  "\\",
  "# comment",
  "f'{1/0}'",
  "None",
  "0",
];

function encoded(text: string, encoding: "cp1252" | "utf-16le"): Uint8Array {
  if (encoding === "utf-16le") return Buffer.from(`\ufeff${text}`, "utf16le");
  const special: Readonly<Record<string, number>> = { "€": 0x80, "“": 0x93, "”": 0x94, "–": 0x96, Š: 0x8a };
  return Uint8Array.from([...text], (letter) => special[letter] ?? letter.codePointAt(0) ?? 63);
}

/** Odd files of `n` rows; the same seed makes the same files. */
export function oddFiles(seed: number, n = 90): OddFile[] {
  const plain = (name: string, more: Parameters<typeof rowsOf>[2], rest: Partial<OddFile> = {}): OddFile => {
    const rows = rowsOf(seed + name.length, n, more);
    const base = Object.keys(baseRow(() => 0.5));
    const odd = Object.keys(rows[0]).filter((each) => !base.includes(each));
    return { name, file: `${name.replaceAll(" ", "-")}.csv`, content: csv(rows), odd, ...rest };
  };
  const same = rowsOf(seed, n, () => ({}));
  return [
    plain("missing words", (draw) => ({
      tokens: pick(draw, ["NA", "N/A", "NaN", "null", "NULL", "None", "#N/A", "", "1.5", "2"]),
      words: pick(draw, ["nan", "n/a", "-", "#NA", "<NA>", "-nan", "1.#IND", "null", "none", "red", "None"]),
      lower: pick(draw, ["nan", "NaN", "3.5", "-2"]),
    })),
    plain("own missing words", (draw) => ({ gaps: pick(draw, ["?", "-", "7", "8.5", "missing"]) }), {
      args: { na_values: ["?", "-", "missing"] },
    }),
    plain("mixed types", (draw, i) => ({
      late: i === n - 3 ? "many" : String(i),
      spaced: ` ${(draw() * 5).toFixed(2)}`,
      exponent: (draw() * 1e6).toExponential(3),
      endless: i === 4 ? "inf" : i === 5 ? "-Infinity" : String(i),
      halves: i % 2 ? String(i) : `${i}.5`,
      hex: pick(draw, ["0x10", "0x2f", "12"]),
      grouped: pick(draw, ["1,234", "2,500", "17"]),
      percent: `${i}%`,
      underscore: pick(draw, ["1_000", "2"]),
      plus: pick(draw, ["+1", "+2", "3"]),
      precise: String(draw()),
    })),
    plain(
      "dates",
      (draw, i) => {
        const [year, month, date] = day(draw);
        return {
          dayfirst: i === 3 ? "25/12/2025" : `${two(date)}/${two(month)}/${year}`,
          monthfirst: i === 3 ? "12/25/2025" : `${two(month)}/${two(date)}/${year}`,
          unclear: `${two((date % 12) + 1)}/${two(month)}/${year}`,
          iso: draw() < 0.1 ? "" : `${year}-${two(month)}-${two(date)}`,
          time: `${year}-${two(month)}-${two(date)} ${two(date % 24)}:30:00`,
          zoned: `${year}-${two(month)}-${two(date)}T${two(date % 24)}:30:00${pick(draw, ["Z", "+02:00", "-05:30"])}`,
          mixed: `${year}-${two(month)}-${two(date)}T10:00:00${pick(draw, ["", "Z", "+01:00"])}`,
          worded: `${date} ${pick(draw, ["Jan", "Feb", "Mar", "Dec"])} ${year}`,
          dotted: `${two(date)}.${two(month)}.${year}`,
          fraction: `${year}-${two(month)}-${two(date)} 10:20:30.${100 + i}`,
        };
      },
      {
        dates: ["dayfirst", "monthfirst", "unclear", "iso", "time", "zoned", "mixed", "worded", "dotted", "fraction"],
      },
    ),
    plain("codes", (draw, i) => ({
      zip: two(i).padStart(5, "0"),
      phone: `00${1000 + i}`,
      big: i === 2 ? "" : `9007199254740${990 + i}`,
      huge: `${100 + i}45678901234567890123`,
      whole: String(2 ** 40 + i),
      card: `4${String(Math.floor(draw() * 1e15)).padStart(15, "0")}`,
    })),
    plain("flags", (draw) => ({
      yes: pick(draw, ["yes", "no"]),
      True: pick(draw, ["True", "False"]),
      UPPER: pick(draw, ["TRUE", "FALSE", "true"]),
      sparse: pick(draw, ["true", "false", "", "NA"]),
      letter: pick(draw, ["t", "f"]),
      digit: pick(draw, ["0", "1"]),
      strange: pick(draw, ["tRuE", "faLSE"]),
      agreed: pick(draw, ["Y", "N", "y"]),
    })),
    plain("constant and unique", (draw, i) => ({
      constant: "5",
      word: "same",
      empty: "",
      unique: `customer ${i}`,
      almost: i % 30 === 0 ? "again" : `c${i}`,
      mostly: i === 0 ? "1" : "",
      policy_number: String(100000 + i * 7),
      ratio: `${(draw() * 30).toFixed(1)} kmpl`,
    })),
    plain("texts", (draw, i) => ({
      note: pick(draw, ["line one\nline two", 'he said "no"', "a, b; c", "tab\there", "  spaced  ", "it's", "\\n"]),
      review: `${pick(draw, ["good", "bad", "fine"])} room ${pick(draw, ["near", "far from"])} the sea ${i % 7}`,
      inject: pick(draw, ['"); import os; os._exit(3) #', "'; DROP TABLE x; --", "=1+1", "{{7*7}}", "é\u202e"]),
      emoji: pick(draw, ["😀", "数", "ñ", "Ａ"]),
    })),
    {
      name: "nasty names",
      file: "nasty-names.csv",
      content: csv(
        same.map((row, i) => ({
          ...row,
          ...Object.fromEntries(
            nastyNames.map((name, k) => [
              ` ${name}`,
              k % 2 ? String((i * (k + 3)) % 17) : pick(() => ((i * 7 + k) % 10) / 10, cities),
            ]),
          ),
        })),
        ",",
        "\n",
        [...Object.keys(same[0]), ...nastyNames],
      ),
      odd: nastyNames,
    },
    {
      name: "repeated and empty headers",
      file: "repeated.csv",
      content: csv(
        same.map((row, i) => ({ ...row, a: String(i), b: String(i % 5), c: cities[i % 4], d: String(i / 2) })),
        ",",
        "\n",
        [...Object.keys(same[0]), "twice", "twice", "", "size"],
      ),
      odd: ["twice", "twice_1"],
    },
    { name: "semicolons", file: "semicolons.csv", content: csv(same, ";"), odd: [] },
    {
      name: "decimal commas",
      file: "commas.csv",
      content: csv(
        same.map((row) => ({ ...row, cost: row.price.replace(".", ",") })),
        ";",
      ),
      odd: ["cost"],
    },
    {
      name: "cp1252",
      file: "cp1252.csv",
      content: encoded(
        csv(same.map((row, i) => ({ ...row, café: ["€ 5", "“x”", "Škoda – 2", "né"][i % 4] }))),
        "cp1252",
      ),
      odd: ["café"],
    },
    { name: "utf-16", file: "utf16.csv", content: encoded(csv(same), "utf-16le"), odd: [] },
    { name: "byte order mark", file: "bom.csv", content: `\ufeff${csv(same)}`, odd: [] },
    { name: "tabs", file: "tabs.tsv", content: csv(same, "\t"), odd: [] },
    { name: "pipes", file: "pipes.txt", content: csv(same, "|"), odd: [] },
    { name: "carriage returns", file: "crlf.csv", content: csv(same, ",", "\r\n"), odd: [] },
    { name: "blank lines before", file: "blank.csv", content: `\n\n${csv(same)}`, odd: [] },
    {
      name: "mixed newlines",
      file: "mixed.csv",
      content: csv(same)
        .split("\n")
        .map((line, k) => line + (k % 3 ? "\n" : "\r\n"))
        .join("")
        .trimEnd(),
      odd: [],
    },
    { name: "no header", file: "headless.csv", content: csv(same).split("\n").slice(1).join("\n"), odd: [] },
    {
      name: "records",
      file: "records.json",
      content: JSON.stringify(
        same.map(({ size, rooms, ...row }, i) => ({
          ...row,
          size: size === "" ? null : Number(size),
          rooms: rooms === "NA" ? null : Number(rooms),
          price: Number(row.price),
          ok: row.ok === "true",
          seen: `2026-01-${two((i % 28) + 1)}`,
          at: `2026-01-01T10:00:${two(i % 60)}Z`,
          code: two(i % 7).padStart(4, "0"),
          deep: i % 2 ? { a: i } : null,
          list: [i, 1],
        })),
      ),
      odd: ["seen", "at", "code"],
    },
    {
      name: "lines of JSON",
      file: "lines.ndjson",
      content: `${same.map((row, i) => JSON.stringify({ ...row, price: Number(row.price), n: i % 9 ? i : null })).join("\n")}\n`,
      odd: ["n"],
    },
    {
      name: "columns of JSON",
      file: "columns.json",
      content: JSON.stringify({
        price: same.map(({ price }) => Number(price)),
        kind: same.map(({ kind }) => kind),
        size: same.map((_, i) => i / 3),
        id: same.map((_, i) => `0${i}`),
      }),
      odd: ["id"],
    },
  ];
}

/** Files that Python's own libraries write into a folder: JSON, Parquet, Excel, SQLite, and CSV of other countries. */
export function typedFiles(python: string, folder: string, seed: number): OddFile[] {
  const script = fileURLToPath(new URL("odd-files.py", import.meta.url));
  const made = JSON.parse(execFileSync(python, [script, folder, String(seed)], { encoding: "utf8" })) as {
    readonly file: string;
    readonly args: Readonly<Record<string, unknown>> | null;
  }[];
  return made.map(({ file, args }) => ({ name: file, file: join(folder, file), odd: [], ...(args ? { args } : {}) }));
}
