import { describe, expect, test } from "vitest";
import { quoted, uniqueNames } from "../src/core/names.ts";
import { passwordInUrl, withoutUrlPasswords } from "../src/core/secrets.ts";
import { resolveSlice } from "../src/core/slices.ts";
import { oneSelect } from "../src/core/statement.ts";
import { harmless, visible } from "../src/core/visible.ts";
import { unconverted } from "../src/engines/duckdb/ingest/csv-columns.ts";
import { completeness } from "../src/evaluator/completeness.ts";
import { escapeHtml } from "../src/render/html.ts";
import { markdownLines } from "../src/render/markdown.ts";
import { formatCell } from "../src/render/numbers.ts";
import { wrap } from "../src/render/words.ts";
import { isLoopback } from "../src/server/addresses.ts";
import { accepts, negotiate } from "../src/server/formats.ts";
import { placeOf } from "../src/service/databases/dial.ts";

const names = Array.from({ length: 50 }, (_, k) => `c${k}`);

/** What reads a text that may come from anywhere. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "a slice": (text) => resolveSlice(text, names, 100),
  "a query for Postgres": (text) => oneSelect(text, "postgres"),
  "a query for MySQL": (text) => oneSelect(`SELECT ${text}`, "mysql"),
  "a database's address": (text) => placeOf(text, 5432),
  "a URL with a password": (text) => passwordInUrl(`postgres://${text}`),
  "passwords in a text": withoutUrlPasswords,
  "an Accept header": negotiate,
  "a wish for events": (text) => accepts(text, "text/event-stream"),
  "a host": isLoopback,
  "a name in quotes": quoted,
  "a text made visible": visible,
  "a CSV header": (text) => uniqueNames(text.split(",")),
  "a message about a cell": (text) => unconverted(`Could not convert string '${text}`),
  "a page of Markdown": (text) => markdownLines(text, { width: 80, colour: false }),
  "a cell": formatCell,
  "a paragraph": (text) => wrap(text, 80),
  "what a cell prints": harmless,
  "a page of HTML": escapeHtml,
  "an unfinished cell": completeness,
};

const pieces = [..." a0_,:;.'\"`([{)]}\\/*-+$#%&=?!@<>|~\t\n\u001b\u0080é"].concat(
  ..."a: |: |:,|;;|; |''|\\'|$a$|E'|/*|*/|--|://|a://|a:b@|a@|**a |`` `|[a](|![](|](|# |> |- |1. |\n\n|function |;\n|q=|, |*/*,|\u001b[|.0".split(
    "|",
  ),
);

const length = 40_000;
const limitMs = 500;

describe.each(Object.keys(readers))("%s", (name) => {
  test("is read in a moment, however it repeats itself", () => {
    const slow = pieces.flatMap((piece) =>
      ["", "\n!"].flatMap((end) => {
        const text = piece.repeat(length / piece.length) + end;
        return timeOf(readers[name], text) > limitMs && timeOf(readers[name], text) > limitMs ? [piece + end] : [];
      }),
    );
    expect(slow).toEqual([]);
  });
});

/** Milliseconds of processor time, since the machine may be busy. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const start = process.threadCpuUsage();
  try {
    read(text);
  } catch {
    // Refusing is an answer as well.
  }
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
