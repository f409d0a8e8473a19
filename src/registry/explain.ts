import type { Finished } from "../core/block.ts";
import { type Explanation, plain } from "../core/explanation.ts";
import { type Frame, typeName } from "../core/frame.ts";
import { count, listed } from "../core/names.ts";
import { byCode } from "./catalogue.ts";
import { helpOf } from "./help.ts";

/** Columns that a sentence names at most. */
const most = 8;

/**
 * What a finished block did and why one would: its own words, or what its frames and its docs tell.
 *
 * Every block has an explanation; one that declares none has its summary for the why, and changes of rows, columns
 * and arguments for what it did.
 */
export function explanationOf(finished: Finished, notices: readonly string[]): Omit<Explanation, "reading"> {
  const { id, code, name } = finished.block;
  const { explain, ...block } = byCode(code);
  const help = helpOf(block);
  return {
    block: id,
    title: `${name} (${code})`,
    did: explain?.did?.(finished) ?? changes(finished),
    why: explain?.why ?? [help.summary, help.description].filter((part) => part !== "").join(" "),
    notices,
    found: explain?.found?.(finished) ?? null,
  };
}

/** What the block changed, and what it was asked. */
function changes({ before, after, args, output }: Finished): string[] {
  const asked = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const words = asked.slice(0, most).map(([key, value]) => `${key} ${cut(JSON.stringify(value))}`);
  return [
    ...tableWords(before, after),
    ...(words.length > 0 ? [`It was asked for: ${words.join(", ")}.`] : []),
    ...(output === undefined ? [] : [outputWords(output)]),
  ];
}

function tableWords(before: Frame | null, after: Frame): string[] {
  if (after.columns.length === 0) return [];
  const size = `${count(after.rows, "row")} and ${count(after.columns.length, "column")}`;
  if (!before || before.columns.length === 0) return [`Made a table of ${size}.`];
  const had = new Map(before.columns.map((each) => [each.name, typeName(each)]));
  const has = new Set(after.columns.map(({ name }) => name));
  const made = after.columns.filter(({ name }) => !had.has(name)).map(({ name }) => name);
  const gone = before.columns.filter(({ name }) => !has.has(name)).map(({ name }) => name);
  const recast = after.columns.filter((each) => had.has(each.name) && had.get(each.name) !== typeName(each));
  const sentences = [
    before.rows !== after.rows && `${count(before.rows, "row")} became ${plain(after.rows)}.`,
    gone.length > 0 && `Gone: ${listed(gone, most)}.`,
    made.length > 0 && `New: ${listed(made, most)}.`,
    ...recast
      .slice(0, most)
      .map((each) => `${listed([each.name])} was ${had.get(each.name)} and is ${typeName(each)} now.`),
  ].filter((each) => each !== false);
  return sentences.length > 0 ? sentences : [`The table stays as it was, ${size}.`];
}

function outputWords(output: unknown): string {
  const keys = typeof output === "object" && output !== null ? Object.keys(output) : [];
  return keys.length > 0 ? `It answered ${listed(keys, most)}.` : `It answered ${cut(JSON.stringify(output))}.`;
}

function cut(words: string): string {
  return words.length > 60 ? `${words.slice(0, 57)}…` : words;
}
