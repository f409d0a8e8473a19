import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { chosen, variableFlags, withStep } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";

/**
 * DP_ROC. Moves a column to another position.
 *
 * The flags say where: among the dataset's columns, the features, or the targets. Without flags it is X once there
 * are roles, else the dataset.
 */
export const reorder = defineBlock({
  code: "DP_ROC",
  name: "reorder",
  args: {
    /** The column to move, by name or index. */
    column: columnRef(),
    /** Its new position, from 0; a negative one counts from the end. */
    position: z.int(),
    ...variableFlags,
  },
  tolerates: { posititon: "position" },
  positional: ["column", "position"],
  example: 'session.input("sample:iris").reorder("species", 0)',
  async run(frame, args, context) {
    const places = placesOf(frame, args);
    let after = frame;
    const refused: ArgsError[] = [];
    for (const place of places) {
      try {
        const names = moved(frame, place, args.column, args.position);
        after = place === "dataset" ? withOrder(after, names, context.block) : { ...after, [place]: names };
      } catch (error) {
        // Clients set every flag they know; a column that is a feature alone can't move among the targets.
        if (!(error instanceof ArgsError)) throw error;
        refused.push(error);
      }
    }
    if (refused.length === places.length) throw refused[0];
    return { frame: after };
  },
  async view({ after }, read) {
    const order = `Columns: ${listed(
      after.columns.map(({ name }) => name),
      12,
    )}.`;
    return stack(text(after.x ? `${order} X: ${listed(after.x, 12)}.` : order), await read.head(after));
  },
});

type Place = "dataset" | "x" | "y";

function placesOf(frame: Frame, flags: { readonly [K in keyof typeof variableFlags]?: boolean | undefined }): Place[] {
  const x = flags.x || flags.xtrain || flags.xtest;
  const y = flags.y || flags.ytrain || flags.ytest;
  const places: Place[] = [];
  if (flags.dataset || (!x && !y && !frame.x) || (x && !frame.x)) places.push("dataset");
  if (frame.x && (x || (!flags.dataset && !y))) places.push("x");
  if (frame.y && y) places.push("y");
  if (places.length === 0)
    throw new ArgsError("reorder (DP_ROC): there is no Y yet; assign it with xy (DP_FSP) first.", { path: "y" });
  return places;
}

function moved(frame: Frame, place: Place, column: string | number, position: number): string[] {
  const names = place === "dataset" ? frame.columns.map((each) => each.name) : [...(frame[place] ?? [])];
  const where = place === "dataset" ? "the table" : place.toUpperCase();
  const [name] = chosen(frame, [column], { names, where });
  const from = names.indexOf(name);
  if (from < 0) throw new ArgsError(`reorder (DP_ROC): column ${quoted(name)} is not in ${where}.`, { path: "column" });
  const to = position < 0 ? names.length + position : position;
  if (to < 0 || to >= names.length) {
    throw new ArgsError(
      `reorder (DP_ROC): position ${position} is outside ${where}, which has ${names.length} columns (0 to ${names.length - 1}).`,
      { path: "position", got: position, expected: `0 to ${names.length - 1}` },
    );
  }
  names.splice(to, 0, ...names.splice(from, 1));
  return names;
}

function withOrder(frame: Frame, names: readonly string[], block: { id: number; name: string }): Frame {
  const columns = names.flatMap((name) => frame.columns.filter((column) => column.name === name));
  return withStep(frame, { block: block.id, name: block.name, outputs: columns.map((column) => ({ column })) });
}
