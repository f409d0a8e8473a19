import { inspect } from "node:util";
import { isShowable, type View, viewOf } from "../core/view.ts";
import { harmless } from "../core/visible.ts";
import { foundBundle, foundPicture, foundTable, toBundles } from "../render/index.ts";

/** A value as front ends show it: one representation per MIME type. */
export interface Bundle {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const jupyterDisplay = Symbol.for("Jupyter.display");

/** A value's view: its own, or the table that it is; null for all else. */
export async function viewIn(value: unknown): Promise<View | null> {
  if (isShowable(value)) return await value[viewOf]();
  return ownDisplay(value) ? null : foundTable(value);
}

/** What a cell's value shows: nothing for undefined, a view's pictures and tables, a bundle of its own, a picture, or text. */
export async function display(value: unknown): Promise<readonly Bundle[]> {
  if (value === undefined) return [];
  const view = await viewIn(value);
  if (view) return await toBundles(view);
  const own = ownDisplay(value);
  if (own) return [{ data: (await own.call(value)) as Record<string, unknown>, metadata: {} }];
  const found = foundPicture(value);
  if (found) return [await foundBundle(found)];
  return [{ data: { "text/plain": plain(value) }, metadata: {} }];
}

function ownDisplay(value: unknown): ((this: unknown) => unknown) | null {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return null;
  const method = (value as { [jupyterDisplay]?: unknown })[jupyterDisplay];
  return typeof method === "function" ? (method as (this: unknown) => unknown) : null;
}

/** Longer texts are cut. */
const longestText = 10_000;

/** A value as Node's own prompt would show it, but a text of several lines, such as SQL or code, as people write it. */
export function plain(value: unknown, colour = false): string {
  if (typeof value === "string" && value.includes("\n")) {
    const rest = value.length - longestText;
    const more = rest > 0 ? `\n... ${rest.toLocaleString("en-US")} more characters` : "";
    return harmless(value.slice(0, longestText).replace(/\r?\n$/, "") + more);
  }
  const text = inspect(value, {
    colors: colour,
    depth: 4,
    maxArrayLength: 100,
    maxStringLength: longestText,
    breakLength: 80,
  });
  // Errors and classes are written with their words as they are; the prompt cleans what has colours.
  return colour ? text : harmless(text);
}
