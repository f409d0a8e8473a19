import type { Progress } from "../core/record.ts";
import { type Editor, emptyEditor } from "./editor.ts";
import type { Menu } from "./menu.ts";
import type { Search } from "./search.ts";
import type { Theme } from "./theme.ts";

/** What the prompt shows just now. */
export interface PromptState {
  readonly editor: Editor;
  readonly suggestion: string | null;
  /** A line of code that the last answer offers to run; it shows while nothing is typed. */
  readonly offered: string | null;
  readonly menu: Menu | null;
  readonly search: Search | null;
  /** The value of what is typed, found without running anything that has an effect. */
  readonly preview: string | null;
  /** The code that runs, while it does. */
  readonly running: string | null;
  /** Is what is typed an answer to a question, and no code? */
  readonly asks: boolean;
  readonly progress: Progress | null;
  /** What is left of a long page, and how many lines it has in all. */
  readonly more: { readonly lines: readonly string[]; readonly of: number } | null;
  readonly status: string;
  readonly theme: Theme;
  readonly isOver: boolean;
}

/** A cell to begin with; the cursor stands behind its gap, where it has one. */
export function beginning(text: string): Editor {
  const gap = text.indexOf("___");
  return { text, cursor: gap < 0 ? text.length : gap + 3 };
}

/** What came of a cell, for the prompt. */
export interface Done {
  readonly isOver: boolean;
  /** A line of code that the cell's answer offers to run next, such as a help page's example. */
  readonly offers: string | null;
  /** What the editor begins with. */
  readonly prefill: string | null;
  /** Is the next line an answer to a question? */
  readonly asks: boolean;
}

/** Nothing that the prompt has to do more about, such as of a cell that was cancelled before it began. */
export const done: Done = { isOver: false, offers: null, prefill: null, asks: false };

/** Nothing typed, and nothing that goes with it. */
export const blank = {
  editor: emptyEditor,
  suggestion: null,
  offered: null,
  menu: null,
  search: null,
  preview: null,
} as const;
