import { Window } from "happy-dom";
import { expect, it } from "vitest";
import type { Cell, ViewColumn } from "../../src/core/view.ts";
import { toHtml } from "../../src/render/html.ts";

/** A table on a page, and what stands in its rows after clicks on columns' names. */
async function page(columns: readonly ViewColumn[], rows: readonly (readonly Cell[])[], total?: number) {
  const { document } = new Window({ settings: { enableJavaScriptEvaluation: false } });
  document.body.innerHTML = await toHtml({ kind: "table", columns, rows, ...(total ? { total } : {}) });
  const head = document.querySelector("thead");
  const code = head?.getAttribute("onclick");
  const read = (k: number) =>
    [...document.querySelectorAll(`tbody td:nth-child(${k + 1})`)].map((td) => td.textContent);
  const click = (k: number) => {
    const name = document.querySelector(`th:nth-child(${k + 1})`);
    new Function("event", code ?? "throw new Error('nothing listens')").call(head, { target: name });
    return read(k);
  };
  return { document, read, click };
}

const columns: readonly ViewColumn[] = [
  { name: "city", type: "text" },
  { name: "people", type: "integer" },
];

it("sorts a table's rows by a click on a column's name, at the next click the other way, missing cells last", async () => {
  const rows = [
    ["Łódź", 670_642],
    ["Bern", 9],
    [null, null],
    ["ålesund", 1_000_000],
    ["Zürich", -3],
  ];
  const { document, read, click } = await page(columns, rows);
  expect(click(1)).toEqual(["-3", "9", "670642", "1000000", "·"]);
  expect(read(0)).toEqual(["Zürich", "Bern", "Łódź", "ålesund", "·"]);
  expect(click(1)).toEqual(["1000000", "670642", "9", "-3", "·"]);
  expect(document.querySelector("th:nth-child(2)")?.getAttribute("aria-sort")).toBe("descending");
  expect(document.querySelector("th:nth-child(2)")?.textContent).toBe("people ▼");
  expect(click(0)).toEqual(["ålesund", "Bern", "Łódź", "Zürich", "·"]);
  expect(document.querySelectorAll("[aria-sort]")).toHaveLength(1);
});

it("takes a zero that is drawn as a dash for a number", async () => {
  const { click } = await page([{ name: "missing", type: "integer", alarm: true }], [[7], [0], [12]]);
  expect(click(0)).toEqual(["–", "7", "12"]);
});

it("says when it sorts a part alone, and offers nothing to sort in one row", async () => {
  const part = await page(
    columns,
    [
      ["a", 1],
      ["b", 2],
    ],
    344,
  );
  expect(part.document.querySelector("thead")?.title).toBe("Sort the rows shown; dataset.page({ sort }) sorts all");
  const one = await page(columns, [["a", 1]]);
  expect(one.document.querySelectorAll("[tabindex], [onclick]")).toHaveLength(0);
});

it("sorts by no column without a name, as the first of a matrix is", async () => {
  const rows = [
    ["a", 1],
    ["b", 2],
  ];
  const { document } = await page([{ name: "", type: "text" }, columns[1]!], rows);
  expect([...document.querySelectorAll("[tabindex]")].map((each) => each.textContent)).toEqual([columns[1]!.name]);
});

it("lets no cell reach the code behind a click", async () => {
  const hostile = `');alert(1)//<b>`;
  const { document, click } = await page([{ name: hostile, type: "text" }], [[hostile], ["a"]]);
  const { document: plain } = await page([{ name: "a", type: "text" }], [["b"], ["a"]]);
  const handler = (from: typeof document) => from.querySelector("thead")?.getAttribute("onclick");
  expect(handler(document)).toBe(handler(plain));
  expect(click(0)).toEqual([hostile, "a"]);
});
