import { inspect } from "node:util";
import type { Explanation } from "../core/explanation.ts";
import type { Json } from "../core/record.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { visible } from "../core/visible.ts";
import { print } from "./print.ts";

/** What a block did and why one would, in plain words; shows itself as text. */
export class Explained implements Explanation {
  readonly block: number;
  /** The helper and the code, such as "missing (DP_2)". */
  readonly title: string;
  /** What it did with this data, a sentence each. */
  readonly did: readonly string[];
  /** Why one would do it. */
  readonly why: string;
  /** What it told, such as a leak. */
  readonly notices: readonly string[];
  /** What it found out where its arguments left that open, such as a file's delimiter; null where there is nothing. */
  readonly found: Json;

  /** How the table engine would read the numbers of its table now, such as "3 columns kept in memory, 2 read from the file". */
  readonly reading: string;

  constructor({ block, title, did, why, notices, found, reading }: Explanation) {
    this.block = block;
    this.title = title;
    this.did = did;
    this.why = why;
    this.notices = notices;
    this.found = found;
    this.reading = reading;
  }

  /** The explanation as Markdown. */
  markdown(): string {
    const notices = this.notices.map((notice) => `\n> ${escapeMarkdown(notice)}\n`);
    return `**Block ${this.block}: ${escapeMarkdown(this.title)}**\n\n${escapeMarkdown(this.did.join(" "))}\n\n*Why:* ${escapeMarkdown(this.why)}\n${notices.join("")}`;
  }

  /** Shows it. */
  show(): Promise<void> {
    return print(this);
  }

  toString(): string {
    return [`Block ${this.block}: ${this.title}`, ...this.did, `Why: ${this.why}`, ...this.notices, this.#reading].join(
      "\n",
    );
  }

  [viewOf](): View {
    return stack(
      text(`Block ${this.block}: ${this.title}`, "quiet"),
      text(this.did.join(" ")),
      text(`Why: ${this.why}`, "quiet"),
      ...this.notices.map((notice) => text(notice, "warning")),
      text(this.#reading, "quiet"),
    );
  }

  get #reading(): string {
    return `Its numbers now: ${this.reading}.`;
  }

  [inspect.custom](): string {
    return `Explained { block ${this.block}: ${this.title} } — .show() to see it, .markdown() for its source`;
  }
}

/** Words from data as Markdown: nothing in them becomes a link, a tag or a formula. */
export function escapeMarkdown(words: string): string {
  return visible(words)
    .replace(/[\\`*_{}[\]#|~$!]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}
