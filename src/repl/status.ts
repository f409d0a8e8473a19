import { BlocklabError } from "../core/errors.ts";
import type { StateRecord } from "../core/record.ts";
import { byCode } from "../registry/index.ts";
import { modelsIn, type Session } from "../session/index.ts";

/** A table's size; null where there is no table. */
type Shape = { readonly rows: number; readonly columns: number } | null;

/**
 * Where one stands, in a line: project, last block, its table, its split, the model at hand, and which service.
 *
 * A block that has just run is told from its own record. For one that ran before, its record alone is asked for, as
 * another session may have changed it; all of the project's only when a block isn't known yet.
 */
export class Status {
  readonly #session: Session;
  #project = 0;
  /** Records of the project by their blocks, as far as they were needed. */
  #records = new Map<number, StateRecord>();
  /** Sizes by the tables' URLs; what a URL stands for never changes. */
  #shapes = new Map<string, Promise<Shape>>();
  #justRan: StateRecord | null = null;

  constructor(session: Session) {
    this.#session = session;
    session.onBlock(({ record }) => {
      this.#justRan = record;
      if (record.project === this.#project) this.#records.set(record.block_id, record);
    });
  }

  /** The line's parts; throws where the service can't be reached. */
  async parts(): Promise<readonly string[]> {
    const { project_name, id } = await this.#session.current();
    const link = await this.#session.link;
    const where = link.where === "embedded" ? "local" : link.where;
    const { last } = this.#session;
    if (id !== this.#project) {
      this.#project = id;
      this.#records = new Map();
      this.#shapes = new Map();
    }
    if (last === 0) return [project_name, "no block yet", where];
    const record = await this.#record(last);
    return [project_name, ...(record ? await this.#block(record) : [`block ${last}`]), where];
  }

  async #block(record: StateRecord): Promise<readonly string[]> {
    const [table, train, test] = await Promise.all(
      [record.dataset_url, record.x_train_url, record.x_test_url].map((url) => this.#shape(url)),
    );
    const model = await this.#model(record);
    return [
      `block ${record.block_id}${record.stale ? ", stale" : ""}`,
      ...(table ? [`${grouped(table.rows)} × ${table.columns}`] : []),
      ...(train && test ? [`split ${grouped(train.rows)} + ${grouped(test.rows)}`] : []),
      ...(model ? [`model ${byCode(model).name}`] : []),
    ];
  }

  /** The record of a block as it is now; undefined where it is gone. */
  async #record(block: number): Promise<StateRecord | undefined> {
    const ran = this.#justRan;
    this.#justRan = null;
    if (ran?.block_id === block && ran.project === this.#project) {
      this.#records.set(block, ran);
      return ran;
    }
    const known = this.#records.get(block);
    const now = known && (await this.#again(known));
    if (now) {
      this.#records.set(block, now);
      return now;
    }
    await this.#readChain(block);
    return this.#records.get(block);
  }

  /** The same record as it is now; null when another has taken its place. */
  async #again({ id }: StateRecord): Promise<StateRecord | null> {
    try {
      return await (await this.#session.link).state(id);
    } catch (error) {
      if (error instanceof BlocklabError && error.status === 404) return null;
      throw error;
    }
  }

  /** Reads a block and those that lead to it. */
  async #readChain(block: number): Promise<void> {
    const states = await (await this.#session.link).states(this.#project, { block, chain: true });
    this.#records = new Map(states.map((state) => [state.block_id, state]));
  }

  /** The function code of the last model in the chain to a block; null where there is none. */
  async #model(record: StateRecord): Promise<string | null> {
    let isAll = false;
    for (let at: StateRecord | undefined = record; at; ) {
      const model = modelsIn(at).at(-1);
      if (model) return model.code;
      const parent: number = at.parent_id;
      if (parent === 0) return null;
      if (!this.#records.has(parent) && !isAll) {
        await this.#readChain(record.block_id);
        isAll = true;
      }
      at = this.#records.get(parent);
    }
    return null;
  }

  #shape(url: string | null | undefined): Promise<Shape> {
    if (!url) return Promise.resolve(null);
    const known = this.#shapes.get(url);
    if (known) return known;
    const asked = this.#ask(url);
    this.#shapes.set(url, asked);
    // Only an answer is kept.
    asked.catch(() => this.#shapes.delete(url));
    return asked;
  }

  async #ask(url: string): Promise<Shape> {
    const { columns, total } = await (await this.#session.link).table(url, { limit: 0 });
    return { rows: total, columns: columns.length };
  }
}

function grouped(rows: number): string {
  return rows.toLocaleString("en-US");
}
