import { describe, expect, it } from "vitest";
import type { PointsChart } from "../../src/core/chart.ts";
import { countOfMarks, distinct, instant, marksOf } from "../../src/core/marks.ts";

describe("marks", () => {
  it("reads a datetime without a zone as UTC", () => {
    const noon = Date.UTC(2024, 0, 2, 12);
    for (const text of [
      "2024-01-02T12:00:00",
      "2024-01-02 12:00:00",
      "2024-01-02T12:00:00Z",
      "2024-01-02T13:00:00+01:00",
    ]) {
      expect(instant(text)).toBe(noon);
    }
    expect(instant("2024-01-02")).toBe(Date.UTC(2024, 0, 2));
    expect(instant(null)).toBeNaN();
    expect(instant("soon")).toBeNaN();
  });

  it("numbers categories in order of appearance and counts what can't be drawn", () => {
    const marks = marksOf({
      kind: "points",
      title: "",
      x: { title: "x", type: "category" },
      y: { title: "y", type: "number" },
      series: [{ name: "", x: ["b", "a", "b", null], y: [1, "2", null, 4] }],
    });
    expect(marks.x.categories).toEqual(["b", "a"]);
    expect(marks.series[0]).toEqual({ name: "", x: [0, 1], y: [1, 2] });
    expect([marks.shown, marks.missing, marks.y.min, marks.y.max]).toEqual([2, 2, 1, 2]);
  });

  it("keeps the gaps of a line, in the order of x", () => {
    const chart: PointsChart = {
      kind: "lines",
      title: "",
      x: { title: "x", type: "number" },
      y: { title: "y", type: "number" },
      series: [{ name: "", x: [3, 1, 2], y: [9, 1, null] }],
    };
    const marks = marksOf(chart);
    expect(marks.series[0]).toEqual({ name: "", x: [1, 2, 3], y: [1, Number.NaN, 9] });
    expect(countOfMarks(marks, { ...chart, sampledFrom: 3000 })).toBe(
      "2 marks stand for 3,000 (binned or sampled), 1 without a value not shown",
    );
    expect(countOfMarks(marks, { ...chart, rows: 90 })).toBe("n = 90 rows, 2 points, 1 without a value not shown");
  });

  it("makes labels distinct", () => {
    expect(distinct(["a", "a", "a (2)", "a"])).toEqual(["a", "a (2)", "a (2) (2)", "a (3)"]);
  });
});
