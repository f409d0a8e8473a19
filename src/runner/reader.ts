import type { Finished, Reader } from "../core/block.ts";
import { type Fold, type Frame, foldRows } from "../core/frame.ts";
import { selectFrom } from "../core/relation.ts";
import { col, join, sql } from "../core/sql.ts";
import { stack, type TableView, text, type View } from "../core/view.ts";
import { type Duck, readCells } from "../engine/index.ts";
import { byCode } from "../registry/index.ts";
import type { State } from "../store/state.ts";

/** Beyond this many columns a head shows the first ones alone; the rest is counted. */
const mostHeadColumns = 200;

/** Reads what views need from frames. */
export class FrameReader implements Reader {
  readonly #duck: Duck;

  constructor(duck: Duck) {
    this.#duck = duck;
  }

  async head(frame: Frame, options: { readonly rows?: number; readonly fold?: Fold } = {}): Promise<TableView> {
    const fold = options.fold ?? "all";
    const columns = frame.columns.slice(0, mostHeadColumns);
    const names = columns.map((column) => column.name);
    if (names.length === 0) return { kind: "table", columns: [], rows: [], total: 0 };
    const cells = await readCells(this.#duck, frame.relation, {
      columns: names,
      fold,
      folds: frame.folds,
      limit: options.rows ?? 5,
    });
    const missing = await this.#missing(frame, names);
    return {
      kind: "table",
      columns: columns.map((column, k) => ({
        name: column.name,
        type: column.type === "number" && column.integer ? "integer" : column.type,
        ...(frame.x?.includes(column.name)
          ? { role: "x" as const }
          : frame.y?.includes(column.name)
            ? { role: "y" as const }
            : {}),
        missing: missing[k],
      })),
      rows: Array.from({ length: cells[0]?.length ?? 0 }, (_, i) => cells.map((values) => values[i])),
      total: foldRows(frame, fold),
    };
  }

  async #missing(frame: Frame, names: readonly string[]): Promise<number[]> {
    const counts = join(names.map((name) => sql`count(*) - count(${col(name)})`));
    const [row] = await this.#duck.rows(sql`SELECT ${counts} FROM (${selectFrom(frame.relation, { columns: names })})`);
    return row.map(Number);
  }
}

/** What a stored block shows: its own view, or the default for its kind of result; notices first. */
export async function viewOfState(state: State, before: State | null, reader: Reader): Promise<View> {
  const block = byCode(state.code);
  const finished: Finished = {
    block: { id: state.blockId, code: state.code, name: block.name },
    args: state.args as Record<string, unknown>,
    before: before?.frame ?? null,
    after: state.frame,
    output: state.output,
    report: state.report,
  };
  const own = block.view ? await block.view(finished as never, reader) : await defaultView(state, reader);
  const stale = state.stale && text("Stale: a block before this one was replaced. Run it again.", "warning");
  return stack(...state.notices.map((notice) => text(notice, "warning")), stale, own);
}

async function defaultView(state: State, reader: Reader): Promise<View> {
  if (state.output !== undefined) return text(JSON.stringify(state.output, null, 2));
  return await reader.head(state.frame);
}
