import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError, ArgsError, BusyError, CancelledError, DataError, NotFoundError } from "../../src/core/errors.ts";
import type { BlockRequest, ProjectRecord, StateRecord } from "../../src/core/record.ts";
import { text } from "../../src/core/view.ts";
import { libraryService } from "../../src/service/library.ts";
import type { Caller, FunctionEntry, Page, Part, RunOptions, Service, TableData } from "../../src/service/service.ts";
import { Store } from "../../src/store/store.ts";

/** Ids of the artifacts that every fake service has. */
export const tableId = "tableAAAAAAAAAAAAAAAAA";
export const modelId = "modelAAAAAAAAAAAAAAAAA";
export const csv = "age,city\n1,Lagos\n2,Lima\n3,Oslo\n";

const table: TableData = {
  columns: [
    { name: "age", type: "number", integer: true },
    { name: "city, name", type: "string" },
  ],
  rows: [
    [1, "Lagos"],
    [2, "Lima"],
    [3, null],
  ],
  total: 3,
};

const entries: readonly FunctionEntry[] = ["DP_1", "DP_2"].map((function_code) => ({
  function_code,
  name: function_code === "DP_1" ? "input" : "missing",
  family: "input",
  summary: `${function_code} does something.`,
  description: "",
  example: "session.input()",
  aliases: {},
  args: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { inner: { $ref: "#/$defs/inner" } },
    $defs: { inner: { type: "string" } },
  },
}));

/** A service that keeps a few records in memory and does what a request's `function_code` says. */
export interface FakeService extends Service {
  /** Blocks that ended because their signal fired. */
  readonly cancelled: string[];
  /** Whether the service was closed. */
  readonly closed: boolean;
  /** The folder of uploaded files. */
  readonly uploads: string;
  /** Temporary files handed out. */
  readonly handedOut: string[];
  /** Settles when a "WAIT" block has begun. */
  readonly waiting: Promise<void>;
  /** Lets "WAIT" blocks finish. */
  finish(): void;
}

function paged<T extends { readonly id: number }>(all: readonly T[], page: Page = {}): T[] {
  const { limit = all.length, offset = 0, after = 0 } = page;
  return all.filter(({ id }) => id > after).slice(offset, offset + limit);
}

/** A fresh fake; removes its files when it is closed. */
export function fakeService(): FakeService {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-fake-"));
  // Uploads and data sets are the real ones.
  const store = new Store(join(folder, "home"));
  const projects: (ProjectRecord & { owner: string })[] = [];
  const states: { owner: string; request: BlockRequest; record(caller: Caller): StateRecord }[] = [];
  const begun = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const cancelled: string[] = [];
  const handedOut: string[] = [];
  let closed = false;
  let running = 0;

  const project = (caller: Caller, appId: string) => {
    const found = projects.find((one) => one.app_id === appId && one.owner === caller.owner);
    if (!found) throw new NotFoundError(`There is no project "${appId}".`);
    return found;
  };
  const shown = ({ owner: _, ...record }: ProjectRecord & { owner: string }): ProjectRecord => record;
  const state = (caller: Caller, id: number) => {
    const found = states[id - 1];
    if (found?.owner !== caller.owner) throw new NotFoundError(`There is no state record ${id}.`);
    return found;
  };
  const keep = (caller: Caller, request: BlockRequest): StateRecord => {
    const id = states.length + 1;
    const record = (asking: Caller): StateRecord => ({
      id,
      project: request.project_id,
      block_id: request.block_id ?? states.length + 1,
      parent_id: request.parent_id ?? 0,
      function_code: request.function_code,
      dataset_url: asking.url(tableId),
      x_value_url: null,
      y_value_url: null,
    });
    states.push({ owner: caller.owner, request, record });
    return record(caller);
  };
  const artifact = (id: string) => {
    if (id !== tableId && id !== modelId) throw new NotFoundError(`There is no artifact "${id}".`);
    return id === tableId ? ("table" as const) : ("json" as const);
  };
  const pick = (part: Part = {}): TableData => {
    const kept = part.columns ?? table.columns.map(({ name }) => name);
    const places = kept.map((name) => table.columns.findIndex((column) => column.name === name));
    if (places.includes(-1)) throw new ArgsError(`There is no such column among ${kept.join("|")}.`);
    const start = part.offset ?? 0;
    const rows = table.rows.slice(start, part.limit === undefined ? undefined : start + part.limit);
    return {
      ...table,
      columns: places.map((k) => table.columns[k]),
      rows: rows.map((row) => places.map((k) => row[k])),
    };
  };

  return {
    cancelled,
    handedOut,
    uploads: store.library.files.folder,
    waiting: begun.promise,
    finish: () => finished.resolve(),
    get closed() {
      return closed;
    },
    async createProject(caller, name, description = "") {
      if (projects.some((one) => one.project_name === name && one.owner === caller.owner)) {
        throw new AccessError(403, `There is already a project "${name}".`, {
          code: "name_taken",
          path: "project_name",
        });
      }
      const id = projects.length + 1;
      const app_id = `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
      const created_at = "2024-01-01T00:00:00.000000Z";
      const made = { id, app_id, project_name: name, project_description: description, created_at };
      projects.push({ ...made, project_compiled_models: null, owner: caller.owner });
      return { ...made, project_compiled_models: null };
    },
    projects: async (caller, page) => paged(projects.filter(({ owner }) => owner === caller.owner).map(shown), page),
    project: async (caller, appId) => shown(project(caller, appId)),
    async deleteProject(caller, appId) {
      projects.splice(projects.indexOf(project(caller, appId)), 1);
    },
    async run(caller, untrusted, options: RunOptions = {}) {
      const request = untrusted as BlockRequest;
      const code = request.function_code;
      if (code === "DATA") throw new DataError("missing (DP_2): the mean of text.", { block: "missing", path: "city" });
      if (code === "BUG")
        throw new TypeError("secret internals", { cause: new Error("postgres://u:hunter2@db failed") });
      if (code === "BUSY") throw new BusyError(503, "The service is busy.", {}, 7);
      if (code === "ODD") throw new ArgsError("odd (DP_2): a big number.", { got: 12n, expected: undefined });
      if (code === "LARGE") throw new ArgsError("large (DP_2).", { path: "url", got: request.args?.url });
      if (code === "WHERE") throw new ArgsError(String(caller.artifactIn(String(request.args?.url))));
      options.onProgress?.({
        block: request.block_id ?? states.length + 1,
        phase: "reading\n\nevent: result",
        done: 1,
        total: 2,
        eta_ms: null,
      });
      if (code === "WAIT") {
        const gone = new Promise<never>((_, refuse) => {
          options.signal?.addEventListener("abort", () => {
            cancelled.push(code);
            refuse(new CancelledError());
          });
        });
        begun.resolve();
        running += 1;
        await Promise.race([gone, finished.promise]).finally(() => {
          running -= 1;
        });
      }
      return keep(caller, request);
    },
    load: () => ({
      blocks: { running, waiting: 5, limits: { atOnce: 4, waiting: 200 }, given: 9, waitedSeconds: 1.5 },
      workers: { busy: 2, idle: 1, waiting: 3 },
      disk: { used: 3000, fullest: 2000, quota: 5000, free: 70_000 },
      memoryLimit: null,
    }),
    states: async (caller, only, page) => {
      const own = states.filter(({ owner, request }) => {
        return owner === caller.owner && (only ?? request.project_id) === request.project_id;
      });
      return paged(
        own.map(({ record }) => record(caller)),
        page,
      );
    },
    state: async (caller, id) => state(caller, id).record(caller),
    async deleteState(caller, id) {
      state(caller, id);
      delete states[id - 1];
    },
    async view(caller, id) {
      state(caller, id);
      return text("three rows");
    },
    async explain(caller, id) {
      state(caller, id);
      return {
        block: 1,
        title: "input (DP_1)",
        did: ["Read 3 rows."],
        why: "Everything begins with a table.",
        notices: [],
        found: null,
        reading: "no column of numbers",
      };
    },
    async produce(_caller, flow, data, { signal } = {}) {
      if (data === "WAIT") {
        begun.resolve();
        await new Promise((_, refuse) => {
          signal?.addEventListener("abort", () => {
            cancelled.push("production");
            refuse(new CancelledError());
          });
        });
      }
      return { y_pred: [flow, JSON.stringify(data)] };
    },
    async sql(caller, id) {
      state(caller, id);
      return "SELECT 1";
    },
    request: async (caller, id) => state(caller, id).request,
    artifactKind: async (_, id) => artifact(id),
    async columns(_, id, part) {
      artifact(id);
      const { columns, rows } = pick(part);
      return { columns, values: columns.map((_column, k) => rows.map((row) => row[k] as string | null)) };
    },
    async *batches(_, id, part) {
      artifact(id);
      const { columns, rows } = pick(part);
      for (const row of rows) yield { columns, cells: row.map((cell) => [cell]) };
    },
    async table(_, id, part) {
      if (artifact(id) === "json") throw new ArgsError("The artifact is a model, not a table.");
      return pick(part);
    },
    async file(_, id, format, part) {
      artifact(id);
      const content = id === modelId ? `{"format":"blocklab-model"}` : part ? JSON.stringify(pick(part)) : csv;
      const path = join(folder, `${handedOut.length}.${format}`);
      writeFileSync(path, content);
      const temporary = part !== undefined;
      handedOut.push(path);
      return {
        path,
        mediaType:
          id === modelId ? "application/json" : format === "csv" ? "text/csv; charset=utf-8" : "application/x-test",
        bytes: Buffer.byteLength(content),
        sha256: temporary ? null : createHash("sha256").update(content).digest("hex"),
        temporary,
      };
    },
    async save(_, id, _format, path) {
      artifact(id);
      writeFileSync(path, csv);
    },
    functions: () => entries,
    ready: async () => undefined,
    library: libraryService(store.library),
    async close() {
      closed = true;
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
