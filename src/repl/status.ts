import { byCode } from "../registry/index.ts";
import { chainOf, type Session } from "../session/index.ts";

/** Where one stands, in a line: project, last block, its table, folds, the model at hand, and which service. */
export class Status {
  readonly #session: Session;
  /** What is said of the last block, and of which state; a cell without a block need not ask anew. */
  #known: { readonly of: string; readonly parts: readonly string[] } | null = null;
  /** Blocks that ran; one may have taken another's place. */
  #runs = 0;

  constructor(session: Session) {
    this.#session = session;
    session.onBlock(() => {
      this.#runs++;
    });
  }

  /** The line's parts; throws where the service can't be reached. */
  async parts(): Promise<readonly string[]> {
    const { project_name, id } = await this.#session.current();
    const { where } = await this.#session.link;
    const { last } = this.#session;
    if (last === 0) return [project_name, "no block yet", where];
    const of = `${id} ${last} ${this.#runs}`;
    if (this.#known?.of !== of) this.#known = { of, parts: await this.#block(last) };
    return [project_name, ...this.#known.parts, where];
  }

  async #block(last: number): Promise<readonly string[]> {
    const states = await this.#session.blocks();
    const state = states.findLast(({ block_id }) => block_id === last);
    if (!state) return [`block ${last}`];
    const table = await this.#shape(state.dataset_url);
    const [train, test] = await Promise.all([this.#shape(state.x_train_url), this.#shape(state.x_test_url)]);
    const blocks = new Set(chainOf(states, state).map(({ block_id }) => block_id));
    const model = (await this.#session.models()).findLast(({ block }) => blocks.has(block));
    return [
      `block ${last}${state.stale ? ", stale" : ""}`,
      ...(table ? [`${grouped(table.rows)} × ${table.columns}`] : []),
      ...(train && test ? [`folds ${grouped(train.rows)} + ${grouped(test.rows)}`] : []),
      ...(model ? [`model ${byCode(model.code).name}`] : []),
    ];
  }

  async #shape(url: string | null | undefined): Promise<{ rows: number; columns: number } | null> {
    if (!url) return null;
    const { columns, total } = await (await this.#session.link).table(url, { limit: 0 });
    return { rows: total, columns: columns.length };
  }
}

function grouped(rows: number): string {
  return rows.toLocaleString("en-US");
}
