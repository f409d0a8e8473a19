import { typeName } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import type { ViewColumn } from "../../core/view.ts";
import { visible } from "../../core/visible.ts";
import { formatColumn, isNumeric } from "../../render/numbers.ts";
import { cut, pad, widthOf } from "../../render/words.ts";
import type { ExplorerState, Page } from "./explorer.ts";

/** Lines that are not rows: the title, two of the head, and the line of keys. */
export const otherLines = 4;

const gap = 2;
const widest = 32;

/** A column as it is drawn. */
export interface DrawnColumn {
  readonly name: string;
  readonly head: string;
  readonly type: string;
  readonly cells: readonly string[];
}

/** The columns of a page that fit beside each other, all their texts padded to one width. */
export function drawnColumns(page: Page, sort: ExplorerState["sort"], width: number): DrawnColumn[] {
  const drawn: DrawnColumn[] = [];
  let room = width;
  for (const [k, column] of page.columns.entries()) {
    const type = typeName(column);
    const view: ViewColumn = { name: column.name, type: type as "integer" };
    const arrow = sort?.column === column.name ? (sort.descending ? " ↓" : " ↑") : "";
    const head = visible(column.name) + arrow;
    const cells = formatColumn(
      view,
      page.rows.map((row) => row[k]),
    ).map((cell) => (cell === null ? "·" : visible(cell)));
    const natural = Math.min(widest, Math.max(widthOf(head), widthOf(type), ...cells.map(widthOf)));
    const own = Math.min(natural, room);
    if (own < natural && drawn.length > 0) break;
    const side = isNumeric(view) ? "right" : "left";
    const fill = (text: string) => pad(cut(text, own), own, side);
    drawn.push({ name: column.name, head: fill(head), type: fill(type), cells: cells.map(fill) });
    room -= own + gap;
    if (room <= 0) break;
  }
  return drawn;
}

/** The line above the table. */
export function titleLine({ title, total, page, search, sort, isReading }: ExplorerState, wholeTotal: number): string {
  const last = page.top + page.rows.length;
  const numbers = (n: number) => n.toLocaleString("en-US");
  const rows = total === 0 ? "no row" : `rows ${numbers(page.top + 1)}–${numbers(last)} of ${numbers(total)}`;
  const parts = [
    title,
    rows,
    search !== "" && `with "${visible(search)}", of ${count(wholeTotal, "row")}`,
    sort && `by ${visible(sort.column)}`,
    isReading && "reading…",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The line below the table. */
export function keyLine({ typing, error, search }: ExplorerState): string {
  if (error !== null) return visible(error);
  if (typing !== null) return `find: ${visible(typing)}▏  (enter: filter, escape: back)`;
  const back = search === "" ? "" : "  esc all rows";
  return `↑↓ space b g G scroll  ←→ column  s sort  / filter${back}  q leaves`;
}
