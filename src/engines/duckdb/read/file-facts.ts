import { file, type Sql, sql } from "../../sql.ts";

/** Runs a query for its rows. */
type Ask = (query: Sql, signal?: AbortSignal) => Promise<unknown[][]>;

/** Facts that are kept in all: a few megabytes. */
const mostKept = 100_000;

/** What files say of themselves, from their footers. Files never change, so each is asked once. */
export class FileFacts {
  readonly #ask: Ask;
  readonly #rows = new Map<string, number>();
  readonly #nulls = new Map<string, ReadonlyMap<string, number | null>>();
  #kept = 0;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The rows of an artifact's file. */
  async rows(artifact: string, signal?: AbortSignal): Promise<number> {
    const known = this.#rows.get(artifact);
    if (known !== undefined) return known;
    const [[rows]] = await this.#ask(sql`SELECT count(*) FROM read_parquet(${file(artifact)})`, signal);
    this.told(artifact, Number(rows));
    return Number(rows);
  }

  /** Takes it that a file has so many rows, where who wrote it knows. */
  told(artifact: string, rows: number): void {
    this.#makeRoom(1);
    this.#rows.set(artifact, rows);
  }

  /** The missing cells of each column of an artifact's file; null where it does not say. */
  async nulls(artifact: string, signal?: AbortSignal): Promise<ReadonlyMap<string, number | null>> {
    const known = this.#nulls.get(artifact);
    if (known) return known;
    const found = await this.#ask(nullsIn(artifact), signal);
    const nulls = new Map<string, number | null>();
    for (const [rawName, cells, isKnown] of found) {
      const name = String(rawName);
      // A tensor's items may be called as another column is.
      nulls.set(name, isKnown && !nulls.has(name) ? Number(cells) : null);
    }
    this.#makeRoom(nulls.size);
    this.#nulls.set(artifact, nulls);
    return nulls;
  }

  /** All are forgotten at once: asking again takes milliseconds. */
  #makeRoom(facts: number): void {
    if (this.#kept + facts > mostKept) {
      this.#rows.clear();
      this.#nulls.clear();
      this.#kept = 0;
    }
    this.#kept += facts;
  }
}

function nullsIn(artifact: string): Sql {
  return sql`SELECT any_value(path_in_schema), sum(stats_null_count), count(*) = count(stats_null_count)
FROM parquet_metadata(${file(artifact)}) GROUP BY column_id`;
}
