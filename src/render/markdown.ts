import { type Pen, penFor, type TextOptions } from "./pen.ts";
import { widthOf, wrap } from "./words.ts";

/**
 * Markdown as lines for a terminal, none wider than `width` but those of code.
 *
 * Knows headings, paragraphs, lists, quotes, fenced and indented code, rules and tables (as they are written), and
 * within a line code, strong, emphasis and links; all else stays as it is written. Escape codes become visible.
 */
export function markdownLines(markdown: string, options: TextOptions): string[] {
  const pen = penFor(options);
  const lines: string[] = [];
  for (const block of blocksOf(markdown)) {
    const drawn = draw(block, pen);
    // Between blocks is air; list items stay together.
    if (lines.length > 0 && !(block.kind === "item" && block.isTight)) lines.push("");
    lines.push(...drawn);
  }
  return lines;
}

type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph" | "quote"; readonly text: string }
  | { readonly kind: "item"; readonly lead: string; readonly text: string; readonly isTight: boolean }
  | { readonly kind: "code" | "table"; readonly lines: readonly string[] }
  | { readonly kind: "rule" };

const fence = /^ {0,3}(`{3,}|~{3,})/;
const item = /^( *)([-*+]|\d{1,9}[.)]) +(.*)$/s;
const rule = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const heading = /^ {0,3}(#{1,6}) +(.*)$/s;
const closingHashes = /(?<! ) +#+$/;

function blocksOf(markdown: string): Block[] {
  const lines = markdown.replaceAll("\t", "    ").split(/\r?\n/);
  const blocks: Block[] = [];
  let isAfterBlank = true;
  for (let k = 0; k < lines.length; ) {
    const line = lines[k];
    if (line.trim() === "") {
      isAfterBlank = true;
      k++;
      continue;
    }
    const { block, next } = blockAt(lines, k, isAfterBlank, blocks.at(-1)?.kind === "item");
    blocks.push(block);
    isAfterBlank = false;
    k = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], k: number, isAfterBlank: boolean, isInList: boolean) {
  const line = lines[k];
  const open = fence.exec(line)?.[1];
  if (open !== undefined) {
    const last = endOf(lines, k + 1, (each) => !each.trim().startsWith(open));
    return { block: { kind: "code", lines: lines.slice(k + 1, last) } as const, next: last + 1 };
  }
  const title = heading.exec(line);
  if (title) {
    const text = title[2].trimEnd().replace(closingHashes, "");
    return { block: { kind: "heading", level: title[1].length, text } as const, next: k + 1 };
  }
  if (rule.test(line)) return { block: { kind: "rule" } as const, next: k + 1 };
  if (isAfterBlank && !isInList && /^ {4}/.test(line)) {
    const next = endOf(lines, k, (each) => /^ {4}/.test(each));
    return { block: { kind: "code", lines: lines.slice(k, next).map((each) => each.slice(4)) } as const, next };
  }
  const [, indent, mark, first] = item.exec(line) ?? [];
  if (mark !== undefined) {
    const next = endOf(lines, k + 1, (each) => each.trim() !== "" && !begins(each));
    const text = [first, ...lines.slice(k + 1, next).map((each) => each.trim())].join(" ");
    const lead = `${indent}${/\d/.test(mark) ? mark : "-"} `;
    return { block: { kind: "item", lead, text, isTight: isInList } as const, next };
  }
  if (/^ *\|/.test(line)) {
    const next = endOf(lines, k, (each) => /^ *\|/.test(each));
    return { block: { kind: "table", lines: lines.slice(k, next) } as const, next };
  }
  const next = endOf(lines, k + 1, (each) => each.trim() !== "" && !begins(each));
  const text = lines.slice(k, next).map((each) => each.trim());
  if (!/^ {0,3}>/.test(line)) return { block: { kind: "paragraph", text: text.join(" ") } as const, next };
  return { block: { kind: "quote", text: text.map((each) => each.replace(/^> ?/, "")).join(" ") } as const, next };
}

function begins(line: string): boolean {
  return fence.test(line) || heading.test(line) || rule.test(line) || item.test(line);
}

function endOf(lines: readonly string[], from: number, goesOn: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && goesOn(lines[end])) end++;
  return end;
}

function draw(block: Block, pen: Pen): string[] {
  switch (block.kind) {
    case "heading":
      return wrap((pen.colour ? "" : `${"#".repeat(block.level)} `) + plainOf(block.text, pen), pen.width).map(
        pen.bold,
      );
    case "paragraph":
      return prose(block.text, pen, "", "");
    case "quote":
      return prose(block.text, pen, pen.pick("│ ", "| "), pen.pick("│ ", "| "));
    case "item": {
      const lead = block.lead.replace("- ", pen.pick("• ", "- "));
      return prose(block.text, pen, lead, " ".repeat(widthOf(lead)));
    }
    case "code":
      return block.lines.map((line) => pen.accent(`    ${pen.safe(line)}`.trimEnd()));
    case "table":
      return block.lines.map((line) => pen.safe(line.trim()));
    case "rule":
      return [pen.quiet(pen.pick("─", "-").repeat(Math.min(40, pen.width)))];
  }
}

type Tone = "plain" | "code" | "strong";

interface Run {
  readonly text: string;
  readonly tone: Tone;
}

const marks =
  /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|(\*\*|__)(?=\S)(.+?)(?<=\S)\3|(?<![\w*])(\*|_)(?=\S)([^*_]+?)(?<=\S)\5(?![\w*])/g;

/** Letters of a paragraph in which marks are looked for; a mark without its end is looked for up to the end of it. */
const mostMarked = 4000;

/** A text in stretches of one tone, harmless, with links written out. */
function runsOf(markdown: string, pen: Pen): Run[] {
  if (markdown.length > mostMarked) return [{ text: pen.safe(markdown), tone: "plain" }];
  const text = pen
    .safe(markdown)
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\[([^\][]+)\]\(([^)\s]+)(?:\s[^)]*)?\)/g, (_, label: string, to: string) =>
      label === to || /^#/.test(to) ? label : `${label} (${to})`,
    );
  const runs: Run[] = [];
  let end = 0;
  for (const found of text.matchAll(marks)) {
    const [whole, , code, , strong, , soft] = found;
    runs.push({ text: text.slice(end, found.index), tone: "plain" });
    runs.push({ text: code ?? strong ?? soft, tone: code ? "code" : strong ? "strong" : "plain" });
    end = found.index + whole.length;
  }
  return [...runs, { text: text.slice(end), tone: "plain" }];
}

function plainOf(markdown: string, pen: Pen): string {
  return runsOf(markdown, pen)
    .map((run) => run.text)
    .join("");
}

/** A paragraph, broken at the width; the tones find their letters again in the broken lines. */
function prose(markdown: string, pen: Pen, lead: string, indent: string): string[] {
  const runs = runsOf(markdown, pen);
  const plain = runs.map((run) => run.text).join("");
  const tones = runs.flatMap((run) => Array.from({ length: run.text.length }, () => run.tone));
  const paint = { plain: (words: string) => words, code: pen.accent, strong: pen.bold };
  let at = 0;
  return wrap(lead + plain, pen.width, indent).map((line, k) => {
    const start = k === 0 ? lead : indent;
    const body = line.slice(start.length);
    // Blanks at which a line was broken are gone.
    while (at < plain.length && plain[at] === " " && body[0] !== " ") at++;
    const from = at;
    at += body.length;
    let drawn = start;
    for (let i = 0; i < body.length; ) {
      let end = i + 1;
      while (end < body.length && tones[from + end] === tones[from + i]) end++;
      drawn += paint[tones[from + i] ?? "plain"](body.slice(i, end));
      i = end;
    }
    return drawn;
  });
}
