import type { Block } from "../core/block.ts";
import { didYouMean } from "../core/names.ts";
import { toCellError } from "../evaluator/cell-errors.ts";
import type { CellResult, Completion, Completions, Evaluator, Inspection } from "../evaluator/evaluator.ts";
import type { Session } from "../index.ts";
import { byName, declared, helpOf, helpView } from "../registry/index.ts";
import { toText } from "../render/index.ts";
import { askedName, helpAsked, methodNames } from "../session/index.ts";
import { type OpenString, openCall, openString } from "./open-string.ts";
import { namesSource, sourcesFor } from "./source-completion.ts";

/** What the session knows must not keep a menu waiting, as it would behind a block that runs. */
const patienceMs = 150;

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
  if (!isOurs) return withSignatures(await evaluator.complete(code, cursor));
  const typed = place.argument === "model_name" ? null : await evaluator.complete(code, cursor);
  if (typed && typed.items.length > 0) return typed;
  const late = new Promise<Completion[]>((resolve) => setTimeout(resolve, patienceMs, []).unref());
  const names = await Promise.race([namesFor(session, place).catch(() => []), late]);
  const items = names
    .map((item) => ({ ...item, text: escaped(item.text, place.quote) }))
    .filter((item) => item.text.startsWith(place.typed));
  return { start: cursor - place.typed.length, end: cursor, items };
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
  return { signature: `session.${block.name}(…)  (${functionCode})\n${summary}`, docs: toText(helpView(block)) };
}
