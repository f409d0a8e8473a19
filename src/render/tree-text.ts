import type { TreeNode, TreeView } from "../core/view.ts";
import type { Pen } from "./pen.ts";
import { cut, widthOf, wrap } from "./words.ts";

/** A tree as lines: every answer below its question, joined by rules. */
export function treeLines(view: TreeView, pen: Pen): string[] {
  const title = view.title ? wrap(pen.safe(view.title), pen.width).map(pen.bold) : [];
  return [...title, ...nodeLines(view.root, "", "", pen)];
}

function nodeLines(node: TreeNode, lead: string, indent: string, pen: Pen): string[] {
  const branches = node.branches ?? [];
  const below = branches.flatMap(({ when, then }, k) => {
    const isLast = k === branches.length - 1;
    const arm = isLast ? pen.pick("└─ ", "`- ") : pen.pick("├─ ", "|- ");
    const stem = isLast ? "   " : pen.pick("│  ", "|  ");
    return nodeLines(then, `${indent}${arm}${pen.safe(when)}: `, indent + stem, pen);
  });
  return [lineOf(node, lead, pen), ...below];
}

function lineOf(node: TreeNode, lead: string, pen: Pen): string {
  const ellipsis = pen.pick("…", "..");
  const safe = (words: string) => {
    const shown = pen.safe(words);
    return pen.unicode ? shown : shown.replaceAll("≤", "<=").replaceAll("…", ellipsis);
  };
  const label = safe(node.label);
  const rest = safe(node.rest ?? "");
  const note = node.note ? `  ${safe(node.note)}` : "";
  const room = pen.width - widthOf(lead) - widthOf(rest);
  const hasRoom = Math.min(widthOf(label), 12) + widthOf(note) <= room;
  const shown = cut(label, Math.max(1, room - (hasRoom ? widthOf(note) : 0)), ellipsis);
  const words = cut(`${lead}${shown}${rest}`, pen.width, ellipsis);
  return hasRoom ? words + pen.quiet(note) : words;
}
