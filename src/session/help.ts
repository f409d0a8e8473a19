import { inspect } from "node:util";
import type { Block } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { didYouMean, quoted } from "../core/names.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { argumentView, byCode, byName, declared, helpView, overview } from "../registry/index.ts";
import { expressionsExample, expressionsView, functionHelp } from "./expression-help.ts";
import { expressionNames } from "./expression-types.ts";
import { blockOf } from "./helpers.ts";
import { argumentOf, methodNamed, methodNames, methodOf, methodView } from "./methods.ts";
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
 * Explains a block, one of its arguments, or a method: `help(session.missing)`, `help("missing.strategy")`,
 * `help(session.at)`, `help("DP_2")`; without anything, lists all.
 */
export function help(subject?: unknown): HelpPage {
  if (subject === undefined) {
    return new HelpPage(
      stack(
        overview(),
        text(
          `On the session or a chain also: ${methodNames.map((name) => `${name}()`).join(", ")}. help(session.missing) explains a helper or a method, help("missing.strategy") an argument, help("expressions") what d => d.age > 30 may be made of.`,
          "quiet",
        ),
      ),
    );
  }
  const block = (subject as { [blockOf]?: Block } | null)?.[blockOf];
  if (block) return new HelpPage(helpView(block), block.example);
  const method = methodOf(subject);
  if (method) return new HelpPage(methodView(method), method.example);
  if (typeof subject === "string") return pageNamed(subject.replace(/^session\./, ""));
  throw new ArgsError(
    'help takes a helper such as session.missing, a method such as session.at, or a name such as "missing", "missing.strategy" or "DP_2".',
  );
}

function pageNamed(name: string): HelpPage {
  if (name === "expressions") return new HelpPage(expressionsView(), expressionsExample);
  const block = byName(name) ?? (/^[A-Z]+_/.test(name) ? byCode(name) : undefined);
  const known = functionHelp(name);
  // Some names are a block's and a function's, such as slice.
  if (block)
    return new HelpPage(
      stack(helpView(block), known && stack(text(`${name} in expressions`), known.view)),
      block.example,
    );
  if (known) return new HelpPage(known.view, known.example);
  const method = methodNamed(name);
  if (method) return new HelpPage(methodView(method), method.example);
  const [, owner, argument] = /^(.+)\.(\w+)$/.exec(name) ?? [];
  if (owner !== undefined) return argumentPage(owner, argument);
  const names = [...declared.map((each) => each.name), ...methodNames, ...expressionNames, "expressions"];
  throw new ArgsError(
    `help: there is no block or method ${quoted(name)}.${didYouMean(name, names)} help() lists all.`,
    { got: name },
  );
}

/** What is known of a name in a program: its type as TypeScript writes it, and its doc comment. */
interface Known {
  readonly signature: string;
  readonly docs: string;
}

/** The page for `name?`: what `help(name)` tells, else what the types say of a value's own member, as of `m.dataset.page`. */
export async function helpAsked(name: string, inspect: () => Promise<Known | null>): Promise<HelpPage> {
  try {
    return help(name);
  } catch (error) {
    const known = await inspect();
    if (known === null || known.signature === "any") throw error;
    const [, owner, member] = /^\((?:method|property)\) (?:blocklab\.)?(?:(\w+)\.)?(\w+)/.exec(known.signature) ?? [];
    const isHelper = member !== undefined && /Helper</.test(known.signature);
    const method = owner && !isHelper ? methodNamed(`${owner}.${member}`) : undefined;
    if (method) return new HelpPage(methodView(method), method.example);
    if (isHelper) return help(member);
    return new HelpPage(stack(text(known.signature), known.docs !== "" && text(known.docs)));
  }
}

/** The name in `name?`, a question for help; null for anything else. */
export function askedName(code: string): string | null {
  return /^\s*((?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*)\?\s*$/.exec(code)?.[1] ?? null;
}

/** One argument of a block or a method. */
function argumentPage(owner: string, argument: string): HelpPage {
  const block = byName(owner);
  const method = block ? undefined : methodNamed(owner);
  const names = block
    ? [...Object.keys(block.args), ...Object.keys(block.aliases ?? {})]
    : method && Object.keys(method.args);
  if (names === undefined) return pageNamed(owner);
  const view = block ? argumentView(block, argument) : method && argumentOf(method, argument);
  const example = block?.example ?? method?.example ?? null;
  if (view) return new HelpPage(view, example);
  const takes = names.length === 0 ? "It takes none." : `It takes ${names.join(", ")}.`;
  throw new ArgsError(`help: ${owner} has no argument ${quoted(argument)}.${didYouMean(argument, names)} ${takes}`, {
    got: argument,
    expected: names,
  });
}
