import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { stack, type TableView, text, type View } from "../../src/core/view.ts";
import { toLines, toText } from "../../src/render/index.ts";
import { correlations, facts, hostile, penguins, tree } from "./examples.ts";

const golden = (name: string) => `./golden/${name}.txt`;

function table(columns: TableView["columns"], rows: TableView["rows"], total?: number): TableView {
  return { kind: "table", columns, rows, total };
}

describe("a table in text", () => {
  it("aligns columns and says types, roles, holes and what is not shown", async () => {
    await expect(toText(penguins)).toMatchFileSnapshot(golden("penguins"));
  });

  it("makes visible what a terminal would obey", async () => {
    const words = toText(hostile);
    await expect(words).toMatchFileSnapshot(golden("hostile"));
    expect(words).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u200b]/);
    expect(words.split("\n")).toHaveLength(8);
  });

  it("tells a missing cell from an empty text and from a text that looks like one", () => {
    const lines = toLines(table([{ name: "word", type: "string" }], [[null], [""], ["·"], ["null"], [" a"]]), {
      width: 80,
      colour: false,
    });
    expect(lines.slice(3)).toEqual(["·", '""', '"·"', '"null"', '" a"']);
  });

  it("draws counts as bars, and puts them below where the line is too short", () => {
    const view: TableView = {
      kind: "table",
      summary: true,
      columns: [
        { name: "column", type: "text" },
        { name: "mean", type: "number" },
        { name: "shape", type: "text", bars: true, aside: true },
        { name: "missing", type: "integer", alarm: true, aside: true },
      ],
      rows: [
        ["age", 29.7, "1 8 0 16", 3],
        ["fare", 32.2, "", 0],
      ],
    };
    const rows = (options: Parameters<typeof toLines>[1]) =>
      toLines(view, options).filter((line) => /age|fare/.test(line));
    expect(rows({ width: 80, colour: false })).toEqual([
      "age     29.7  ▁▄ █         3",
      "fare    32.2               –",
    ]);
    expect(rows({ width: 80, colour: false, unicode: false })[0]).toBe("age     29.7  _- #         3");
    expect(rows({ width: 24, colour: false })).toEqual([
      "age     29.7",
      "fare    32.2",
      "age     ▁▄ █         3",
      "fare                 –",
    ]);
    expect(rows({ width: 80, colour: false, spoken: true })).toEqual([
      "age     29.7        3",
      "fare    32.2        0",
    ]);
    expect(rows({ width: 80, colour: true })[0]).toContain("\u001b[33m      3\u001b[0m");
  });

  it("keeps wide letters in line", () => {
    const rows = [
      ["東京", 1],
      ["👩‍👩‍👧 family", 22],
      ["naïve", 333],
    ];
    const lines = toLines(
      table(
        [
          { name: "city", type: "string" },
          { name: "n", type: "integer" },
        ],
        rows,
      ),
      { width: 80, colour: false },
    );
    expect(new Set(lines.slice(3).map((line) => stringWidth(line))).size).toBe(1);
  });

  it("folds the columns that do not fit, and names them", async () => {
    const columns = Array.from({ length: 200 }, (_, k) => ({ name: `feature_${k}`, type: "number" as const }));
    const view = table(columns, [columns.map((_, k) => k / 7), columns.map((_, k) => k)], 1_000_000);
    const words = toText(view);
    await expect(words).toMatchFileSnapshot(golden("many-columns"));
    expect(words.split("\n").length).toBeLessThan(12);
  });

  it("keeps the columns that a block speaks of, and folds others in their place", () => {
    const names = ["one", "two", "three", "four", "five", "made"];
    const columns = names.map((name) => ({
      name,
      type: "string" as const,
      ...(name === "made" ? { named: true } : {}),
    }));
    const lines = toLines(table(columns, [names.map((name) => name.repeat(4))]), { width: 60, colour: false });
    expect(lines[0]).toMatch(/^one +two +three +made$/);
    expect(lines[3]).toMatch(/^oneoneoneone +twotwotwotwo {2}threethree\S+ {2}mademade\S+$/);
    expect(lines[4]).toBe("… and 2 more columns: four, five");
  });

  it("cuts long text and never a number", () => {
    const view = table(
      [
        { name: "words", type: "string" },
        { name: "a_long_name_for_a_number", type: "number" },
      ],
      [["x".repeat(300), 123456.5]],
    );
    const words = toText(view, { width: 40 });
    expect(words).toContain("…");
    expect(words).toContain("123456.5");
  });

  it("shows the head of a table without rows", () => {
    expect(toText({ ...penguins, title: undefined, rows: [], total: 0 })).toContain("(no rows)");
    expect(toText({ ...penguins, rows: [], total: 0 })).toContain("0 rows × 7 columns");
  });

  it("shows a table without columns, and one with only holes", () => {
    expect(toText(table([], []))).toBe("");
    const holes = table([{ name: "a", type: "number", missing: 2 }], [[null], [null]]);
    expect(toText(holes).split("\n").slice(-3)).toEqual(["     ·", "     ·", "missing: a 2"]);
  });

  it("tints correlations in colour, and only there", () => {
    expect(toText(correlations)).not.toContain("\x1b");
    expect(toText(correlations, { colour: true })).toContain("\x1b[48;5;124;38;5;231m  1.00\x1b[0m");
  });

  it("speaks ASCII where unicode may not be used", () => {
    expect(toText({ ...penguins, columns: penguins.columns.slice(0, 3) }, { unicode: false })).toMatch(
      /^[\n\x20-\x7e]*$/,
    );
  });
});

describe("a tree in text", () => {
  it("shows each answer below its question, and cuts names before numbers", async () => {
    const words = toText(tree);
    await expect(words).toMatchFileSnapshot(golden("tree"));
    expect(words).toContain(" ≤ 4.75");
    expect(toText(tree, { unicode: false })).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it("makes visible what a terminal would obey", () => {
    const bad = "a\x1b[2J\nb";
    const words = toText({ kind: "tree", root: { label: bad, note: bad, rest: bad } });
    expect(words).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("facts, text and stacks", () => {
  it("aligns labels and wraps values", async () => {
    await expect(toText(facts)).toMatchFileSnapshot(golden("facts"));
  });

  it("tells tones apart without colour", () => {
    expect(toText(text("done", "good"))).toBe("✓ done");
    expect(toText(text("careful", "warning"))).toBe("! careful");
    expect(toText(text("aside", "quiet"), { colour: true })).toBe("\x1b[2maside\x1b[0m");
  });

  it("keeps the lines and the indentation of a text", () => {
    expect(toText(text("SELECT a\n  FROM t"))).toBe("SELECT a\n  FROM t");
    expect(toText(text("a \x1b[2J b"))).toBe("a ␛[2J b");
  });

  it("puts one blank line between the views of a stack", () => {
    expect(toText({ kind: "stack", views: [text("one"), { kind: "stack", views: [] }, text("two")] })).toBe(
      "one\n\ntwo",
    );
  });

  it("stays within the width, whatever it is", () => {
    const all: View = stack(
      penguins,
      hostile,
      facts,
      correlations,
      tree,
      text("word ".repeat(60)),
      text("x".repeat(200)),
    );
    for (const width of [20, 33, 60, 80, 200]) {
      for (const colour of [false, true]) {
        for (const line of toLines(all, { width, colour })) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });
});
