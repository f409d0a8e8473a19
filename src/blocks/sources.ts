import type { BlockContext } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import type { Column, Frame } from "../core/frame.ts";
import type { Relation, Selection } from "../core/relation.ts";

/** A table that an argument names: a variable of the state, or what lies behind a URL. */
export interface NamedTable {
  readonly relation: Relation;
  readonly selection: Selection;
  readonly columns: readonly Column[];
}

/** The table behind a reference such as "x_train" or a URL; the state's own when there is none. */
export async function tableBehind(
  frame: Frame,
  reference: string | undefined,
  asked: { readonly who: string; readonly path: string },
  context: BlockContext,
): Promise<NamedTable> {
  if (reference === undefined) return { relation: frame.relation, selection: {}, columns: frame.columns };
  const found = await context.resolve(frame, reference);
  if (!found) {
    throw new ArgsError(
      `${asked.who}: ${asked.path} must be a variable such as "x_train", a URL, or an array of rows, got "${reference.slice(0, 60)}".`,
      { path: asked.path, got: reference.slice(0, 60) },
    );
  }
  const known =
    found.relation.artifact === frame.relation.artifact
      ? frame.columns
      : (await context.tables.describe(found.relation.artifact)).columns;
  const names = found.selection.columns ?? known.map((column) => column.name);
  return { ...found, columns: names.flatMap((name) => known.filter((column) => column.name === name)) };
}
