import { inspect } from "node:util";
import type { Block } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { byCode, byName, declared, helpView, overview } from "../registry/index.ts";
import { blockOf } from "./helpers.ts";
import { print } from "./print.ts";

/** A help page; shows itself in a notebook or at the prompt. */
export class HelpPage {
  /** Code that shows the block at work; null for the list of all. */
  readonly example: string | null;
  readonly #view: View;

  constructor(view: View, example: string | null = null) {
    this.#view = view;
    this.example = example;
  }

  /** Shows the page. */
  show(): Promise<void> {
    return print(this);
  }

  [viewOf](): View {
    return this.#view;
  }

  [inspect.custom](): string {
    return "HelpPage { … } — .show() to see it";
  }
}

/**
 * Explains a block: `help(session.missing)`, `help("missing")`, `help("DP_2")`; without anything, lists all.
 */
export function help(subject?: unknown): HelpPage {
  if (subject === undefined) {
    return new HelpPage(
      stack(
        overview(),
        text(
          "On a chain or the session also: predict(), metrics(), branch(), at(block), sql(), code(), project(name), blocks(), models(), columns(), compare(). help(session.missing) explains one.",
          "quiet",
        ),
      ),
    );
  }
  const block = blockFor(subject);
  return new HelpPage(helpView(block), block.example);
}

function blockFor(subject: unknown): Block {
  const carried = (subject as { [blockOf]?: Block } | null)?.[blockOf];
  if (carried) return carried;
  if (typeof subject === "string") {
    const named = byName(subject);
    if (named) return named;
    if (/^[A-Z]+_/.test(subject)) return byCode(subject);
    const names = declared.map((block) => block.name);
    throw new ArgsError(`help: there is no block ${quoted(subject)}.${didYouMean(subject, names)} help() lists all.`, {
      got: subject,
    });
  }
  throw new ArgsError('help takes a helper such as session.missing, or a name such as "missing" or "DP_2".');
}
