import type { ClusterSource, Surveyed } from "../../core/cluster.ts";
import type { Frame, Subset } from "../../core/frame.ts";
import type { Selection } from "../../core/selection.ts";
import type { Tables } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import { type Duck, type EngineTables, readCells } from "../../engines/duckdb/index.ts";
import type { Relation } from "../../plan/node.ts";
import type { Store } from "../../store/store.ts";
import type { SourceRules } from "../sources.ts";
import type { ClusterFacts } from "./facts.ts";
import { noCluster } from "./known.ts";
import type { ClusterSession, ClusterSurroundings } from "./session.ts";

/** Who asks a cluster. */
export type FarSurroundings = Pick<ClusterSurroundings, "who" | "progress"> & { readonly signal?: AbortSignal };

/** A block that runs: what it writes here, and who it is to a cluster. */
export interface FarRunning {
  readonly here: EngineTables;
  aroundCluster(): FarSurroundings;
}

/** The tables of one block on a cluster, and how its session there ends. */
export interface FarBlock {
  tables(running: FarRunning): Tables;
  /** Refuses a plan that the cluster could not work out. */
  check(relation: Relation, who: string): void;
  end(): Promise<void>;
}

/** The cluster that chains run on whose rows stay there; its client takes 100 ms to load, so it is when it is needed. */
export class Far {
  readonly #address: string | null;
  readonly #broughtCells: number;
  readonly #rules: SourceRules;
  readonly #duck: Duck;
  readonly #store: Store;
  #facts: ClusterFacts | null = null;

  constructor(
    { address, broughtCells }: { readonly address: string | null; readonly broughtCells: number },
    rules: SourceRules,
    duck: Duck,
    store: Store,
  ) {
    this.#address = address;
    this.#broughtCells = broughtCells;
    this.#rules = rules;
    this.#duck = duck;
    this.#store = store;
  }

  /** Works within a session there, which ends with the work. */
  async within<T>(around: FarSurroundings, work: (session: ClusterSession) => Promise<T>): Promise<T> {
    const session = await this.#session(around);
    try {
      return await work(session);
    } finally {
      await session.end();
    }
  }

  /** Looks at a table at which a chain begins. */
  async survey(source: ClusterSource, around: FarSurroundings): Promise<Surveyed> {
    const [{ survey }, facts] = await Promise.all([import("./survey.ts"), this.#known()]);
    return await this.within(around, (session) => survey(source, session, facts));
  }

  /** What a block needs whose rows lie there. */
  async block(): Promise<FarBlock> {
    const [{ ClusterTables }, { refuseObjections }, { ClusterSession }, facts] = await Promise.all([
      import("./tables.ts"),
      import("./objections.ts"),
      import("./session.ts"),
      this.#known(),
    ]);
    const sessions: ClusterSession[] = [];
    return {
      tables: (running) => {
        const around = running.aroundCluster();
        const session = new ClusterSession({ ...around, ...this.#surroundings() });
        sessions.push(session);
        const temporary = () => this.#store.files.temporary();
        return new ClusterTables(session, running.here, around.who, {
          temporary,
          facts,
          broughtCells: this.#broughtCells,
        });
      },
      check: refuseObjections,
      end: async () => {
        await Promise.all(sessions.map((session) => session.end()));
      },
    };
  }

  /** Some of a plan's cells, row by row. */
  async cells(relation: Relation, selection: Selection, signal?: AbortSignal): Promise<Cell[][]> {
    const { askCells } = await import("../../engines/spark/asked.ts");
    return await this.within(looking(signal), (session) =>
      session.cells([relation], (names) => askCells(relation, selection, names)),
    );
  }

  /** How many of a plan's rows hold a text. */
  async countFound(relation: Relation, { search, subset }: Selection, signal?: AbortSignal): Promise<number> {
    const { askCount } = await import("../../engines/spark/asked.ts");
    const [[found]] = await this.within(looking(signal), (session) =>
      session.cells([relation], (names) => askCount(relation, search, names, subset)),
    );
    return Number(found);
  }

  /** A table's first rows, and how many cells of each column are missing. */
  async head(
    frame: Frame,
    names: readonly string[],
    { limit, subset }: { readonly limit: number; readonly subset: Subset },
    signal?: AbortSignal,
  ): Promise<{ rows: Cell[][]; missing: number[] }> {
    const [{ askCells }, facts] = await Promise.all([import("../../engines/spark/asked.ts"), this.#known()]);
    const { relation } = frame;
    return await this.within(looking(signal), async (session) => {
      const rows = await session.cells([relation], (tables) =>
        askCells(relation, { columns: names, limit, subset }, tables),
      );
      const missing = await facts.missing(relation, names, (plan, query) => session.cells([plan], query));
      return { rows, missing };
    });
  }

  /** A plan as Spark's SQL, for people. */
  async show(relation: Relation): Promise<string> {
    const { showPlan } = await import("../../engines/spark/show.ts");
    return showPlan(relation);
  }

  async #known(): Promise<ClusterFacts> {
    const { ClusterFacts } = await import("./facts.ts");
    this.#facts ??= new ClusterFacts();
    return this.#facts;
  }

  async #session(around: FarSurroundings): Promise<ClusterSession> {
    const { ClusterSession } = await import("./session.ts");
    return new ClusterSession({ ...around, ...this.#surroundings() });
  }

  #surroundings(): Pick<ClusterSurroundings, "address" | "rules" | "list"> {
    if (this.#address === null) throw noCluster();
    return {
      address: this.#address,
      rules: this.#rules,
      list: async (artifact, columns) => {
        const found = await readCells(this.#duck, { artifact, steps: [] }, { columns });
        return found.map((cells) => Int32Array.from(cells, Number));
      },
    };
  }
}

/** Who only looks at a table has nobody to tell how far it is. */
function looking(signal: AbortSignal | undefined): FarSurroundings {
  return { who: "the table", progress: () => undefined, ...(signal ? { signal } : {}) };
}
