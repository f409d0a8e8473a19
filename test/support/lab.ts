import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { BlocklabError } from "../../src/core/errors.ts";
import type { ProjectRecord, StateRecord } from "../../src/core/record.ts";
import type { Cell } from "../../src/core/view.ts";
import { byName } from "../../src/registry/index.ts";
import { toText } from "../../src/render/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { someone } from "./caller.ts";

export { someone } from "./caller.ts";

/** A block of a chain: the helper's name (or a function code) and its arguments. */
export type Link = readonly [helper: string, args?: Record<string, unknown>];

/** A service in a temporary home, and shortcuts to drive it; cleared away when the file's tests are done. */
export class Lab {
  readonly home = mkdtempSync(join(tmpdir(), "blocklab-lab-"));
  readonly #service: Promise<Service> = createService({ home: join(this.home, "data"), threads: 0 });
  #projects = 0;
  #files = 0;

  constructor() {
    afterAll(async () => {
      await (await this.#service).close();
      rmSync(this.home, { recursive: true, force: true });
    });
  }

  get service(): Promise<Service> {
    return this.#service;
  }

  /** Writes a file and answers its path. */
  file(content: string | Uint8Array, name = `t${++this.#files}.csv`): string {
    const path = join(this.home, name);
    writeFileSync(path, content);
    return path;
  }

  async project(): Promise<ProjectRecord> {
    return await (await this.#service).createProject(someone, `p${++this.#projects}`);
  }

  /** Runs one block. */
  async block(
    project: number,
    id: number,
    parent: number,
    [helper, args = {}]: Link,
    signal?: AbortSignal,
  ): Promise<StateRecord> {
    const code = byName(helper)?.code ?? helper;
    const request = { project_id: project, block_id: id, parent_id: parent, function_code: code, args };
    return await (await this.#service).run(someone, request, signal && { signal });
  }

  /** Runs a chain in a project of its own: the CSV text first, then the blocks; answers all records. */
  async chain(csv: string, ...links: readonly Link[]): Promise<StateRecord[]> {
    const { id } = await this.project();
    const records = [
      await this.block(id, 1, 0, ["input", { dburl: csv.startsWith("sample:") ? csv : this.file(csv) }]),
    ];
    for (const [k, link] of links.entries()) records.push(await this.block(id, k + 2, k + 1, link));
    return records;
  }

  /** The last record of a chain. */
  async last(csv: string, ...links: readonly Link[]): Promise<StateRecord> {
    return (await this.chain(csv, ...links)).at(-1) as StateRecord;
  }

  /** The error with which a chain ends. */
  async failure(csv: string, ...links: readonly Link[]): Promise<BlocklabError> {
    return await this.chain(csv, ...links).then(
      () => Promise.reject(new Error("the chain did not fail")),
      (error: BlocklabError) => error,
    );
  }

  /** A table's header and rows. */
  async table(url: string | null | undefined): Promise<{ header: string[]; rows: Cell[][]; types: string[] }> {
    const data = await (await this.#service).table(someone, someone.artifactIn(url as string) as string);
    return {
      header: data.columns.map((column) => column.name),
      types: data.columns.map((column) => (column.integer ? "integer" : column.type)),
      rows: data.rows.map((row) => [...row]),
    };
  }

  /** One column of a record's dataset. */
  async column(record: StateRecord, name: string): Promise<Cell[]> {
    const { header, rows } = await this.table(record.dataset_url);
    return rows.map((row) => row[header.indexOf(name)]);
  }

  /** What a block shows, as text of 80 columns without colour. */
  async view(record: StateRecord, width = 80): Promise<string> {
    return toText(await (await this.#service).view(someone, record.id), { width });
  }

  /** How many artifact files there are. */
  files(): number {
    return readdirSync(join(this.home, "data", "artifacts")).length;
  }
}

/** A record's output, parsed. */
export function output<T = Record<string, unknown>>(record: StateRecord): T {
  return JSON.parse(record.output as string) as T;
}
