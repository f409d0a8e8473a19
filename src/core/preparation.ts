import { sourcesOf } from "../plan/lineage.ts";
import type { Output } from "../plan/node.ts";
import type { BlockContext, Outcome } from "./block.ts";
import { castTo, type Recast, refuseOtherTypes } from "./cast.ts";
import { ArgsError, BlocklabError, DataError } from "./errors.ts";
import { type Column, cell, column, type Frame } from "./frame.ts";
import { didYouMean, listed, quoted } from "./names.ts";
import type { Json } from "./record.ts";
import { replaceColumns } from "./scope.ts";

/** What a preparing block learnt, as an artifact. */
interface Preparation<Content> {
  readonly format: "blocklab-preparation";
  readonly version: 1;
  readonly function_code: string;
  readonly content: Content;
}

/** Which columns give way to which others. */
type Replacements = readonly (readonly [string, readonly Output[]])[];

/** Fitted columns: which give way to which others. */
interface Learnt {
  readonly replacements: Replacements;
  /** What gives way to what after that, where it takes more than one step. */
  readonly then?: readonly Replacements[];
  /** The columns from which the others are made, with the types they had. */
  readonly columns: readonly Column[];
  /** What the block itself wants to know when this is taken up again. */
  readonly details: Json;
}

/** The arguments' names under which a block's fitted part is kept, and taken up again. */
export interface SavedNames {
  readonly save_name?: string | undefined;
  readonly load_name?: string | undefined;
}

/** Beside the models of a project, which have names of their own. */
function keyOf(code: string, name: string): string {
  return `${code}/${name}`;
}

/** Keeps what was fitted on `frame` under `save_name`, where one is given; answers what the outcome says of it. */
export async function keep(
  frame: Frame,
  context: BlockContext,
  { save_name }: SavedNames,
  steps: ReadonlyMap<string, readonly Output[]> | readonly ReadonlyMap<string, readonly Output[]>[],
  details: Json = null,
): Promise<Pick<Outcome, "model">> {
  const [replacements, ...then] = ("get" in steps ? [steps] : steps).map((step): Replacements => [...step]);
  const columns = neededFor([replacements, ...then]).map((name) => column(frame, name));
  const learnt: Learnt = { replacements, ...(then.length > 0 ? { then } : {}), columns, details };
  return await keepContent(context, { save_name }, learnt);
}

/** As many characters as a model's name has at most. */
const longestName = 200;

/** Keeps any content under `save_name`, where one is given; answers what the outcome says of it. */
export async function keepContent(
  context: BlockContext,
  { save_name }: SavedNames,
  content: unknown,
): Promise<Pick<Outcome, "model">> {
  if (save_name === undefined) return {};
  if (save_name.length > longestName) {
    throw new ArgsError(
      `${context.block.name}: save_name must have at most ${longestName} characters, got ${save_name.length}.`,
      { path: "save_name", got: save_name.length, expected: `≤ ${longestName}` },
    );
  }
  const { code, id, name } = context.block;
  const keeper = context.keeper(keyOf(code, save_name));
  if (keeper !== null && keeper !== id) {
    context.notice(`${name} (${code}): what block ${keeper} saved under ${quoted(save_name)} is replaced.`);
  }
  const file: Preparation<unknown> = { format: "blocklab-preparation", version: 1, function_code: code, content };
  return { model: { name: keyOf(code, save_name), artifact: await context.tables.writeJson(file) } };
}

/** The columns that must be there for the others to be made. Those that are only dropped need not be. */
function neededFor(steps: readonly Replacements[]): string[] {
  const needed = new Set<string>();
  const made = new Set<string>();
  for (const step of steps) {
    const used = step.filter(([, outputs]) => outputs.length > 0);
    const sources = used.flatMap(([name, outputs]) => [name, ...outputs.flatMap(sourcesOf)]);
    for (const name of sources) if (!made.has(name)) needed.add(name);
    for (const [, outputs] of used) for (const { column } of outputs) made.add(column.name);
  }
  return [...needed];
}

/** What was kept under `load_name`, ready to be applied: the frame with its columns as they were learnt from. */
export interface Kept {
  readonly before: Frame;
  readonly after: Frame;
  readonly details: Json;
  /** Kept once more, where `save_name` was given too. */
  readonly model: Pick<Outcome, "model">;
}

/**
 * What was kept under `load_name`, applied to this frame; nothing is fitted.
 *
 * The table must have the columns it was learnt from, of the same types or readable as such.
 */
export async function applyKept(frame: Frame, context: BlockContext, names: SavedNames): Promise<Kept> {
  const name = names.load_name ?? "";
  const kept = await loadContent<Learnt>(context, name);
  const who = `${context.block.name}: what is saved under ${quoted(name)}`;
  const present = frame.columns.map((each) => each.name);
  const steps = [kept.replacements, ...(kept.then ?? [])];
  const needed = neededFor(steps);
  const lacking = needed.filter((each) => !present.includes(each));
  if (lacking.length > 0) {
    throw new DataError(
      `${who} was fitted on ${listed(lacking)}, which the table does not have. Columns: ${listed(present)}.`,
      { path: "load_name", got: present.slice(0, 50), expected: needed },
    );
  }
  const [replacements, ...then] = [kept.replacements.filter(([each]) => present.includes(each)), ...steps.slice(1)];
  refuseTaken(present, [replacements, ...then].flat(), who);
  const before = await asLearnt(frame, kept.columns, who, context);
  const after = [replacements, ...then].reduce((made, step) => replaceColumns(made, context, new Map(step)), before);
  return { before, after, details: kept.details, model: await keepContent(context, names, kept) };
}

/** Columns of another type are cast, when all their cells can be. */
async function asLearnt(frame: Frame, columns: readonly Column[], who: string, context: BlockContext): Promise<Frame> {
  const recasts = columns
    .map(({ name, type }): Recast => ({ from: column(frame, name), type }))
    .filter(({ from, type }) => from.type !== type && type !== "tensor" && !(isText(from.type) && isText(type)));
  await refuseOtherTypes(frame.relation, recasts, who, context);
  const casts = recasts.map(({ from, type }): [string, readonly Output[]] => [
    from.name,
    [{ column: { name: from.name, type }, expr: castTo(cell(from), type) }],
  ]);
  return replaceColumns(frame, context, new Map(casts));
}

function isText(type: Column["type"]): boolean {
  return type === "string" || type === "category";
}

/** Two columns of one name could never be told apart. */
function refuseTaken(present: readonly string[], replacements: Replacements, who: string): void {
  const given = new Set(replacements.map(([name]) => name));
  const others = new Set(present.filter((name) => !given.has(name)).map((name) => name.toLowerCase()));
  const made = replacements.flatMap(([, outputs]) => outputs.map((output) => output.column.name));
  const taken = made.find((name) => others.has(name.toLowerCase()));
  if (taken === undefined) return;
  throw new DataError(`${who} makes a column ${quoted(taken)}, and the table has one already. Drop it first.`, {
    path: "load_name",
    got: taken,
  });
}

/** What a block of the same code kept under the name; an unknown name is answered with the nearest. */
export async function loadContent<Content>(context: BlockContext, name: string): Promise<Content> {
  const prefix = keyOf(context.block.code, "");
  try {
    const { file } = await context.model(prefix + name);
    // A cast because models and preparations are kept side by side; the key says which it is.
    return (file as unknown as Preparation<Content>).content;
  } catch (error) {
    if (!(error instanceof BlocklabError)) throw error;
    const { expected } = error.detail;
    const known = (Array.isArray(expected) ? expected.map(String) : [])
      .filter((each) => each.startsWith(prefix))
      .map((each) => each.slice(prefix.length));
    throw new ArgsError(
      `${context.block.name}: nothing is saved under ${quoted(name)}.${didYouMean(name, known)} Saved: ${known.length > 0 ? listed(known) : "nothing yet; give save_name when it is fitted"}.`,
      { code: "not_saved", path: "load_name", got: name, expected: known },
    );
  }
}
