import type { BlockContext, Outcome } from "./block.ts";
import { ArgsError, BlocklabError, DataError } from "./errors.ts";
import type { Frame } from "./frame.ts";
import { didYouMean, listed, quoted } from "./names.ts";
import type { Output } from "./relation.ts";
import { replaceColumns } from "./scope.ts";
import { columnsOf } from "./sql.ts";

/** What a preparing block learnt, as an artifact. */
interface Preparation<Content> {
  readonly format: "blocklab-preparation";
  readonly version: 1;
  readonly function_code: string;
  readonly content: Content;
}

/** Which columns give way to which others. */
type Replacements = readonly (readonly [string, readonly Output[]])[];

/** The arguments' names under which a block's fitted part is kept, and taken up again. */
export interface SavedNames {
  readonly save_name?: string | undefined;
  readonly load_name?: string | undefined;
}

/** Beside the models of a project, which have names of their own. */
function keyOf(code: string, name: string): string {
  return `${code}/${name}`;
}

/** Keeps content under `save_name`, where one is given; answers what the outcome says of it. */
export async function keepContent(
  context: BlockContext,
  { save_name }: SavedNames,
  content: unknown,
): Promise<Pick<Outcome, "model">> {
  if (save_name === undefined) return {};
  const { code } = context.block;
  const file: Preparation<unknown> = { format: "blocklab-preparation", version: 1, function_code: code, content };
  return { model: { name: keyOf(code, save_name), artifact: await context.tables.writeJson(file) } };
}

/** Keeps fitted columns under `save_name`, where one is given. */
export async function keep(
  context: BlockContext,
  names: SavedNames,
  replacements: ReadonlyMap<string, readonly Output[]>,
): Promise<Pick<Outcome, "model">> {
  return await keepContent(context, names, [...replacements]);
}

/** What was kept under `load_name`, applied to this frame; nothing is fitted. */
export async function applyKept(frame: Frame, context: BlockContext, loadName: string): Promise<Frame> {
  const replacements = await loadContent<Replacements>(context, loadName);
  const names = frame.columns.map((column) => column.name);
  const needed = new Set(replacements.flatMap(([name, outputs]) => [name, ...outputs.flatMap(sources)]));
  const lacking = [...needed].filter((name) => !names.includes(name));
  if (lacking.length > 0) {
    throw new DataError(
      `${context.block.name}: what is saved under ${quoted(loadName)} was fitted on ${listed(lacking)}, which the table does not have. Columns: ${listed(names)}.`,
      { path: "load_name", got: names.slice(0, 50), expected: [...needed] },
    );
  }
  return replaceColumns(frame, context, new Map(replacements));
}

function sources(output: Output): string[] {
  return output.expr ? columnsOf(output.expr) : [];
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
