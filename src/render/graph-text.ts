import type { GraphView } from "../core/view.ts";
import type { Pen } from "./pen.ts";
import { cut, widthOf } from "./words.ts";

/** Blocks as lines, each below and to the right of the one it builds on. */
export function graphLines(view: GraphView, pen: Pen): string[] {
  const depths = new Map<number, number>();
  const ellipsis = pen.pick("…", "..");
  return view.nodes.map((node) => {
    const depth = (depths.get(node.parent) ?? -1) + 1;
    depths.set(node.id, depth);
    const words = cut(`${"  ".repeat(depth)}${node.id} ${pen.safe(node.label)}`, pen.width, ellipsis);
    const notes = node.notes.length > 0 ? `  ${pen.safe(node.notes.join(", "))}` : "";
    const stale = node.stale ? "  (stale: run it again)" : "";
    const here = node.here ? `  ${pen.pick("←", "<-")} here` : "";
    let room = pen.width - widthOf(words);
    const fitting = (part: string) => {
      if (widthOf(part) > room) return "";
      room -= widthOf(part);
      return part;
    };
    // Where you stand matters most, then what is stale.
    const [at, old, more] = [fitting(here), fitting(stale), fitting(notes)];
    return words + at + pen.warning(old) + pen.quiet(more);
  });
}
