import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { foreignNames, lacking } from "../../src/core/foreign-names.ts";
import { viewOf } from "../../src/core/view.ts";
import { allBlocks, declared } from "../../src/registry/index.ts";
import { toText } from "../../src/render/index.ts";
import { Chain, Result, Session } from "../../src/session/index.ts";
import { sessionTypes } from "../support/session-types.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-result-"));
const session = new Session(() => embeddedLink({ home, threads: 0 }));

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

describe("a result", () => {
  it("goes on: helpers run on its block, wherever the session is", async () => {
    await session.project("goes on");
    const iris = await session.input("sample:iris");
    await session.input("sample:penguins");
    const described = await iris.describe();
    expect(described.record.parent_id).toBe(iris.block);
    expect(session.last).toBe(described.block);
    const model = await iris.xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).naiveBayes();
    const { output } = await model.metrics({ metric: "accuracy" });
    expect(output).toMatchObject({ accuracy: expect.any(Number) });
    expect((await model.predict()).record.parent_id).toBe(model.block);
    expect((await iris.branch().info()).record.parent_id).toBe(iris.block);
  });

  it("of another project than the open one is refused in a sentence", async () => {
    await session.project("one");
    const one = await session.input([{ a: 1 }]);
    await session.project("two");
    await expect(one.describe()).rejects.toThrow(
      `block ${one.block} is of another project than the one that is open; open its project first, with session.project(name).`,
    );
  });

  it("keeps all of its own members besides the helpers", () => {
    for (const name of ["block", "record", "output", "dataset", "model", "branch", "sql", "code"]) {
      expect(declared.map((block) => block.name as string)).not.toContain(name);
    }
  });
});

describe("words of other libraries", () => {
  it("are none of ours, and lead to calls that begin with a helper", () => {
    const own = new Set(allBlocks.map(({ name }) => name));
    for (const [name, [helper, call]] of Object.entries(foreignNames)) {
      expect(own.has(name), name).toBe(false);
      expect(call.includes(helper), name).toBe(true);
    }
  });

  it("answer with ours when they are called, on a session, a chain and a result", async () => {
    await session.project("words");
    const result = await session.input("sample:iris");
    const message = 'There is no fillna() in blocklab. Here fillna is written missing({ strategy: "mean" }).';
    for (const each of [session, result, result.branch()]) {
      expect(() => (each as unknown as { fillna(): void }).fillna()).toThrow(message);
      expect(Object.keys(each)).not.toContain("fillna");
    }
    for (const each of [Session, Chain, Result]) expect("value_counts" in each.prototype).toBe(true);
  });

  it("answer with ours in the type error of a cell", { timeout: 60_000 }, () => {
    const types = sessionTypes();
    const said = (code: string) => types.fault(code)?.message;
    expect(said(`session.value_counts("city")`)).toContain(
      `Property 'value_counts' does not exist on type 'Session'. Here value_counts is written counts("city").`,
    );
    expect(said('(await session.input("a.csv")).fillna(0)')).toContain("Here fillna is written missing(");
    expect(said('session.misssing({ strategy: "mean" })')).toContain("Did you mean 'missing'?");
  });
});

describe("what is looked at by mistake", () => {
  it("says what it is, or what is there in its place", async () => {
    await session.project("looks");
    const result = await session.input("sample:iris");
    const said = (value: unknown) => (value as { [inspect.custom](): string })[inspect.custom]();
    expect(said(result.dataset.head)).toBe(
      'head is a method of a table; call it, as in table.head(…), or see help("table.head").',
    );
    expect(said(session.at)).toBe('at is a method of a session; call it, as in session.at(…), or see help("at").');
    expect(said((result as unknown as { left_join: unknown }).left_join)).toContain("Here left_join is written join(");
    const lacks = (value: unknown, name: string) => (value as { [lacking](name: string): string })[lacking](name);
    expect(lacks(result, "species")).toBe(
      'A result has no "species". A column\'s cells are await result.dataset.column("species").',
    );
    expect(lacks(result, "describ")).toContain('Did you mean "describe"?');
    expect(lacks(result.dataset, "0")).toBe('A table has no "0". Rows are read by await table.head() and .rows().');
    expect(lacks(session, "datset")).toMatch(/^A session has no "datset"\./);
  });

  it("a table answers to helpers with what they are called on", async () => {
    const { dataset } = await session.input("sample:iris");
    expect(() => (dataset as unknown as { describe(): void }).describe()).toThrow(
      "describe() is called on a result or a chain, not on its table: result.describe(…).",
    );
    expect(() => (dataset as unknown as { groupby(): void }).groupby()).toThrow("Here groupby is written summarize(");
  });
});

it("a helper that is looked at and not called says so", () => {
  const view = (session.describe as unknown as { [viewOf](): Parameters<typeof toText>[0] })[viewOf]();
  expect(toText(view, { width: 200 }).trim()).toMatch(
    /^describe \(DP_DSC\) is a helper; call it, as in session\..*, or see help\("describe"\)\.$/,
  );
});
