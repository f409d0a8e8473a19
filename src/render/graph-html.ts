import type { GraphNode, GraphView } from "../core/view.ts";
import { escapeHtml } from "./escape.ts";
import { cut } from "./words.ts";

/** For that many bold letters in a wide font, which one can't measure from here. */
const width = 300;
const height = 40;
const across = 24;
const down = 18;

/** Letters of a label that fit into a box. */
const mostLetters = 38;

interface Placed extends GraphNode {
  readonly x: number;
  readonly y: number;
}

/**
 * Blocks as boxes in an SVG, each below the one it builds on; a branch stands beside the first.
 *
 * Colours follow the reader's theme. There are no ids in it, which would be taken for those of another on the page.
 */
export function graphHtml(view: GraphView): string {
  const placed = place(view.nodes);
  const byId = new Map(placed.map((node) => [node.id, node]));
  const right = Math.max(...placed.map(({ x }) => x)) + width + 2;
  const bottom = Math.max(...placed.map(({ y }) => y)) + height + 2;
  const lines = placed.flatMap((node) => {
    const from = byId.get(node.parent);
    return from ? [lineOf(from, node)] : [];
  });
  const title = escapeHtml(`Blocks: ${view.nodes.map(({ id, label }) => `${id} ${label}`).join(", ")}`);
  return `<svg role="img" aria-label="${title}" viewBox="0 0 ${right} ${bottom}" width="${right}" style="max-width:100%;height:auto;color:var(--jp-ui-font-color1,currentColor)" font-size="12" fill="none" stroke="currentColor">${lines.join("")}${placed.map(box).join("")}</svg>`;
}

/** The first branch goes on below, the others take columns of their own. */
function place(nodes: readonly GraphNode[]): Placed[] {
  const columns = new Map<number, number>();
  const depths = new Map<number, number>();
  const continued = new Set<number>();
  let free = 0;
  return nodes.map((node) => {
    const isFirst = columns.has(node.parent) && !continued.has(node.parent);
    const column = isFirst ? (columns.get(node.parent) ?? 0) : free++;
    continued.add(node.parent);
    const depth = (depths.get(node.parent) ?? -1) + 1;
    columns.set(node.id, column);
    depths.set(node.id, depth);
    return { ...node, x: 1 + column * (width + across), y: 1 + depth * (height + down) };
  });
}

function lineOf(from: Placed, to: Placed): string {
  const [x1, y1, x2, y2] = [from.x + width / 2, from.y + height, to.x + width / 2, to.y];
  const middle = (y1 + y2) / 2;
  const path = x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}V${middle}H${x2}V${y2}`;
  return `<path d="${path}" opacity=".6"/>`;
}

function box(node: Placed): string {
  const stroke = node.here ? ' stroke="var(--jp-brand-color1,#3b82c4)" stroke-width="2.5"' : ' opacity=".7"';
  const dash = node.stale ? ' stroke-dasharray="4 3"' : "";
  const fill = node.model ? ' fill="rgba(58,157,93,.18)"' : "";
  const notes = [...node.notes, ...(node.stale ? ["stale: run it again"] : []), ...(node.here ? ["you are here"] : [])];
  const label = escapeHtml(cut(`${node.id} ${node.label}`, mostLetters, "…"));
  const note = escapeHtml(cut(notes.join(" · "), mostLetters, "…"));
  const whole = escapeHtml([`${node.id} ${node.label}`, ...notes].join(" · "));
  const top = note === "" ? 25 : 17;
  const under =
    note === "" ? "" : `<text x="${node.x + 10}" y="${node.y + 32}" font-size="11" opacity=".75">${note}</text>`;
  return `<g><title>${whole}</title><rect x="${node.x}" y="${node.y}" width="${width}" height="${height}" rx="6"${stroke}${dash}${fill}/><g stroke="none" fill="currentColor"><text x="${node.x + 10}" y="${node.y + top}" font-weight="600">${label}</text>${under}</g></g>`;
}
