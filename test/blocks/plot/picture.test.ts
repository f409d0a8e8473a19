import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = `k,s,n,m,year\n${Array.from({ length: 24 }, (_, i) => `${["b", "a"][i % 2]},s${i % 3},${i},${i * i},${2000 + i}`).join("\n")}\n`;

interface Spec {
  readonly title: { readonly text: string };
  readonly width?: number;
  readonly height?: number;
  readonly concat?: readonly { readonly title: { readonly text: string }; readonly width?: number }[];
  readonly data?: { readonly values: readonly Readonly<Record<string, number>>[] };
  readonly encoding?: Readonly<Record<string, { readonly scale?: object; readonly axis?: object }>>;
}

const specOf = async (...links: readonly Link[]) => output<{ spec: Spec }>(await lab.last(csv, ...links)).spec;

const pictures: Readonly<Record<string, Record<string, unknown>>> = {
  scatter: { x: "n", y: "m" },
  line: { x: "n", y: "m" },
  compareScatter: { x: "n", y: "m", a: "m" },
  pie: { dataset: "s" },
  heatmap: { of: "correlations" },
  histogram: { x: "n" },
  bar: { x: "s" },
  box: { y: "n" },
  density: { x: "n" },
  area: { x: "n", y: "m" },
};

describe("every picture", () => {
  it.each(Object.entries(pictures))("takes a title and a size: %s", async (helper, args) => {
    const spec = await specOf([helper, { ...args, title: "What <we> see", width: 333, height: 222 }]);
    expect([spec.title.text, spec.width, spec.height]).toEqual(["What <we> see", 333, 222]);
  });

  it.each(Object.entries(pictures))("has a small picture for each part, in their order: %s", async (helper, args) => {
    const record = await lab.last(csv, [helper, { ...args, facet: "k", title: "t" }]);
    const { concat = [], title } = output<{ spec: Spec }>(record).spec;
    expect([title.text, concat.map((each) => each.title.text)]).toEqual(["t", ["a", "b"]]);
    const view = await lab.view(record);
    expect(view).toContain("a picture for each k");
    for (const line of view.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    const failed = await lab.failure(csv, [helper, { ...args, facet: "kk" }]);
    expect([failed.status, failed.message]).toEqual([400, expect.stringMatching(/column "kk" is not in the table/)]);
  });

  it.each(["scatter", "line", "compareScatter"])(
    "leaves out what a logarithmic scale can't show: %s",
    async (helper) => {
      const record = await lab.last(csv, [helper, { ...pictures[helper], x_scale: "log", y_scale: "log" }]);
      const { spec, points } = output<{ spec: Spec; points: number }>(record);
      expect(points).toBe(helper === "compareScatter" ? 46 : 23);
      expect([spec.encoding?.x.scale, spec.encoding?.y.scale]).toEqual([
        expect.objectContaining({ type: "log" }),
        expect.objectContaining({ type: "log" }),
      ]);
      expect(record.notices?.[0]).toMatch(/1 row without numbers above zero in n or m left out/);
      const failed = await lab.failure(csv, [helper, { x: "k", y: "n", x_scale: "log" }]);
      expect([failed.status, failed.message]).toEqual([
        400,
        expect.stringMatching(/x_scale "log" needs numbers, and "k"/),
      ]);
    },
  );

  it("parts colours within the small pictures, each with its own rows", async () => {
    const record = await lab.last(csv, ["scatter", { x: "n", y: "m", color: "s", facet: "k" }]);
    const { concat = [], ...rest } = output<{ spec: Spec }>(record).spec;
    const values = concat.map(
      (each) => (each as unknown as { data: { values: { x: number; s: string }[] } }).data.values,
    );
    expect(rest).not.toHaveProperty("data");
    expect(values.map((rows) => rows.every(({ x, s }) => s === `s${x % 3}`))).toEqual([true, true]);
    expect(values.map((rows) => rows.map(({ x }) => x % 2))).toEqual([new Array(12).fill(1), new Array(12).fill(0)]);
  });

  it("draws lines of means in small pictures, and says of how many rows", async () => {
    const table = "t,v,k\n1,1,a\n1,3,a\n2,5,a\n1,7,b\n";
    const record = await lab.last(table, ["line", { x: "t", y: "v", facet: "k", aggregate: "mean" }]);
    expect(await lab.view(record)).toMatch(/n = 3 rows, 2 points +n = 1 row, 1 points?/);
  });

  it("writes years without a comma, and longer numbers with one", async () => {
    const years = await specOf(["scatter", { x: "year", y: "m" }]);
    expect([years.encoding?.x.axis, years.encoding?.y.axis]).toEqual([
      { format: ".12~g", tickMinStep: 1 },
      { tickMinStep: 1 },
    ]);
  });

  it("refuses a facet and a grid at once, and a facet of arrays", async () => {
    const both = await lab.failure(csv, ["scatter", { x: "n", y: "m", facet: "k", is_grid: true }]);
    expect(both.message).toMatch(/facet and is_grid both make small pictures; give one of them/);
    const arrays = await lab.failure(csv, ["pie", { dataset: [1, 2], facet: "k" }]);
    expect(arrays.message).toMatch(/facet names a column, and dataset is an array/);
    const size = await lab.failure(csv, ["pie", { dataset: "s", width: 5 }]);
    expect([size.status, size.message]).toEqual([400, expect.stringMatching(/width must be/)]);
  });
});
