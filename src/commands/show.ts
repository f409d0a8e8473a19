import { type NotebookWriter, notebookWriter } from "../core/notebook-writer.ts";
import { display, plain, viewIn } from "../evaluator/display.ts";
import { foundLines, foundPicture, type Pictures, type TextOptions, toLines, toPictureLines } from "../render/index.ts";

/** Text of 80 columns, or of the terminal's width. */
export function paper(): TextOptions {
  const colour = Boolean(process.env.FORCE_COLOR) || (process.stdout.isTTY && !process.env.NO_COLOR);
  return { width: process.stdout.columns || 80, colour };
}

/** A value as lines for a terminal. */
export async function show(
  value: unknown,
  options: TextOptions,
  pictures: Pictures | null = null,
): Promise<readonly string[]> {
  if (value === undefined) return [];
  const view = await viewIn(value);
  if (view) return pictures ? await toPictureLines(view, options, pictures) : toLines(view, options);
  const found = foundPicture(value);
  return found ? await foundLines(found, options) : plain(value, options.colour).split("\n");
}

/** Shows a value below the running cell: in a notebook as rich output, elsewhere as text. What cells call as `display`. */
export async function displayBelow(value: unknown): Promise<void> {
  const write = (globalThis as { [notebookWriter]?: NotebookWriter })[notebookWriter];
  if (write) {
    for (const bundle of await display(value)) write({ ...bundle, transient: {} }, false);
    return;
  }
  const lines = await show(value, paper());
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}
