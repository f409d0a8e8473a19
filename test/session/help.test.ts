import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { viewOf } from "../../src/core/view.ts";
import { createSession, help, type Session } from "../../src/index.ts";
import { declared } from "../../src/registry/index.ts";
import { toText } from "../../src/render/index.ts";
import { functionHelp } from "../../src/session/expression-help.ts";
import { expressionNames, helpAsked } from "../../src/session/index.ts";
import { methodNames } from "../../src/session/methods.ts";

const words = (subject?: unknown) => toText(help(subject)[viewOf](), { width: 200 });

describe("help", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-help-"));
  const session = createSession({ home });
  afterAll(async () => {
    await session.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("explains a method by itself, by its name, and by what it is called on", () => {
    const page = words(session.metrics);
    expect(page).toMatch(/^session\.metrics\(args: MetricsCall = \{\}\): Chain\n/);
    expect(page).toMatch(/Judges the last model/);
    expect(page).toMatch(/importance +number, optional|importance +number/);
    expect(page).toMatch(/Example: session\./);
    for (const name of ["metrics", "session.metrics"]) expect(words(name)).toBe(page);
    expect(words(session.input("sample:iris").branch)).toMatch(/^chain\.branch\(\): Chain/);
  });

  it("explains a method of what blocks answer", async () => {
    const { dataset } = await session.input("sample:iris");
    const page = words(dataset.page);
    expect(page).toMatch(/^table\.page\(options: PageOptions = \{\}\): Showable\n+Some rows/);
    expect(page).toMatch(/descending +boolean/);
    expect(words("Table.page")).toBe(page);
    expect(words("table.page.sort")).toMatch(/^sort, of page\(\)/);
  });

  it("lists the functions of expressions, and explains each with an example that runs", async () => {
    const all = words("expressions");
    for (const name of expressionNames) expect(all).toContain(`${name}(`);
    expect(all).toMatch(/a == b +Are both the same\?/);
    expect(all).not.toContain("hash32");
    expect(words("round")).toMatch(/^round\(x, digits\?\): a number, in expressions\n+Rounded/);
    expect(words("Math.min")).toMatch(/^least\(x, \.\.\.others\)/);
    // A block and a function.
    expect(words("slice")).toMatch(/BL_SLICE[\s\S]*slice\(x, from, to\?\): text, in expressions/);
    expect(() => help("roundd")).toThrow('Did you mean "round"?');
  });

  it.each(expressionNames)("shows %s at work in code that runs", async (name) => {
    const found = functionHelp(name);
    const run = new Function("session", `return ${found?.example}`) as (session: Session) => PromiseLike<unknown>;
    await run(session);
  });

  it("asks the types about a name that it doesn't know", async () => {
    const asked = async (signature: string | null) =>
      toText(
        (await helpAsked("m.x", async () => (signature === null ? null : { signature, docs: "Words." })))[viewOf](),
      );
    expect(await asked("(method) Table.save(path: string): Promise<void>")).toMatch(/^table\.save\(path: string/);
    expect(await asked("(property) missing: Helper<Declared<{}>>")).toMatch(/^missing \(DP_2\)/);
    expect(await asked("(property) own: number")).toBe("(property) own: number\n\nWords.");
    for (const nothing of [null, "any"]) await expect(asked(nothing)).rejects.toThrow('no block or method "m"');
  });

  it("explains one argument, by an alias as well, with the block's example", () => {
    expect(words("missing.strategy")).toMatch(
      /^strategy, of missing \(DP_2\)\n+strategy, strategy_value +"mean".* \(How a missing cell is filled/,
    );
    expect(help("split.test_size").example).toContain("test_size");
    expect(words("metrics.importance")).toMatch(/^importance, of metrics\(\)\n+.*Shuffles of each column/);
  });

  it("knows every argument of every block", () => {
    for (const block of declared) for (const name of Object.keys(block.args)) words(`${block.name}.${name}`);
  });

  it("says what there is instead of what there isn't", () => {
    expect(() => help("att")).toThrow('help: there is no block or method "att". Did you mean "at"? help() lists all.');
    expect(() => help("split.test_sise")).toThrow(
      'help: split has no argument "test_sise". Did you mean "test_size"? It takes ',
    );
    expect(() => help("models.x")).toThrow('help: models has no argument "x". It takes none.');
    expect(() => help("no.such")).toThrow('help: there is no block or method "no". ');
    expect(() => help(Math.max)).toThrow("help takes a helper such as session.missing, a method such as session.at");
  });

  it("lists every method beside the blocks", () => {
    const all = words();
    for (const name of methodNames) expect(all).toContain(`${name}()`);
  });

  it.each(methodNames)("has an example of %s that runs", async (name) => {
    const { example } = help(name);
    expect(example).toMatch(/^session\./);
    expect(example).toContain(`.${name}(`);
    // The example is code for people; running it is what Enter does.
    const run = new Function("session", `return ${example}`) as (session: Session) => unknown;
    await run(session);
  });
});
