import { join } from "node:path";
import { Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { pandas } from "../../src/engines/pandas/plan.ts";
import { storedTypes } from "../../src/engines/postgres/functions/writing.ts";
import { postgres } from "../../src/engines/postgres/plan.ts";
import { spark } from "../../src/engines/spark/plan.ts";
import { sessionSettings, quote as sparkQuote, storedTypes as sparkTypes } from "../../src/engines/spark/words.ts";
import type { Relation } from "../../src/plan/node.ts";
import { localRows, SparkClient, sql } from "../../src/spark/index.ts";
import { Store } from "../../src/store/store.ts";
import { someone } from "../support/caller.ts";
import { Lab, type Link } from "../support/lab.ts";
import { asText, connectedTo, startPostgres, type TestServer, whyNoPostgres } from "../support/postgres.ts";
import { askPython, pythonWith, whyNoPython } from "../support/python.ts";
import { hasSpark, sparkAddress } from "../support/spark.ts";
import { cellsOf } from "../support/spark-cells.ts";

// What blocks have prepared, worked out by DuckDB, by a real Postgres, a real Spark and a real pandas: the same rows.

const lab = new Lab();
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Cells that nobody prepared, under names that would break SQL or Python pasted together. */
const odd = `"a ""b"" c",'; DROP TABLE x; --,ünï \\n,whole,text,when
1.5,0,-0.0,9007199254740993,plain,2024-02-29
,inf,1e308,-9007199254740993,"it's",1969-12-31
-2.5,-inf,5e-324,0,"a ""quote""",2024-02-29
0.1,1,,7,,
-0.0,,3,,plain,2038-01-19
7,2,-1.5,2,é,0001-01-01
8,-3,2.25,-8,"\\",9999-12-31
9,4,0.1,0,"2",2024-02-29
`;

const numbers = { strategy: "mean" };
const words = { strategy: "mode" };

const chains: Readonly<Record<string, readonly [csv: string, ...links: readonly Link[]]>> = {
  penguins: [
    "sample:penguins",
    ["missing", numbers],
    ["missing", words],
    ["encode", { columns: ["island", "sex"] }],
    ["scale", { columns: ["bill_length_mm", "body_mass_g"] }],
  ],
  weather: ["sample:weather", ["encode", { columns: ["weather"], type: "label" }], ["scale", { scaler: "minmax" }]],
  iris: ["sample:iris", ["drop", { columns: ["sepal_width"] }], ["reorder", { column: "species", position: 0 }]],
  digits: ["sample:digits", ["scale", { scaler: "robust" }]],
  birdstrikes: ["sample:birdstrikes", ["missing", words], ["missing", { strategy: "median" }]],
  odd: [odd, ["missing", { strategy: "median" }], ["missing", words], ["encode", { columns: ["text"] }]],
  "odd, rows left out": [odd, ["missing", { strategy: "drop" }]],
  "few rows, new columns": [
    "sample:penguins",
    ["filter", { where: "d => d.body_mass_g > 5000 && d.sex != null" }],
    ["derive", { columns: { kg: "body_mass_g / 1000", size: "kg > 5.5 ? 'large' : 'middle'", far: "kg - mean(kg)" } }],
    ["rename", { names: { island: "where" } }],
    ["select", { columns: ["size", "where", "kg", "far"] }],
  ],
  "windows, a stretch": [
    "sample:penguins",
    ["derive", { columns: { n: "rowNumber()", before: "lag(body_mass_g)" }, by: "species", order: "-bill_length_mm" }],
    ["slice", { from: 20, to: -30 }],
    ["filter", { where: "n > 3" }],
  ],
  "odd, a condition": [odd, ["filter", { where: "d => d['ünï \\\\n'] >= 0 || d.text == null" }]],
};

/** Cells drawn at random from those that trip engines, in columns whose names do. */
function fuzzed(rows: number): string {
  let seed = 7;
  const drawn = (from: readonly string[]) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return from[seed % from.length];
  };
  const numbers = [
    "",
    "0",
    "-0.0",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "5e-324",
    "2.5",
    "-2.5",
    "0.1",
    "1e16",
    "1e-7",
    "3",
  ];
  const wholes = ["", "0", "-1", "7", "9007199254740993", "-9007199254740993", "9223372036854775807", "1000000"];
  const texts = ["", "a", "A", "it's", '"say ""x"""', "\\n", "${x}", "ünï", "😀", "\uFFFD", "`b`", "2.0", " x "];
  const days = ["", "2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31", "2026-11-22"];
  const lines = Array.from({ length: rows }, () =>
    [numbers, numbers, wholes, wholes, texts, days].map(drawn).join(","),
  );
  return `x,\`y\`,n,k b,\${t},when\n1.5,1.5,1,1,a,2024-01-01\n${lines.join("\n")}\n`;
}

const ofFuzzed = {
  a: "x + d['`y`']",
  b: "x * d['`y`'] - x",
  c: "x / d['`y`']",
  dd: "x % 2",
  e: "n + d['k b']",
  f: "n * d['k b']",
  g: "n / d['k b']",
  h: "n % d['k b']",
  i: "text(x)",
  j: "round(x, 1)",
  k: "floor(x) ?? ceil(d['`y`'])",
  l: "least(x, d['`y`'])",
  m: "x > n || d['${t}'] < 'b'",
  o: "d['${t}'] + '|' + n",
  p: "d['${t}'].slice(-2, -1) + '${x}'",
  q: "replace(d['${t}'], 'a', '\\\\')",
  r: "dateDiff(when, date('2024-02-29'), 'month')",
  s: "dateTrunc(when, 'quarter')",
  u: "number(d['${t}']) ?? integer(x)",
  v: "matches(d['${t}'], /^[\\w']+$/)",
};

const ofSpark: typeof chains = {
  ...chains,
  fuzzed: [fuzzed(400), ["derive", { columns: ofFuzzed }]],
  "fuzzed, along rows": [
    fuzzed(300),
    [
      "derive",
      { columns: { i: "rowNumber()", j: "lag(x, 2)", k: "cumsum(n)", l: "rank(x)" }, by: "${t}", order: "-k b" },
    ],
    ["derive", { columns: { m: "previous(x)", o: "next(x)", p: "cummax(d['`y`'])", q: "rollingSum(n, 3)" } }],
    ["filter", { where: "i % 2 == 1" }],
  ],
};

interface Prepared {
  readonly relation: Relation;
  readonly header: readonly string[];
  readonly source: {
    readonly header: readonly string[];
    readonly types: readonly (keyof typeof storedTypes)[];
    readonly rows: unknown[][];
  };
  readonly expected: readonly (readonly unknown[])[];
}

async function prepared(name: string): Promise<Prepared> {
  const records = await lab.chain(...ofSpark[name]);
  const [source, made] = await Promise.all(
    [records[0], records.at(-1) as StateRecord].map((r) => lab.table(r.dataset_url)),
  );
  const store = new Store(join(lab.home, "data"));
  const relation = store.state(someone.owner, (records.at(-1) as StateRecord).id)?.frame.relation as Relation;
  store.close();
  // No file of text has categories.
  const types = source.types as (keyof typeof storedTypes)[];
  return { relation, header: made.header, source: { ...source, types }, expected: made.rows };
}

/** A cell of any engine as one text; times without their zone's mark. */
function plain(cell: unknown): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === "number") return Object.is(cell, -0) ? "0" : String(cell);
  const text = String(cell);
  if (/^\d{4}-\d\d-\d\d[ T]/.test(text))
    return text
      .replace("T", " ")
      .replace(/(?:\.0+)?Z?$/, "")
      .replace(/ 00:00:00$/, "");
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) && !/^-?\d{16,}$/.test(text) ? String(Number(text)) : text;
}

const inText = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.map(plain));

const reason = whyNoPostgres();

describe.skipIf(reason)("plans in Postgres", () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startPostgres();
    client = await connectedTo(server);
  }, 60_000);

  afterAll(async () => {
    await client?.end();
    await server?.stop();
  });

  it.each(Object.keys(chains))("answer the rows of DuckDB: %s", async (name) => {
    const { relation, header, source, expected } = await prepared(name);
    expect(postgres.can(relation)).toEqual([]);
    const table = `t ${name}`;
    const columns = source.header.map((each, k) => `${quote(each)} ${storedTypes[source.types[k]]}`);
    await client.query(`CREATE TABLE ${quote(table)} (${columns.join(", ")}, "row" bigint)`);
    const arrays = source.header.map((_, k) => source.rows.map((row) => (row[k] === null ? null : String(row[k]))));
    const cells = source.types.map((type, k) => `c${k}::${storedTypes[type]}`);
    const names = source.header.map((_, k) => `c${k}`);
    await client.query(
      `INSERT INTO ${quote(table)} SELECT ${cells.join(", ")}, n - 1 FROM unnest(${arrays.map((_, k) => `$${k + 1}::text[]`).join(", ")}) WITH ORDINALITY AS t(${names.join(", ")}, n)`,
      arrays,
    );
    const text = postgres.write(relation, { name: table, row: "row" });
    const { rows, fields } = await client.query({ text, rowMode: "array", types: asText });
    expect(fields.map((field) => field.name)).toEqual([...header, "__row"]);
    const booleans = fields.map(({ dataTypeID }) => dataTypeID === 16);
    const found = rows.map((row: unknown[]) =>
      row.slice(0, -1).map((cell, k) => (booleans[k] && cell !== null ? cell === "t" : cell)),
    );
    expect(inText(found)).toEqual(inText(expected));
  });
});

// A server answers its first questions slowly.
describe.skipIf(!hasSpark)("plans in Spark, which needs BLOCKLAB_SPARK", { timeout: 120_000 }, () => {
  let client: SparkClient;

  beforeAll(async () => {
    client = new SparkClient(await sparkAddress(), { patienceMs: 60_000, settings: sessionSettings });
    await client.version();
  }, 200_000);

  afterAll(async () => {
    await client?.close();
  });

  it.each(Object.keys(ofSpark))("answer the rows of DuckDB: %s", async (name) => {
    const { relation, header, source, expected } = await prepared(name);
    expect(spark.can(relation)).toEqual([]);
    const texts = source.header.map((_, k) => {
      const cells = source.rows.map((row) => (row[k] === null ? null : Object.is(row[k], -0) ? "-0" : String(row[k])));
      return [`c${k}`, vectorFromArray(cells, new Utf8())] as const;
    });
    const numbers = vectorFromArray(
      source.rows.map((_, i) => String(i)),
      new Utf8(),
    );
    const table = new Table(Object.fromEntries([...texts, ["n", numbers]]));
    await client.createView("texts", localRows(tableToIPC(table, "stream")));
    const cells = source.header.map(
      (each, k) => `CAST(c${k} AS ${sparkTypes[source.types[k]]}) AS ${sparkQuote(each)}`,
    );
    for (const partitions of [1, 3]) {
      const query = `SELECT /*+ REPARTITION(${partitions}) */ ${cells.join(", ")}, CAST(n AS BIGINT) AS \`the row\` FROM texts`;
      await client.createView("cells", sql(query));
      const { names, rows } = await cellsOf(client, spark.write(relation, { name: "cells", row: "the row" }));
      expect(names).toEqual([...header, "__row"]);
      expect(inText(rows.map((row) => row.slice(0, -1)))).toEqual(inText(expected));
    }
  });
});

it.each([
  ["missing", [["missing", { strategy: "ffill" }]]],
  [
    "encode",
    [
      ["xy", { y: ["n"] }],
      ["encode", { columns: ["t"], type: "target" }],
    ],
  ],
] as const)("with lists beside the table hold no engine's words, and are refused by %s's name", async (name, links) => {
  const lines = "a,1\n,2\nb,3\n".repeat(20_000);
  const record = await lab.last(`t,n\n${lines}`, ...(links as unknown as Link[]));
  const store = new Store(join(lab.home, "data"));
  const { relation } = store.state(someone.owner, record.id)!.frame;
  store.close();
  const step = relation.steps.at(-1)!;
  expect(step.outputs.some(({ own }) => own)).toBe(true);
  expect(JSON.stringify(step.outputs)).not.toMatch(/"text":|CASE|list_extract/);
  for (const { can } of [postgres, spark, pandas]) {
    expect(can(relation).map(({ message }) => message)).toEqual([
      `block ${step.block} (${name}) takes what differs from row to row from a file of blocklab's`,
    ]);
  }
});

const modules = ["pandas", "numpy"];
const python = pythonWith(...modules);

const runner = `
import json, sys
import numpy as np
import pandas as pd
def cell(value):
    if value is None or value is pd.NA or value is pd.NaT or value != value: return None
    if isinstance(value, (bool, np.bool_)): return bool(value)
    if isinstance(value, (int, np.integer)): return str(int(value))
    if isinstance(value, (float, np.floating)): return {"float": repr(float(value))}
    return str(value)
def column(cells, dtype):
    return pd.Series([None if each is None else int(each) if dtype == "Int64" else float(each) if dtype == "Float64" else pd.Timestamp(each) if dtype.startswith("datetime") else each for each in cells], dtype=dtype)
answers = []
for script, header, dtypes, columns in json.load(sys.stdin):
    table = pd.DataFrame({name: column(cells, dtype) for name, dtype, cells in zip(header, dtypes, columns)})
    exec(script)
    answers.append([list(df.columns), [[cell(each) for each in df[name]] for name in df.columns]])
print(json.dumps(answers))
`;

describe.skipIf(!python)(`plans in pandas${whyNoPython(python, ...modules)}`, () => {
  it("answer the rows of DuckDB", async () => {
    const all = [];
    for (const name of Object.keys(chains)) all.push(await prepared(name));
    const asked = all.map(({ relation, source }) => {
      expect(pandas.can(relation)).toEqual([]);
      const kinds: Record<string, string> = {
        integer: "Int64",
        number: "Float64",
        boolean: "boolean",
        datetime: "datetime64[us]",
      };
      const columns = source.header.map((_, k) =>
        source.rows.map((row) => (typeof row[k] === "number" ? String(row[k]).replace("Infinity", "inf") : row[k])),
      );
      return [
        pandas.write(relation, { name: "table", row: "" }),
        source.header,
        source.types.map((type) => kinds[type] ?? "string[python]"),
        columns,
      ];
    });
    const found = askPython<[string[], unknown[][]][]>(python as string, runner, asked);
    for (const [k, { header, expected }] of all.entries()) {
      const [names, columns] = found[k];
      expect(names).toEqual(header);
      const toNumber = (cell: unknown) =>
        cell !== null && typeof cell === "object"
          ? Number((cell as { float: string }).float.replace("inf", "Infinity"))
          : cell;
      const rows = expected.map((_, i) => columns.map((cells) => toNumber(cells[i])));
      expect([names, inText(rows)]).toEqual([header, inText(expected)]);
    }
  });
});
