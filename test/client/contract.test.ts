import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { httpLink } from "../../src/client/http.ts";
import type { Link } from "../../src/client/link.ts";
import { viewOf } from "../../src/core/view.ts";
import { toText } from "../../src/render/index.ts";
import { type Serving, serve } from "../../src/server/serve.ts";
import { Session } from "../../src/session/index.ts";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));

interface Door {
  readonly name: string;
  /** Another link to the same service. */
  open(): Promise<Link>;
  close(): Promise<void>;
}

async function embedded(home: string): Promise<Door> {
  return { name: "embedded", open: () => embeddedLink({ home, threads: 0 }), close: async () => undefined };
}

async function overHttp(home: string): Promise<Door> {
  const write = process.stdout.write;
  process.stdout.write = (() => true) as typeof write;
  let serving: Serving;
  try {
    serving = await serve({ port: 0, home, files: samples, key: "k", threads: 0 });
  } finally {
    process.stdout.write = write;
  }
  return { name: "http", open: async () => httpLink({ url: serving.url, key: "k" }), close: () => serving.close() };
}

describe.each([
  ["embedded", embedded],
  ["http", overHttp],
] as const)("the link, %s", (_name, make) => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-contract-"));
  let door: Door;
  let link: Link;
  let projects = 0;

  beforeAll(async () => {
    door = await make(home);
    link = await door.open();
  });

  afterAll(async () => {
    await link.close();
    await door.close();
    rmSync(home, { recursive: true, force: true });
  });

  const freshSession = async () => {
    const session = new Session(door.open);
    await session.project(`s${++projects}`);
    return session;
  };

  it("makes, lists and deletes projects; a taken name is a 403", async () => {
    const made = await link.createProject("one", "first");
    expect(made).toMatchObject({ project_name: "one", project_description: "first", project_compiled_models: null });
    expect(made.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await expect(link.createProject("one")).rejects.toMatchObject({
      name: "AccessError",
      status: 403,
      message: 'a project named "one" already exists; choose another name.',
    });
    await link.deleteProject(made.app_id);
    expect((await link.projects()).map((project) => project.project_name)).not.toContain("one");
  });

  it("runs blocks, and answers records, tables, files, views, SQL and requests", async () => {
    const { id } = await link.createProject("two");
    const record = await link.run({
      project_id: id,
      block_id: 1,
      function_code: "DP_1",
      args: { dburl: "sample:iris" },
    });
    expect(record).toMatchObject({ project: id, block_id: 1, parent_id: 0, x_value_url: null });
    const url = record.dataset_url as string;
    const table = await link.table(url, { columns: ["species", "petal_width"], offset: 149, limit: 5 });
    expect(table).toMatchObject({
      rows: [["virginica", 1.8]],
      total: 150,
      columns: [{ name: "species", type: "string" }, { type: "number" }],
    });
    const longest = { columns: ["petal_length", "species"], sort: "petal_length", descending: true, limit: 2 };
    expect((await link.table(url, longest)).rows).toEqual([
      [6.9, "virginica"],
      [6.7, "virginica"],
    ]);
    const found = await link.table(url, { ...longest, search: "VERSI", offset: 49 });
    expect(found).toMatchObject({ rows: [[3, "versicolor"]], total: 50 });
    await expect(link.table(url, { sort: "specis" })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('sort: "specis" is not in the table. Did you mean "species"?'),
    });
    for (const format of ["csv", "json", "parquet", "arrow"] as const) {
      expect((await link.download(url, format)).length).toBeGreaterThan(1000);
    }
    expect(await link.view(record.id)).toMatchObject({ kind: "stack" });
    expect(await link.explain(record.id)).toMatchObject({
      block: 1,
      title: "input (DP_1)",
      did: ["Read 150 rows and 5 columns from iris.csv: 4 of numbers and 1 of text."],
      notices: [],
    });
    expect(await link.sql(record.id)).toMatch(/read_parquet/);
    expect(await link.request(record.id)).toMatchObject({ function_code: "DP_1", args: { dburl: "sample:iris" } });
    expect((await link.states(id)).map((state) => state.id)).toEqual([record.id]);
    expect((await link.functions()).length).toBeGreaterThan(20);
  });

  it("hands out a table while it is read, as cells that are those of a page, and ends where the loop is left", async () => {
    const session = await freshSession();
    const at = (i: number) => new Date(1e12 + 250 * i);
    const rows = {
      i: Int32Array.from({ length: 30_000 }, (_, i) => i),
      at: Array.from({ length: 30_000 }, (_, i) => at(i)),
    };
    const { dataset } = await session.input(rows).derive({ columns: { "a b": "i > 2 ? null : text(i)" } });
    const page = await link.table(dataset.url);
    const cells: unknown[][] = [];
    for await (const batch of link.batches(dataset.url)) {
      expect(batch.columns).toEqual(page.columns);
      for (let i = 0; i < batch.cells[0].length; i++) cells.push(batch.cells.map((values) => values[i]));
    }
    expect(cells).toEqual(page.rows);
    let seen = 0;
    for await (const row of dataset) {
      expect(row.i).toBe(seen);
      if (++seen === 5_000) break;
    }
    // One that is begun and never gone on with keeps nobody from closing.
    const other = await door.open();
    await other.batches(dataset.url).next();
    await other.close();
    expect(await dataset.head(1)).toEqual([{ i: 0, at: "2001-09-09 01:46:40", "a b": "0" }]);
    await expect(
      link.batches(dataset.url.replace(/(?<=artifacts\/)[\w-]{22}/, "A".repeat(22))).next(),
    ).rejects.toMatchObject({
      status: 404,
    });
  });

  it("explains, draws, and writes a chain in Python and as a notebook", async () => {
    const session = await freshSession();
    await session.input("sample:iris").xy({ y: "species" }).split({ random_state: 2 }).scale().naiveBayes();
    expect((await session.explain()).did[0]).toBe(
      'Learnt to tell species, 3 classes, from 4 features of 112 training rows; it is kept as "naiveBayes".',
    );
    expect(toText((await session.graph({ times: false }))[viewOf]())).toMatch(
      /5 naiveBayes \(ML_CN_5\) {2}← here {2}model$/,
    );
    expect(await session.code({ as: "python" })).toContain(
      'models["naiveBayes"] = GaussianNB().fit(df.loc[train, x], df.loc[train, y[0]])',
    );
    const { cells } = (await session.notebook()).book;
    expect(cells.at(-1)?.source).toEqual(["await session.naiveBayes()"]);
    await session.close();
  });

  it("throws the same classes with the same words", async () => {
    const { id } = await link.createProject("three");
    const run = (function_code: string, args: Record<string, unknown>, parent_id = 0) =>
      link.run({ project_id: id, block_id: 5, parent_id, function_code, args });
    await expect(run("DP_7X", {})).rejects.toMatchObject({
      name: "ArgsError",
      status: 400,
      detail: { path: "function_code" },
    });
    await expect(run("DP_1", { dburl: "sample:irs" })).rejects.toMatchObject({
      name: "ArgsError",
      message:
        'input (DP_1): there is no sample "irs". Did you mean "iris"? Samples: birdstrikes, digits, iris, penguins, shapes, weather.',
    });
    await expect(run("DP_INF", {}, 77)).rejects.toMatchObject({ name: "NotFoundError", status: 404 });
    await run("DP_1", { dburl: "sample:iris" });
    const text = link.run({
      project_id: id,
      block_id: 6,
      parent_id: 5,
      function_code: "DP_5",
      args: { boundaries: ["species"] },
    });
    await expect(text).rejects.toMatchObject({ name: "DataError", status: 422 });
  });

  it("stops a block whose signal is aborted", async () => {
    const { id } = await link.createProject("four");
    const stopped = link.run(
      { project_id: id, block_id: 1, function_code: "DP_1", args: { dburl: "sample:iris" } },
      { signal: AbortSignal.abort() },
    );
    await expect(stopped).rejects.toThrow();
    expect(await link.states(id)).toEqual([]);
  });

  describe("a session on it", () => {
    it("runs a chain to a judged model, and keeps the tables at hand", async () => {
      const session = await freshSession();
      const result = await session
        .input("sample:penguins")
        .xy({ y: "species" })
        .split({ test_size: 0.2, random_state: 1 })
        .missing("mean")
        .missing("mode")
        .encode()
        .forestClassifier({ n_estimators: 20 })
        .metrics();
      expect((result.output as { accuracy: number }).accuracy).toBeGreaterThan(0.9);
      expect((await result.x_test.shape()).rows).toBe(69);
      expect(await result.y_test.head(1)).toHaveLength(1);
      expect(session.last).toBe(8);
      const code = await session.code();
      expect(code).toContain(".split({ test_size: 0.2, random_state: 1 })");
      await session.close();
    });

    it("runs chains that nobody awaits, in order", async () => {
      const session = await freshSession();
      session.input("sample:iris");
      session.xy({ y: "species" });
      const { record } = await session.split({ test_size: 30 });
      expect(record.block_id).toBe(3);
      expect((await session.blocks()).map((state) => state.function_code)).toEqual(["DP_1", "DP_FSP", "DP_4"]);
      await session.close();
    });

    it("stays on the last good block after an error, which says whose it is", async () => {
      const session = await freshSession();
      await session.input("sample:iris");
      const failed = session.scale({ columns: ["species"] }).describe();
      await expect(failed).rejects.toThrow(/^scale \(DP_5\): column "species" is string/);
      expect(session.last).toBe(1);
      expect((await session.dtypes()).record).toMatchObject({ block_id: 2, parent_id: 1 });
      await session.close();
    });

    it("asks the service once for each call of a helper, and leaves alone what others made meanwhile", async () => {
      const link = await door.open();
      const asked: string[] = [];
      const counted = new Proxy(link, {
        get(target, name: keyof Link) {
          const found = target[name];
          return typeof found !== "function"
            ? found
            : (...args: never[]) => {
                asked.push(name);
                return (found as (...passed: never[]) => unknown).apply(target, args);
              };
        },
      });
      const session = new Session(async () => counted);
      const { project_name } = await session.project(`counted ${Math.random()}`);
      await session.input("sample:iris");
      asked.length = 0;
      await session.drop("species");
      await session.scale();
      expect(asked).toEqual(["run", "run"]);
      const other = new Session(door.open);
      await other.project(project_name);
      expect((await other.describe()).record.block_id).toBe(4);
      expect((await session.dtypes()).record).toMatchObject({ block_id: 5, parent_id: 3 });
      expect((await session.blocks()).map(({ function_code }) => function_code)).toContain("DP_DSC");
      await session.close();
      await other.close();
    });

    it("branches: by at(), by branch(), and by keeping a chain", async () => {
      const session = await freshSession();
      const input = session.input("sample:iris");
      const left = await input.branch().drop("species");
      const right = await input.xy({ y: "species" });
      expect([left.record.parent_id, right.record.parent_id]).toEqual([1, 1]);
      expect((await session.at(2).dtypes()).record.parent_id).toBe(2);
      await expect(session.at(99)).rejects.toThrow(/block 99 is not in project/);
      await session.close();
    });

    it("goes on where another session stopped", async () => {
      const first = await freshSession();
      const { project_name } = await first.current();
      await first.input("sample:iris").xy({ y: "species" });
      const second = new Session(door.open);
      await second.project(project_name);
      expect(second.last).toBe(2);
      expect((await second.split({ test_size: 0.5 })).record).toMatchObject({ block_id: 3, parent_id: 2 });
      await first.close();
      await second.close();
    });

    it("ranks the project's models on the same rows, and says which can't be", async () => {
      const session = await freshSession();
      await expect(session.compare()).rejects.toThrow(/no model yet/);
      const iris = session.input("sample:iris").xy({ y: "species" }).split({ random_state: 1 });
      await iris.naiveBayes({ model_name: "bayes" });
      await iris.treeClassifier({ model_name: "stump", max_depth: 1 });
      const judged = await iris.branch().logistic().metrics();
      const { block } = await session.input("sample:iris").xy({ y: "sepal_length" }).drop("species").linear();
      await session.at(judged.block - 1);
      await session.logistic({ model_name: "again" });
      const last = session.last;
      const found = await session.compare();
      expect(found.ranking.map(({ model }) => model).at(-1)).toBe("stump");
      expect(found.ranking.map(({ on, rows }) => [on, rows])).toEqual(found.ranking.map(() => ["test", 38]));
      expect(found.others).toEqual([{ model: "linear", reason: "it predicts sepal_length, not species" }]);
      expect([session.last, block > 0]).toEqual([last, true]);
      const states = (await session.blocks()).length;
      expect((await session.compare()).ranking).toEqual(found.ranking);
      expect((await session.blocks()).length).toBe(states);
      expect(toText(found[viewOf]())).toMatch(/^model +helper +accuracy +f1 +roc_auc +log_loss +rows +on +block/);
      await session.close();
    });

    it("hands out a model as JSON and as ONNX", async () => {
      const session = await freshSession();
      const input = await session.input("sample:iris");
      expect(() => input.model).toThrow(/block 1 trained no model; forestClassifier\(\) and its kind do/);
      const { model } = await session.xy({ y: "species" }).logistic({ model_name: "m" });
      expect(model).toMatchObject({ name: "m", code: "ML_CN_1" });
      expect(await model.json()).toMatchObject({
        format: "blocklab-model",
        classes: ["setosa", "versicolor", "virginica"],
      });
      const bytes = await model.onnx();
      expect(new TextDecoder().decode(bytes)).toContain("petal_length");
      const folder = mkdtempSync(join(tmpdir(), "blocklab-model-"));
      await model.save(join(folder, "m.onnx"));
      await model.save(join(folder, "chain.onnx"), { preparation: true });
      expect(readFileSync(join(folder, "chain.onnx")).equals(await model.onnx({ preparation: true }))).toBe(true);
      expect(readFileSync(join(folder, "chain.onnx")).equals(bytes)).toBe(false);
      await expect(model.save(join(folder, "m.json"), { preparation: true })).rejects.toThrow(
        /^model\.save: preparation goes into ONNX files alone/,
      );
      await model.save(join(folder, "m.json"));
      expect(readFileSync(join(folder, "m.onnx")).equals(bytes)).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, "m.json"), "utf8"))).toEqual(await model.json());
      rmSync(folder, { recursive: true });
      expect(toText(await model[viewOf]())).toMatch(/^Model m \(ML_CN_1\): species \(3 classes\) from 4 features/);
      const knn = await session.knn();
      await expect(knn.model.onnx()).rejects.toMatchObject({
        status: 422,
        message: expect.stringMatching(/has no ONNX form/),
      });
      await session.close();
    });

    it("writes a table to a file in the format that the name ends in, whole or not at all", async () => {
      const session = await freshSession();
      const { dataset, x_train } = await session.input("sample:iris").xy({ y: "species" }).split({ test_size: 50 });
      const folder = mkdtempSync(join(tmpdir(), "blocklab-table-"));
      const path = (name: string) => join(folder, name);
      await x_train.save(path("rows.CSV"));
      expect(readFileSync(path("rows.CSV"), "utf8")).toBe(await x_train.csv());
      await dataset.save(path("rows.json"));
      expect(JSON.parse(readFileSync(path("rows.json"), "utf8"))).toHaveLength(150);
      for (const name of ["all.parquet", "all.pq", "all.feather"]) await dataset.save(path(name));
      expect(readFileSync(path("all.parquet")).equals(await link.download(dataset.url, "parquet"))).toBe(true);
      expect(readFileSync(path("all.pq")).subarray(0, 4).toString()).toBe("PAR1");
      expect(readFileSync(path("all.feather")).subarray(0, 6).toString()).toBe("ARROW1");
      await dataset.save(path("rows.CSV"));
      expect(readFileSync(path("rows.CSV"), "utf8").split("\n")).toHaveLength(152);
      await expect(dataset.save(path("rows.txt"))).rejects.toMatchObject({
        status: 400,
        message: expect.stringMatching(/written as \.csv, \.json, \.parquet, \.arrow, \.npy, and ".*rows\.txt" ends/),
      });
      await expect(dataset.save(path("no/rows.csv"))).rejects.toThrow(/can't be written: there is no such folder/);
      // What is replaced keeps its mode, and a link leads where it led.
      for (const name of ["kept.csv", "kept.parquet"]) {
        writeFileSync(path(name), "old");
        chmodSync(path(name), 0o640);
        symlinkSync(path(name), path(`link-${name}`));
        await dataset.save(path(`link-${name}`));
        expect(lstatSync(path(`link-${name}`)).isSymbolicLink()).toBe(true);
        expect(statSync(path(name)).mode & 0o777).toBe(0o640);
        expect(statSync(path(name)).size).toBeGreaterThan(1000);
        for (const each of [name, `link-${name}`]) rmSync(path(each));
      }
      mkdirSync(path("folder.csv"));
      await expect(dataset.save(path("folder.csv"))).rejects.toThrow(
        /"[^"]*folder\.csv" can't be written: it is a folder/,
      );
      rmdirSync(path("folder.csv"));
      await expect(dataset.save(path("words.npy"))).rejects.toMatchObject({ status: 422 });
      expect(readdirSync(folder).sort()).toEqual(["all.feather", "all.parquet", "all.pq", "rows.CSV", "rows.json"]);
      rmSync(folder, { recursive: true });
      await session.close();
    });

    it("replaces a cell's own blocks when the cell runs again", async () => {
      const session = await freshSession();
      const cells = globalThis as { [key: symbol]: unknown };
      const seam = Symbol.for("blocklab.cell");
      const before = Object.getOwnPropertyDescriptor(globalThis, seam);
      const inCell = async <T>(id: string, work: () => PromiseLike<T>): Promise<T> => {
        const cell = { id, signal: new AbortController().signal };
        Object.defineProperty(cells, seam, { configurable: true, value: () => cell });
        return await work();
      };
      try {
        const one = await inCell("1", () => session.input("sample:iris").xy({ y: "species" }));
        const two = await inCell("2", () => session.split({ test_size: 0.2, random_state: 1 }));
        const again = await inCell("1", () => session.input("sample:iris").xy({ y: "species" }));
        expect(again.record.id).toBe(one.record.id);
        const edited = await inCell("1", () => session.input("sample:iris").xy({ y: "petal_width" }));
        expect(edited.record).toMatchObject({ block_id: 2, parent_id: 1 });
        expect((await session.blocks()).filter((state) => state.stale).map((state) => state.block_id)).toEqual([
          two.record.block_id,
        ]);
        const redone = await inCell("2", () => session.split({ test_size: 0.2, random_state: 1 }));
        expect(redone.record).toMatchObject({ block_id: 3, parent_id: 2 });
        const opening = () =>
          inCell("3", async () => {
            await session.project("opened by a cell");
            return await session.input("sample:iris").describe();
          });
        const opened = await opening();
        expect((await opening()).record.id).toBe(opened.record.id);
        expect(await session.blocks()).toHaveLength(2);
      } finally {
        if (before) Object.defineProperty(globalThis, seam, before);
        else delete cells[seam];
        await session.close();
      }
    });

    it("predicts with the last model, test rows first", async () => {
      const session = await freshSession();
      await expect(session.predict()).rejects.toThrow(/start with an input/);
      await session.input("sample:iris").xy({ y: "species" });
      await expect(session.metrics()).rejects.toThrow(/there is no model in this chain yet/);
      const predicted = await session.split({ test_size: 10, random_state: 0 }).logistic({ model_name: "m" }).predict();
      expect(await predicted.y_pred.rows()).toHaveLength(10);
      await expect(session.metrics({ model_name: "n" })).rejects.toThrow(/model "n" is not in the project/);
      await session.close();
    });
  });
});
