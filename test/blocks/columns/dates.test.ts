import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const lines = (...cells: string[]) => `d,v\n${cells.map((cell) => `"${cell}",1`).join("\n")}\n`;

describe("dates (DP_PDT)", () => {
  it("adds the parts of a date, Monday being day 0, and makes the column a datetime", async () => {
    const record = await lab.last(lines("2026-08-03", "2026-12-25"), ["dates", { index: 0 }]);
    const { header, rows, types } = await lab.table(record.dataset_url);
    expect(header).toEqual(["d", "d_year", "d_month", "d_day", "d_dayofweek", "v"]);
    expect(types[0]).toBe("datetime");
    expect(rows[0].slice(1)).toEqual([2026, 8, 3, 0, 1]);
    expect(rows[1].slice(1)).toEqual([2026, 12, 25, 4, 1]);
  });

  it("adds the time where there is one, and drops the column when asked", async () => {
    const { header, rows } = await lab.table(
      (await lab.last(lines("2026-08-03 22:15:07", ""), ["dates", { index: "d", drop: true }])).dataset_url,
    );
    expect(header).toEqual(["d_year", "d_month", "d_day", "d_hour", "d_minute", "d_second", "d_dayofweek", "v"]);
    expect(rows).toEqual([
      [2026, 8, 3, 22, 15, 7, 0, 1],
      [null, null, null, null, null, null, null, 1],
    ]);
  });

  it.each([
    ["five formats in one column", ["2026-03-04", "03/04/2026", "4 Mar 2026", "March 4, 2026", "20260304"], undefined],
    [
      "other ways to write it",
      ["2026/03/04", "04.03.2026", "04.03.26", "4-Mar-2026", "Mar 4 2026", "Wed, 04 Mar 2026"],
      undefined,
    ],
    ["the day first, as one cell shows", ["04/03/2026", "31/03/2026", "4/3/26"], [4, 31, 4]],
    ["months alone, as their first day", ["2026-03", "2026/03", "Mar 2026", "March 2026"], [1, 1, 1, 1]],
    [
      "fractions of a second",
      ["2026-03-04 10:11:12.5", "03/04/2026 10:11:12.25", "4 Mar 2026 10:11:12.125"],
      undefined,
    ],
    [
      "times with offsets, as UTC",
      ["2026-03-05T01:00:00+02:00", "2026-03-04T23:00:00Z", "2026-03-05 01:00:00 +0200"],
      undefined,
    ],
  ])("reads %s", async (_, cells, days) => {
    const record = await lab.last(lines(...cells), ["dates", { index: "d" }]);
    expect(await lab.column(record, "d_day")).toEqual(days ?? cells.map(() => 4));
    expect(new Set(await lab.column(record, "d_month"))).toEqual(new Set([3]));
    expect(new Set(await lab.column(record, "d_year"))).toEqual(new Set([2026]));
  });

  it("says that a date is ambiguous, and takes the caller's word", async () => {
    const cells = lines("03/04/2026", "05/06/2026");
    const american = await lab.last(cells, ["dates", { index: "d" }]);
    expect(american.notices?.join()).toMatch(
      /2 cells of column "d" could have the day or the month first; the month was taken/,
    );
    expect(await lab.column(american, "d_month")).toEqual([3, 5]);
    const european = await lab.last(cells, ["dates", { index: "d", dayfirst: true }]);
    expect(european.notices).toBeUndefined();
    expect(await lab.column(european, "d_month")).toEqual([4, 6]);
  });

  it("makes unreadable cells missing, counts them and quotes the first; refuses a column without dates", async () => {
    const record = await lab.last(lines("2026-01-01", "soon", "2026-13-45"), ["dates", { index: "d" }]);
    expect(record.notices).toEqual([
      'dates (DP_PDT): 2 cells of column "d" can\'t be read as dates and became missing, the first in row 1: "soon".',
    ]);
    expect(await lab.column(record, "d_year")).toEqual([2026, null, null]);
    const failure = await lab.failure(lines("x", "y"), ["dates", { index: "d" }]);
    expect([failure.status, failure.message]).toEqual([
      422,
      'dates (DP_PDT): no cell of column "d" can be read as a date.',
    ]);
  });

  it("takes an empty table and a column without values; new names make way for old ones", async () => {
    expect((await lab.table((await lab.last("d,v\n", ["dates", { index: "d" }])).dataset_url)).rows).toEqual([]);
    expect(await lab.column(await lab.last("d,v\n,1\n,2\n", ["dates", { index: "d" }]), "d_year")).toEqual([
      null,
      null,
    ]);
    const taken = await lab.last("d,d_year\n2026-01-02,5\n", ["dates", { index: "d" }]);
    expect((await lab.table(taken.dataset_url)).header).toEqual([
      "d",
      "d_year_1",
      "d_month",
      "d_day",
      "d_dayofweek",
      "d_year",
    ]);
  });

  it("keeps the roles of what it replaces", async () => {
    const record = await lab.last("d,v\n2026-01-02,5\n", ["xy", { y: "v" }], ["dates", { index: "d", drop: true }]);
    expect((await lab.table(record.x_value_url)).header).toEqual(["d_year", "d_month", "d_day", "d_dayofweek"]);
  });
});
