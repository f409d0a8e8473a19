import { describe, expect, it } from "vitest";
import { BlocklabError } from "../../src/core/errors.ts";
import { byName, declared } from "../../src/registry/index.ts";
import { toBundles, toHtml, toText } from "../../src/render/index.ts";
import { Lab, type Link, someone } from "../support/lab.ts";
import { everyUse, type Names } from "./every-use.ts";

const lab = new Lab();
const plain: Names = { n: "n", m: "m", words: "words", date: "date", y: "y" };
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const csvOf = ({ n, m, words, date, y }: Names, rows: readonly (readonly (string | number)[])[]) =>
  `${[n, m, words, date, y].map(quoted).join(",")}\n${rows.map((row) => `${row.join(",")}\n`).join("")}`;

/** 24 rows of both classes, with as many holes as every block can stand. */
const rowsOf = (word: (row: number) => string) =>
  Array.from({ length: 24 }, (_, i) => [
    (i * 7) % 11,
    (i * i) % 13,
    word(i),
    `2026-03-${String(i + 5).padStart(2, "0")}`,
    i % 3 === 0 ? 1 : 0,
  ]);

const hostile = [
  '"; DROP TABLE t; --',
  "__proto__",
  "constructor",
  "</script><img src=x onerror=alert(1)>",
  "\u001b[31mred\u001b[0m",
  "two\nlines",
  "datum['x'] + \\\" ${1}",
  "a.b[0].c",
];
/** Five of the hostile names in a row; those from 0 and from 4 are all of them. */
const turned = (shift: number): Names => {
  const [n, m, words, date, y] = [0, 1, 2, 3, 4].map((k) => hostile[(k + shift) % hostile.length]);
  return { n, m, words, date, y };
};

const tables: Record<string, readonly [csv: string, names: Names][]> = {
  "of plain rows": [
    [
      csvOf(
        plain,
        rowsOf((i) => `w${i % 3} v`),
      ),
      plain,
    ],
  ],
  "without rows": [[csvOf(plain, []), plain]],
  "of one row": [[csvOf(plain, [[1, 2, "w", "2026-03-04", 1]]), plain]],
  "of two rows": [
    [
      csvOf(plain, [
        [1, 2, "w", "2026-03-04", 1],
        [2, 2, "w", "2026-03-05", 0],
      ]),
      plain,
    ],
  ],
  "with columns missing throughout": [
    [
      csvOf(
        plain,
        rowsOf(() => "").map((row) => ["", "", "", "", row[4]]),
      ),
      plain,
    ],
  ],
  "of missing cells alone": [
    [
      csvOf(
        plain,
        rowsOf(() => "").map(() => ["", "", "", "", ""]),
      ),
      plain,
    ],
  ],
  "under hostile names": [0, 4].map((k) => [
    csvOf(
      turned(k),
      rowsOf((i) => quoted(`${hostile[i % 3]} ${hostile[(i + k) % hostile.length]}`)),
    ),
    turned(k),
  ]),
};
const mustPass = new Set(["of plain rows", "under hostile names"]);

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

/** Whatever a block shows, by whichever renderer, holds no markup, no escape code and no innards. */
async function isShownHarmlessly(record: Awaited<ReturnType<Lab["last"]>>): Promise<void> {
  const view = await (await lab.service).view(someone, record.id);
  for (const width of [80, 40]) {
    const seen = toText(view, { width });
    expect(seen).not.toMatch(controls);
    expect(seen).not.toMatch(/undefined|\[object/);
    for (const line of seen.split("\n")) expect([...line].length).toBeLessThanOrEqual(width);
  }
  const markup = [await toHtml(view)];
  for (const { data } of await toBundles(view)) {
    markup.push(String(data["text/html"] ?? ""), String(data["image/svg+xml"] ?? ""));
    expect(String(data["text/plain"])).not.toMatch(controls);
    // JSON carries what it likes, as long as it is JSON.
    if (data["application/vnd.vegalite.v5+json"]) JSON.parse(JSON.stringify(data["application/vnd.vegalite.v5+json"]));
  }
  for (const text of markup) {
    expect(text).not.toMatch(/<img src=x|<\/script><img|\u001b/);
    expect(text).not.toMatch(/>(?:NaN|undefined|\[object Object\])</);
  }
  for (const notice of record.notices ?? []) expect(notice).not.toMatch(/[\u0000-\u001f]/);
  if (record.output) expect(JSON.parse(record.output)).toBeTypeOf("object");
}

/** Runs a chain; answers how it ended: "ok", or the sentence that says why not. */
async function ends(csv: string, links: readonly Link[]): Promise<string> {
  try {
    await isShownHarmlessly(await lab.last(csv, ...links));
    return "ok";
  } catch (error) {
    if (!(error instanceof BlocklabError)) throw error;
    const { status, message } = error;
    expect([400, 404, 422], message).toContain(status);
    // An error in an expression points at the place, in two lines below the sentence.
    expect(message).toMatch(/^[a-zA-Z.]+ .*[.?](?:\n {2}[^\n]*\n *\^+)?$/s);
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|node_modules|Error:|\[object|undefined|SELECT /);
    expect(message.length).toBeLessThan(700);
    return message;
  }
}

const apart = ["image", "input", "ndarray"];

it("is asked of every block that takes a table", () => {
  const all = declared.map(({ name }) => name).filter((name) => !apart.includes(name));
  expect(Object.keys(everyUse(plain)).sort()).toEqual(all.sort());
});

describe.each(Object.entries(tables))("a table %s", (kind, cases) => {
  it.each(Object.keys(everyUse(plain)))(
    "is answered or refused in one sentence by %s",
    { timeout: 60_000 },
    async (block) => {
      const isModel = byName(block)?.derived !== undefined;
      const answers: string[] = [];
      for (const [at, [csv, names]] of cases.entries()) {
        // Models take long: of two tables one learns, the other predicts.
        const uses = everyUse(names)[block].filter((_, k) => cases.length === 1 || !isModel || k % cases.length === at);
        for (const links of uses) answers.push(await ends(csv, links));
      }
      if (mustPass.has(kind)) expect(new Set(answers)).toEqual(new Set(["ok"]));
      else expect(answers).toMatchSnapshot();
    },
  );
});
