import type { Block } from "../core/block.ts";
import { takesExpression } from "../core/expressions.ts";
import { didYouMean } from "../core/names.ts";
import { toCellError } from "../evaluator/cell-errors.ts";
import type { CellResult, Completion, Completions, Evaluator, Inspection } from "../evaluator/evaluator.ts";
import type { Session } from "../index.ts";
import { byName, declared, helpOf, helpView } from "../registry/index.ts";
import { toText } from "../render/index.ts";
import { askedName, expressionNames, functionCall, helpAsked, methodNames } from "../session/index.ts";
import { atOnce } from "./at-once.ts";
import { type OpenString, openCall, openString } from "./open-string.ts";
import { namesSource, sourcesFor } from "./source-completion.ts";

/** An evaluator whose completion and hover know the session's blocks, columns, models and projects. */
export function withSessionHelp(evaluator: Evaluator, session: Session): Evaluator {
  return {
    complete: (code, cursor) => completeIn(evaluator, session, code, cursor),
    inspect: (code, cursor) => inspectIn(evaluator, code, cursor),
    run: async (code, options) => {
      const asked = askedName(code);
      return asked === null ? hinted(await evaluator.run(code, options)) : await answered(evaluator, asked);
    },
    preview: (code) => evaluator.preview(code),
    variables: () => evaluator.variables(),
    isComplete: (code) => (askedName(code) === null ? evaluator.isComplete(code) : { status: "complete" }),
    interrupt: () => evaluator.interrupt(),
    close: () => evaluator.close(),
  };
}

/** Answers `name?` with its help, as the prompt does. */
async function answered(evaluator: Evaluator, name: string): Promise<CellResult> {
  try {
    return { kind: "value", value: await helpAsked(name, () => evaluator.inspect(name, name.length)) };
  } catch (error) {
    return { kind: "error", error: toCellError(error) };
  }
}

/**
 * Says what a call was meant to be that isn't one on the session.
 *
 * The types say it before a cell runs; a cell that is faster than they load comes here.
 */
function hinted(result: CellResult): CellResult {
  if (result.kind !== "error" || result.error.name !== "TypeError") return result;
  const { error } = result;
  const name = /^session\b.*\.(\w+) is not a function$/s.exec(error.message)?.[1];
  if (name === undefined) return result;
  const hint = byName(name)
    ? " What stands before it is a promise: put await before that, in a statement of its own."
    : didYouMean(name, [...declared.map((block) => block.name), ...methodNames]);
  return { kind: "error", error: { ...error, message: `${error.message}${hint && `.${hint}`}` } };
}

/** Inside a string of a block's call: the words its type allows, else the names that are at hand now. */
async function completeIn(evaluator: Evaluator, session: Session, code: string, cursor: number): Promise<Completions> {
  const place = openString(code, cursor);
  const isOurs = place && (byName(place.call) || ["project", "predict", "metrics"].includes(place.call));
  if (!isOurs) {
    const found = await evaluator.complete(code, cursor);
    return found.isEarly ? await early(session, found, code, cursor) : withSignatures(found);
  }
  if (isExpression(place)) return await expressionWords(session, place, cursor);
  const typed = place.argument === "model_name" ? null : await evaluator.complete(code, cursor);
  if (typed && typed.items.length > 0) return typed;
  const names = (await atOnce(namesFor(session, place))) ?? [];
  const items = names
    .map((item) => ({ ...item, text: escaped(item.text, place.quote) }))
    .filter((item) => item.text.startsWith(place.typed));
  return { start: cursor - place.typed.length, end: cursor, items };
}

/** Is the string a formula, as in `filter("units > 3")` or `derive({ columns: { value: "units * price" } })`? */
function isExpression({ call, argument }: OpenString): boolean {
  const block = byName(call);
  if (!block) return false;
  const name = argument ?? block.positional?.[0];
  const taking = Object.keys(block.args).filter((each) => takesExpression(block.args[each]));
  // A name that the block doesn't know is one of its expressions'.
  const isOwn = name !== undefined && Object.hasOwn(block.args, name);
  return taking.length > 0 && (isOwn ? taking.includes(name) : argument !== null);
}

/** In a formula: the columns and functions that go on with the last word. */
async function expressionWords(session: Session, place: OpenString, cursor: number): Promise<Completions> {
  const word = /(?<![\w$])[\w$]*$/.exec(place.typed)?.[0] ?? "";
  const columns = (await atOnce(session.columns())) ?? [];
  const items: Completion[] = [
    ...columns.map(({ name, type }) => ({ text: name, kind: "column", detail: type })),
    ...expressionNames.map((name) => ({ text: name, kind: "function", detail: functionCall(name) })),
  ];
  const fitting = items.filter(({ text }) => text.startsWith(word) && /^[A-Za-z_$][\w$]*$/.test(text));
  return { start: cursor - word.length, end: cursor, items: fitting };
}

/** What is known without types: helpers behind a dot, arguments within a call's braces, columns behind a row. */
async function early(session: Session, found: Completions, code: string, cursor: number): Promise<Completions> {
  const before = code.slice(0, cursor);
  const word = /(?<![\w$])[\w$]*$/.exec(before)?.[0] ?? "";
  const rest = before.slice(0, before.length - word.length);
  const call = openCall(code, cursor);
  const block = call === null ? undefined : byName(call);
  const row = /(?<![\w$.)])([A-Za-z_$][\w$]*)\.$/.exec(rest)?.[1];
  let items: readonly Completion[] = [];
  if (block && row && new RegExp(`(?<![\\w$])${row.replaceAll("$", "\\$")}\\b[^=()]*\\)?\\s*=>`).test(rest)) {
    const known = await atOnce(session.columns());
    items = (known ?? []).map(({ name, type }) => ({ text: name, kind: "property", detail: type }));
  } else if (/(?:(?<![\w$.])session|\))\s*\.$/.test(rest)) {
    const helpers = declared.map((each) => ({
      ...{ text: each.name, kind: "method", detail: signatureOf(each) },
      docs: `${each.code}. ${helpOf(each).summary}`,
    }));
    items = [...helpers, ...methodNames.map((text) => ({ text, kind: "method" }))];
  } else if (block && /[{,]\s*$/.test(rest)) {
    items = helpOf(block).arguments.flatMap(({ name, aliases, type, doc }) =>
      [...aliases, name].map((text) => ({ text, kind: "property", detail: type, docs: doc })),
    );
  }
  const fitting = items.filter(({ text }) => text.startsWith(word) && /^[A-Za-z_$][\w$]*$/.test(text));
  return fitting.length === 0 ? found : { start: cursor - word.length, end: cursor, items: fitting };
}

/** A helper's own type tells people little; what it takes does. */
function withSignatures(found: Completions): Completions {
  const items = found.items.map((item) => {
    const block = isHelper(item.detail) ? byName(item.text) : undefined;
    return block ? { ...item, detail: signatureOf(block) } : item;
  });
  return { ...found, items };
}

/** Is this the type of a helper, as the checker writes it? */
function isHelper(detail = ""): boolean {
  return /^\(property\) \w+: (?:blocklab\.)?Helper<Declared</.test(detail);
}

/** How a helper is called, in a line. */
function signatureOf(block: Block): string {
  const named = helpOf(block).arguments.map(({ name, required }) => `${name}${required ? "" : "?"}`);
  return named.length === 0 ? `${block.name}()` : `${block.name}({ ${named.join(", ")} })`;
}

async function namesFor(session: Session, place: OpenString): Promise<Completion[]> {
  if (place.call === "project")
    return (await session.projects()).map(({ project_name }) => ({ text: project_name, kind: "project" }));
  if (place.argument === "model_name" || place.call === "predict" || place.call === "metrics")
    return (await session.models()).map(({ name, code }) => ({ text: name, kind: "model", detail: code }));
  const block = byName(place.call);
  if (block && namesSource(block, place)) {
    const isHere = (await session.link).where === "embedded";
    return await sourcesFor(place.typed, isHere ? process.cwd() : null);
  }
  return (await session.columns()).map(({ name, type }) => ({ text: name, kind: "column", detail: type }));
}

/** A name as it stands between quotes. */
function escaped(name: string, quote: string): string {
  const inner = JSON.stringify(name).slice(1, -1);
  return quote === '"' ? inner : inner.replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`);
}

/** A helper's hover, and its arguments', shows the block's help; the mapped type behind it tells people little. */
async function inspectIn(evaluator: Evaluator, code: string, cursor: number): Promise<Inspection | null> {
  const found = await evaluator.inspect(code, cursor);
  // Called, its type is spelt as the signature that fits.
  const named = /\(property\) (\w+): (?:blocklab\.)?Helper\b/.exec(found?.signature ?? "")?.[1];
  const name = found ? named : openCall(code, cursor);
  const block = name ? byName(name) : undefined;
  if (!block) return found;
  const { code: functionCode, summary } = helpOf(block);
  return {
    signature: `session.${block.name}(…)  (${functionCode})\n${summary}`,
    docs: toText(helpView(block)),
    markdown: markdownOf(block),
  };
}

/** A block's help as Markdown: each argument on a line of its own, its friendly names first. */
function markdownOf(block: Block): string {
  const { description, arguments: args, example } = helpOf(block);
  const lines = args.map(({ name, aliases, type, required, doc }) => {
    const names = [...aliases, name].map((each) => `\`${each}\``).join(", ");
    return `- ${names}: ${type.replaceAll("|", "\\|")}${required ? "" : ", optional"}  \n  ${doc}`;
  });
  return [description, lines.join("\n"), `Example: \`${example}\``].filter(Boolean).join("\n\n");
}
