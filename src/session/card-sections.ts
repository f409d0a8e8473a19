import { escapeHtml } from "../core/escape-html.ts";
import { type Cell, stack, text, type View } from "../core/view.ts";
import { visible } from "../core/visible.ts";
import { escapeMarkdown } from "./explanation.ts";

/** What a card says under one heading. */
export interface Section {
  readonly title: string;
  readonly parts: readonly Part[];
}

/** One thing that a card says. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "warnings"; readonly items: readonly string[] }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | {
      readonly kind: "table";
      /** What it tells, where that is not what its section does. */
      readonly title?: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
    }
  | { readonly kind: "bars"; readonly value: string; readonly bars: readonly Bar[] }
  | { readonly kind: "code"; readonly text: string };

interface Bar {
  readonly label: string;
  readonly value: number;
}

/** A card as Markdown: nothing in its data becomes a link, a tag or a formula. */
export function toMarkdown(title: string, sections: readonly Section[]): string {
  const parts = sections.map(
    (section) => `## ${escapeMarkdown(section.title)}\n\n${section.parts.map(partMarkdown).join("\n\n")}`,
  );
  return `# ${escapeMarkdown(title)}\n\n${parts.join("\n\n")}\n`;
}

function partMarkdown(part: Part): string {
  switch (part.kind) {
    case "text":
      return escapeMarkdown(part.text);
    case "warnings":
      return part.items.map((item) => `> ${escapeMarkdown(item)}`).join("\n>\n");
    case "list":
      return part.items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
    case "table": {
      const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
      const rule = part.columns.map((_, k) => (isNumeric(part.rows, k) ? "---:" : "---"));
      return [line(part.columns), `| ${rule.join(" | ")} |`, ...part.rows.map((row) => line(row.map(cellWords)))].join(
        "\n",
      );
    }
    case "bars":
      return partMarkdown(barsTable(part));
    case "code": {
      const code = codeLines(part.text);
      // A fence is longer than any run of its letter within.
      const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
      const fence = "`".repeat(longest + 1);
      return `${fence}ts\n${code}\n${fence}`;
    }
  }
}

/** A card as a page of HTML, without a script and with nothing to load. */
export function toPage(title: string, sections: readonly Section[]): string {
  const parts = sections.map(
    (section) => `<h2>${escapeHtml(section.title)}</h2>\n${section.parts.map(partHtml).join("\n")}`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; }
th, td { padding: .15em .8em; border-bottom: 1px solid rgba(128,128,128,.4); text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
blockquote { margin: .6em 0; padding: .1em 1em; border-left: 4px solid #e0762f; }
pre { overflow-x: auto; padding: .8em; background: rgba(128,128,128,.12); }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${parts.join("\n")}
</body>
</html>
`;
}

function partHtml(part: Part): string {
  switch (part.kind) {
    case "text":
      return `<p>${escapeHtml(part.text)}</p>`;
    case "warnings":
      return part.items.map((item) => `<blockquote><p>${escapeHtml(item)}</p></blockquote>`).join("\n");
    case "list":
      return `<ul>\n${part.items.map((item) => `<li>${escapeHtml(item)}</li>`).join("\n")}\n</ul>`;
    case "table": {
      const numeric = part.columns.map((_, k) => (isNumeric(part.rows, k) ? ' class="number"' : ""));
      const head = part.columns.map((name, k) => `<th${numeric[k]}>${escapeHtml(name)}</th>`).join("");
      const rows = part.rows.map(
        (row) => `<tr>${row.map((cell, k) => `<td${numeric[k]}>${escapeHtml(cellWords(cell))}</td>`).join("")}</tr>`,
      );
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table>`;
    }
    case "bars":
      return partHtml(barsTable(part));
    case "code":
      return `<pre><code>${codeLines(part.text).split("\n").map(escapeHtml).join("\n")}</code></pre>`;
  }
}

/** A card as notebook and terminal show it. */
export function toView(title: string, sections: readonly Section[]): View {
  return stack(
    text(title),
    ...sections.flatMap((section) => section.parts.map((part, k) => partView(section, part, k))),
  );
}

function partView({ title }: Section, part: Part, k: number): View {
  const lead = k === 0 ? `${title}: ` : "";
  switch (part.kind) {
    case "text":
      return text(`${lead}${part.text}`);
    case "warnings":
      return stack(...part.items.map((item) => text(item, "warning")));
    case "list":
      return stack(...part.items.map((item, at) => text(`${at === 0 ? lead : ""}${item}`)));
    case "table":
      return {
        kind: "table",
        title: part.title ?? title,
        summary: true,
        columns: part.columns.map((name, at) => ({ name, type: isNumeric(part.rows, at) ? "number" : "text" })),
        rows: part.rows,
      };
    case "bars":
      return {
        kind: "chart",
        chart: { kind: "bars", title: `${title}: ${part.value}`, value: part.value, bars: part.bars },
      };
    case "code":
      return { kind: "folded", title, text: part.text };
  }
}

function barsTable({ value, bars }: Extract<Part, { kind: "bars" }>): Extract<Part, { kind: "table" }> {
  return { kind: "table", columns: ["column", value], rows: bars.map((bar) => [bar.label, bar.value]) };
}

function isNumeric(rows: readonly (readonly Cell[])[], k: number): boolean {
  return rows.length > 0 && rows.every((row) => typeof row[k] === "number" || row[k] === null);
}

function cellWords(cell: Cell): string {
  if (cell === null) return "–";
  return typeof cell === "number" ? String(Number(cell.toPrecision(4))) : String(cell);
}

/** Code with its lines, and nothing else in it that moves a cursor. */
function codeLines(code: string): string {
  return code
    .trimEnd()
    .split("\n")
    .map((line) => visible(line, false))
    .join("\n");
}
