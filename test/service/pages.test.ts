import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import type { Column } from "../../src/core/frame.ts";
import { searchable } from "../../src/service/pages.ts";
import { type Result, Session } from "../../src/session/index.ts";

const rows = 4_000;

describe("pages of a table", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-pages-"));
  const session = new Session(() => embeddedLink({ home, threads: 0 }));
  let result: Result;

  beforeAll(async () => {
    // Ties, missing cells, and words that are found in one column or the other.
    const lines = Array.from({ length: rows }, (_, k) => {
      const number = k % 7 === 0 ? "" : String((k * 37) % 101);
      return `${k},${number},word${k % 13},${k % 3 === 0},${(k * 1.5) / 7}`;
    });
    writeFileSync(join(home, "t.csv"), ["id,number,word,flag,share", ...lines].join("\n"));
    result = await session.input(join(home, "t.csv")).xy({ y: "flag" }).split({ test_size: 0.3 }).scale("standard");
  });
  afterAll(async () => {
    await session.close();
    rmSync(home, { recursive: true, force: true });
  });

  const parts = [
    { sort: "number" },
    { sort: "number", descending: true },
    { sort: "word" },
    { search: "word1" },
    { search: "WORD1", sort: "share", descending: true },
    { search: "99" },
    { search: "tru", sort: "id" },
    { search: "nowhere" },
  ];

  it.each(parts)("are the same rows as the whole table has there: %o", async (part) => {
    const link = await session.link;
    for (const url of [result.record.dataset_url, result.record.x_train_url]) {
      if (url === result.record.x_train_url && part.search === "tru") continue;
      const whole = await link.table(url as string, part);
      for (const [offset, limit] of [
        [0, 10],
        [1_200, 25],
        [whole.total - 5, 20],
        [whole.total + 10, 5],
        [600, 600],
        [0, 0],
      ].filter(([from]) => from >= 0)) {
        const page = await link.table(url as string, { ...part, offset, limit });
        expect(page.total).toBe(whole.rows.length);
        expect(page.rows).toEqual(whole.rows.slice(offset, offset + limit));
        expect(page.columns).toEqual(whole.columns);
      }
    }
  });

  it("read the columns that are wanted, in their order, though sorted by another", async () => {
    const link = await session.link;
    const url = result.record.dataset_url as string;
    const part = { columns: ["word", "id"], sort: "share", search: "word" };
    const whole = await link.table(url, part);
    expect(whole.rows).toHaveLength(rows);
    expect((await link.table(url, { ...part, offset: 3_000, limit: 7 })).rows).toEqual(whole.rows.slice(3_000, 3_007));
  });

  it("look for a text where it may stand", () => {
    const column = (name: string, type: Column["type"]): Column => ({ name, type });
    const columns = [
      column("number", "number"),
      column("string", "string"),
      column("boolean", "boolean"),
      column("datetime", "datetime"),
      column("tensor", "tensor"),
    ];
    expect(searchable(columns, "city")).toEqual(["string", "datetime"]);
    expect(searchable(columns, "-1.5E-7")).toEqual(["number", "string", "datetime"]);
    expect(searchable(columns, "E")).toEqual(["number", "string", "boolean", "datetime"]);
    expect(searchable(columns, "NaN")).toEqual(["number", "string", "datetime"]);
    expect(searchable(columns, "RU")).toEqual(["string", "boolean", "datetime"]);
  });
});
