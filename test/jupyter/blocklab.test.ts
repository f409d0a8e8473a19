import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installKernel, jupyterDataDir, kernelSpecDir, uninstallKernel } from "../../src/jupyter/install.ts";
import { Client, type Exchange, outline } from "./client.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start("./real-kernel.ts");
}, 30_000);
afterAll(() => client.close());

/** The cell's value by MIME type. */
function shown({ iopub }: Exchange): Record<string, unknown> {
  // A cast because the message's content comes as JSON.
  return iopub.find(({ header }) => header.msg_type === "execute_result")?.content.data as Record<string, unknown>;
}

/** The cell's value as text. */
const text = (exchange: Exchange): string => String(shown(exchange)["text/plain"]);

describe("a cell", () => {
  it("in TypeScript runs, with what earlier cells declared", async () => {
    await client.run("interface Point { x: number }\nconst points: Point[] = [{ x: 20 }, { x: 22 }]");
    expect(text(await client.run("points.reduce((sum, { x }) => sum + x, 0)"))).toBe("42");
  });

  it("has session in scope; a block renders as a table in HTML and in text", async () => {
    const exchange = await client.run('await session.input("sample:penguins")');
    expect(Object.keys(shown(exchange)).sort()).toEqual(["text/html", "text/plain"]);
    expect(text(exchange)).toContain("Torgersen");
    expect(shown(exchange)["text/html"]).toContain("<th");
  });

  it("that isn't awaited is awaited for it", async () => {
    expect(text(await client.run('session.input("sample:penguins")'))).toContain("344 rows, 7 columns");
  });

  it("draws a plot as Vega-Lite, SVG and text, without HTML that would hide it", async () => {
    const exchange = await client.run(
      'await session.input("sample:penguins").scatter("bill_length_mm", "bill_depth_mm")',
    );
    expect(Object.keys(shown(exchange)).sort()).toEqual([
      "application/vnd.vegalite.v5+json",
      "image/svg+xml",
      "text/plain",
    ]);
  });

  it("shows what tslab's display shows, and replaces it", async () => {
    const { iopub, reply } = await client.run(`import * as tslab from "tslab";
import { display } from "tslab";
tslab.display.html("<b>x</b>");
display.png(new Uint8Array([1, 2, 3]));
const own = tslab.newDisplay();
own.text("one");
own.text("two");
tslab.versions.node === process.version`);
    expect(reply.content.status).toBe("ok");
    const displays = iopub.filter(({ header }) => header.msg_type.endsWith("display_data"));
    expect(displays.map(({ header, content }) => [header.msg_type, content.data])).toEqual([
      ["display_data", { "text/html": "<b>x</b>" }],
      ["display_data", { "image/png": "AQID" }],
      ["display_data", { "text/plain": "one" }],
      ["update_display_data", { "text/plain": "two" }],
    ]);
    const ids = displays.map(({ content }) => (content.transient as { display_id?: string }).display_id);
    expect([ids[0], ids[2]]).toEqual([undefined, ids[3]]);
    expect(ids[2]).toMatch(/^[0-9a-f]{16}$/);
    await client.request("shell", "inspect_request", { code: "tslab.display.html", cursor_pos: 16 });
    const typo = await client.run('tslab.display.htm("x")');
    expect(typo.reply.content.evalue).toMatch(/Did you mean 'html'/);
  });

  it("that asks for a block wrongly is stopped by its types, with the right word", async () => {
    // The answer to a look at a name means that the types are at hand.
    await client.request("shell", "inspect_request", { code: "session.missing", cursor_pos: 12 });
    const { reply } = await client.run('await session.input("sample:penguins").mising()');
    expect(reply.content.evalue).toMatch(/missing/);
    const option = await client.run('await session.missing({ stategy: "mean" })');
    expect(option.reply.content.evalue).toBe(
      "Object literal may only specify known properties, but 'stategy' does not exist. Did you mean to write 'strategy'?",
    );
    const value = await client.run('await session.missing({ strategy: "maen" })');
    expect(value.reply.content.evalue).toMatch(/^Type '"maen"' is not assignable to type '"drop"? ?.{0,60}'\./);
  });

  it("knows the columns of the last block, of a variable, and of where it began when it runs again", async () => {
    const complete = async (code: string): Promise<unknown> =>
      (await client.request("shell", "complete_request", { code, cursor_pos: code.length })).reply.content.matches;
    const fault = async (code: string, id?: string) =>
      (await client.run(code, {}, id ? { cellId: id } : {})).reply.content.evalue;
    await client.run('await session.project("rows"); const birds = session.input("sample:penguins"); await birds');
    await client.request("shell", "inspect_request", { code: "session.missing", cursor_pos: 12 });
    expect(await complete("session.filter(d => d.bill_l")).toEqual(["bill_length_mm"]);
    await client.run('const flowers = await session.input("sample:iris")');
    expect(await complete("session.filter(d => d.petal_w")).toEqual(["petal_width"]);
    expect(await complete("birds.filter(d => d.bill_l")).toEqual(["bill_length_mm"]);
    expect(await complete('session.filter("petal_width > mea')).toEqual(["mean"]);
    expect(await complete('session.derive({ columns: { twice: "2 * petal_w')).toEqual(["petal_width"]);
    expect(await fault("await session.filter(d => d.petal_with > 1)")).toMatch(
      /column "petal_with" is not in the table\. Did you mean "petal_width"\?/,
    );
    expect(await fault("await birds.filter(d => d.petal_width > 1)")).toMatch(/column "petal_width" is not/);
    const derived = "await session.derive({ columns: { big: d => d.petal_width > 1 } })";
    expect(await fault(derived, "again")).toBeUndefined();
    expect(await fault('await session.select({ columns: ["big"] })')).toBeUndefined();
    expect(await fault("await session.filter(d => d.petal_width > 1)")).toMatch(/column "petal_width" is not/);
    expect(await fault(derived, "again")).toBeUndefined();
  });

  it("that was faster than the types is told what it means by the error itself", async () => {
    const failed = async (code: string) => (await client.run(code)).reply.content.evalue;
    expect(await failed("(session as any).mising()")).toBe('session.mising is not a function. Did you mean "missing"?');
    expect(await failed("(session as any).project('one').input('sample:iris')")).toBe(
      "session.project(...).input is not a function. What stands before it is a promise: put await before that, in a statement of its own.",
    );
    expect(await failed("const other: any = { own: 1 }; other.mising()")).toBe("other.mising is not a function");
  });

  it("that is a name and a question mark shows its help, of a value's own method too", async () => {
    await client.run('const asked = await session.input("sample:iris")');
    expect(text(await client.run("asked.dataset.page?"))).toMatch(/^table\.page\(options: PageOptions/);
    expect(text(await client.run("session.missing?"))).toMatch(/^missing \(DP_2\)/);
    const { reply } = await client.run("nosuchname?");
    expect(reply.content.evalue).toMatch(/^help: there is no block or method "nosuchname"/);
  });

  it("can't end the kernel by process.exit, also not from a timer", async () => {
    const { reply } = await client.run("process.exit(3)");
    expect(reply.content).toMatchObject({
      ename: "ExitRefused",
      evalue: expect.stringMatching(/^process\.exit would/),
    });
    const { iopub } = await client.run(
      "setTimeout(() => process.exit(), 1); await new Promise((r) => setTimeout(r, 50)); 5",
    );
    expect(outline(iopub).join()).toMatch(/stderr: Uncaught ExitRefused.*execute_result/s);
  });

  it("is called by the number beside it where an error came from", async () => {
    await client.request("shell", "inspect_request", { code: "session.missing", cursor_pos: 12 });
    // Stopped by its types, so it never ran, and yet has a number.
    await client.run("await session.mising()");
    const { reply } = await client.run("const broken: any = null;\nbroken.x");
    const frames = (reply.content.traceback as string[]).slice(1).join();
    expect(frames).toContain(`at cell ${String(reply.content.execution_count)}, line 2, column 8`);
  });

  it("that came before all blocks, as one above it had failed, begins where the session is when it runs again", async () => {
    await client.run('await session.project("begins")');
    const early = await client.run("await session.counts('species')", {}, { cellId: "early" });
    expect(early.reply.content.evalue).toMatch(/start a chain with input/);
    await client.run('await session.input("sample:penguins")', {}, { cellId: "above" });
    expect(text(await client.run("await session.counts('species')", {}, { cellId: "early" }))).toContain("Adelie");
  });

  it("that a block refuses shows its sentence, and the session goes on", async () => {
    const { reply } = await client.run('await session.input("sample:penguins").drop(["speces"])');
    expect(reply.content.evalue).toMatch(/"speces".*"species"/s);
    expect(text(await client.run("1 + 1"))).toBe("2");
  });

  it("imports the same session from blocklab", async () => {
    expect(text(await client.run('import { session as other } from "blocklab"; other === session'))).toBe("true");
  });

  it("run again replaces its own blocks, and unchanged ones answer from the cache", async () => {
    await client.run('session.project("rerun"); await session.input("sample:penguins")', {}, { cellId: "load" });
    const id = "shape";
    const first = await client.run("await session.drop(['sex']); (await session.blocks()).length", {}, { cellId: id });
    const again = await client.run(
      "await session.drop(['sex', 'island']); (await session.blocks()).length",
      {},
      { cellId: id },
    );
    const same = await client.run(
      "await session.drop(['sex', 'island']); (await session.blocks()).length",
      {},
      { cellId: id },
    );
    expect([text(first), text(again), text(same)]).toEqual(["2", "2", "2"]);
    await client.run("await session.info()", {}, { cellId: "later" });
    const seen = async (code: string) => text(await client.run(code, {}, { cellId: id }));
    expect(await seen("await session.drop(['sex', 'island'])")).toMatch(/^Run again: block 2 unchanged\.\n/);
    expect(await seen("await session.drop(['sex'])")).toMatch(
      /^Run again: block 2 replaced\. Block 3 is stale: run again\.\n/,
    );
  });

  it("tells its progress and can be interrupted in a block; what stood before still stands", async () => {
    // A project of its own for a second try: in the first one's, what had ended by then would be taken as it is.
    await client.run("session.project(`stop ${Math.random()}`)");
    await client.run('await session.input("sample:penguins").xy({ y: "species" }).split()');
    const cell = client.sendCell(
      "await session.missing('mode').encode({ columns: ['island','sex'] }).forestClassifier({ n_estimators: 100000 })",
    );
    await client.broadcast(cell, "update_display_data");
    await client.request("control", "interrupt_request");
    const { reply, iopub } = await client.finished(cell);
    expect(reply.content.ename).toMatch(/Interrupted|CancelledError/);
    const bars = iopub.filter(({ header }) => /display_data$/.test(header.msg_type));
    expect(outline(bars).slice(0, 2)).toEqual(["display_data", "update_display_data"]);
    expect(JSON.stringify(bars.at(-1)!.content.data)).toMatch(/[\d,]+ of 100,000/);
    expect(text(await client.run("await session.missing('mode').info()"))).toContain("344");
  });

  it("tells the progress of its own blocks below itself, whichever cell started the workers", async () => {
    const bars: string[] = [];
    for (const _ of ["first", "second"]) {
      await client.run("session.project(`own ${Math.random()}`)");
      await client.run('await session.input("sample:penguins").xy({ y: "species" }).split()');
      const seen = client.seen.length;
      const forest = `forestClassifier({ n_estimators: 100000, random_state: ${seen} })`;
      const code = `await session.missing("mode").encode({ columns: ["island", "sex"] }).${forest}`;
      const cell = client.sendCell(code);
      await client.until(() => client.seen.slice(seen).find(({ header }) => header.msg_type === "update_display_data"));
      await client.request("control", "interrupt_request");
      await client.finished(cell);
      const shown = client.seen.slice(seen).filter(({ header }) => /display_data$/.test(header.msg_type));
      bars.push(shown.every(({ parent }) => parent.msg_id === cell) ? "its own" : "another's");
    }
    expect(bars).toEqual(["its own", "its own"]);
  });

  it("in which an earlier one's timer loops is what an interrupt ends, and the loop with it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "blocklab-"));
    const [go, loops] = ["go", "loops"].map((name) => join(folder, name));
    const loop = `writeFileSync(${JSON.stringify(loops)}, ""); while (true) turns++`;
    const look = `if (existsSync(${JSON.stringify(go)})) { clearInterval(timer); ${loop} }`;
    const earlier = client.sendCell(
      `import { existsSync, writeFileSync } from "node:fs"; var turns = 0;
       const timer = setInterval(() => { ${look} }, 20); console.log("set"); await new Promise(() => {})`,
    );
    await client.broadcast(earlier, "stream");
    await client.request("control", "interrupt_request");
    await client.finished(earlier);
    const next = client.sendCell("await new Promise((resolve) => setTimeout(resolve, 30_000))");
    await client.broadcast(next, "execute_input");
    await new Promise((resolve) => setTimeout(resolve, 500));
    writeFileSync(go, "");
    await vi.waitUntil(() => existsSync(loops), 10_000);
    const [, { reply }] = await Promise.all([client.request("control", "interrupt_request"), client.finished(next)]);
    expect(reply.content.ename).toBe("Interrupted");
    const turns = text(await client.run("turns"));
    expect(Number(turns)).toBeGreaterThan(0);
    expect(text(await client.run("turns"))).toBe(turns);
    rmSync(folder, { recursive: true });
  });

  it("hears of the errors that nobody awaits, also after it ended, and where they came from", async () => {
    const code = "setTimeout(() => { throw new Error('thrown') }, 150);\nvoid (async () => { await 0; null.x })(); 0";
    const guilty = client.sendCell(code, {}, { cellId: "guilty" });
    const innocent = await client.run("await new Promise((resolve) => setTimeout(resolve, 300))");
    await client.finished(guilty);
    const said = (messages: readonly { content: Record<string, unknown> }[]) =>
      messages.filter(({ content }) => content.name === "stderr").map(({ content }) => content.text);
    expect(said(client.about(guilty)).join("")).toMatch(
      /Uncaught TypeError: Cannot read .*\n {2}at cell \d+, line 2, column \d+[\s\S]*Uncaught Error: thrown\n {2}at .*cell \d+, line 1, column 26/,
    );
    expect(said(innocent.iopub)).toEqual([]);
    expect(text(await client.run("1 + 1"))).toBe("2");
  });

  it("shows things on its way with show(), and empties its output with console.clear()", async () => {
    const code =
      'await session.input("sample:penguins").counts("species").show(); console.clear(); console.log("left"); 5';
    const { iopub } = await client.run(code);
    expect(outline(iopub).slice(2, -1)).toEqual(["display_data", "clear_output", "stdout: left\n", "execute_result"]);
    expect(iopub[3].content).toEqual({ wait: false });
  });

  it("shows a state record as a card with its artifacts, its JSON one click away", async () => {
    const exchange = await client.run(
      '(await session.input("sample:iris").xy({ y: "species" }).split().logistic()).record',
    );
    const html = String(shown(exchange)["text/html"]);
    expect(html).toContain("logistic (ML_CN_1)");
    expect(html).toMatch(/x_train[\s\S]*blocklab:\/\/\/api\/v1\/artifacts\//);
    expect(html).toMatch(
      /<details><summary[^>]*>Raw JSON<\/summary>[\s\S]*&quot;function_code&quot;: &quot;ML_CN_1&quot;/,
    );
    expect(text(exchange)).toMatch(/^Block \d+: logistic \(ML_CN_1\)\n\s*builds on\s+block \d+/);
    expect(text(await client.run("Object.keys((await session.info()).record).includes('block_id')"))).toBe("true");
  });

  it("looks at a page of a large table, sorted and searched where it lies", async () => {
    await client.run('const big = (await session.input("sample:penguins")).dataset');
    const page = async (options: string) => text(await client.run(`big.page(${options})`));
    const sorted = await page('{ sort: "body_mass_g", descending: true, rows: 3 }');
    expect(sorted).toMatch(/^dataset: 344 rows, by body_mass_g from the largest\n/);
    expect(sorted).toContain("6300");
    expect(sorted.match(/Gentoo/g)).toHaveLength(3);
    expect(await page('{ search: "dream", rows: 2, offset: 5 }')).toMatch(
      /^dataset: 124 rows with "dream", from row 6\n/,
    );
    const html = String(shown(await client.run("big.page({ rows: 300 })"))["text/html"]);
    expect(html.match(/<tr>/g)).toHaveLength(301);
    expect(html).toMatch(/overflow:auto;max-height/);
    expect((await client.run("big.page({ rows: 5000 })")).reply.content.evalue).toMatch(
      /^page: rows must be .* 1000, got 5000/,
    );
    expect((await client.run('big.page({ sort: "bodymass" })')).reply.content.evalue).toMatch(
      /"bodymass".*"body_mass_g"/s,
    );
  });

  it("asks a question with prompt()", async () => {
    const id = client.sendCell("`${await prompt('who? ')}!`");
    const question = await client.until(() =>
      client.replies.find(({ header, parent }) => header.msg_type === "input_request" && parent.msg_id === id),
    );
    expect(question.content).toEqual({ prompt: "who? ", password: false });
    client.send("stdin", "input_reply", { value: "Ada" });
    expect(text(await client.finished(id))).toBe("'Ada!'");
  });

  it("prints no key or password of an address", async () => {
    const { iopub } = await client.run(
      'await session.input("postgres://me:hunter2@127.0.0.1:1/db", { query: "select 1" })',
    );
    expect(outline(iopub)).toContain("error");
    expect(JSON.stringify(iopub.filter(({ header }) => header.msg_type !== "execute_input"))).not.toContain("hunter2");
  });
});

describe("completion", () => {
  it("knows the helpers, their arguments, the columns and the models at hand", async () => {
    await client.run(
      'await session.project("complete"); await session.input("sample:iris").xy({ y: "species" }).split().logistic({ model_name: "mine" })',
    );
    const complete = async (code: string): Promise<unknown> =>
      (await client.request("shell", "complete_request", { code, cursor_pos: code.length })).reply.content.matches;
    expect(await complete("session.forestCl")).toContain("forestClassifier");
    expect(await complete("session.missing({ stra")).toContain("strategy");
    expect(await complete('session.missing({ strategy: "me')).toEqual(expect.arrayContaining(["mean", "median"]));
    expect(await complete('session.drop(["petal_length", "sep')).toEqual(["sepal_length", "sepal_width"]);
    expect(await complete("session.predict({ model_name: '")).toEqual(["mine"]);
    expect(await complete('session.project("comp')).toEqual(["complete"]);
    expect(await complete('session.input("sample:pen')).toEqual(["sample:penguins"]);
    expect(await complete('session.input({ dburl: "test/jupyter/proto')).toEqual(["test/jupyter/protocol.test.ts"]);
    expect(await complete('session.input("./test/jup')).toEqual(["./test/jupyter/"]);
    expect(await complete('session.input("no/such/folder/')).toEqual([]);
  });

  it("inspects a helper with the help of its block", async () => {
    const code = "session.missing";
    const { reply } = await client.request("shell", "inspect_request", {
      code,
      cursor_pos: code.length,
      detail_level: 0,
    });
    const data = reply.content.data as Record<string, string>;
    expect(data["text/plain"]).toMatch(/DP_2[\s\S]*strategy/);
    // In Markdown each argument is an item of a list, its friendly name first.
    expect(data["text/markdown"]).toMatch(/^- `strategy`, `strategy_value`: .* {2}\n {2}\w/m);
    expect(data["text/markdown"]).toMatch(/^- `columns`, `boundaries`: /m);
    // Before the cursor stands a name, a call, an argument half typed; what follows may be broken.
    for (const before of [
      'await session.input("sample:iris").missing',
      "session.missing(",
      'session.missing({ strategy: "mean", ',
      'const f = (a => { session.missing({ columns: ["a", "b"], ',
    ]) {
      const asked = { code: `${before}\nif (x {`, cursor_pos: before.length, detail_level: 0 };
      const found = await client.request("shell", "inspect_request", asked);
      const words = (found.reply.content.data as Record<string, string>)["text/plain"];
      expect(words, before).toMatch(/^session\.missing\(…\) {2}\(DP_2\)/);
    }
  });
});

describe("the kernelspec", () => {
  it("goes to the user's folder, to an active environment, or where it is told to", () => {
    const env = { JUPYTER_DATA_DIR: "/data/jupyter", VIRTUAL_ENV: "/envs/one", CONDA_PREFIX: "/conda" };
    expect(kernelSpecDir({}, env)).toBe("/data/jupyter/kernels/blocklab");
    expect(kernelSpecDir({ user: true }, env)).toBe("/data/jupyter/kernels/blocklab");
    expect(kernelSpecDir({ sysPrefix: true }, env)).toBe("/envs/one/share/jupyter/kernels/blocklab");
    expect(kernelSpecDir({ sysPrefix: true }, { CONDA_PREFIX: "/conda" })).toMatch(/^\/conda\/share/);
    expect(kernelSpecDir({ prefix: "/usr" }, env)).toBe("/usr/share/jupyter/kernels/blocklab");
    expect(() => kernelSpecDir({ sysPrefix: true }, {})).toThrow(/needs an active Python environment/);
    expect(() => kernelSpecDir({ user: true, prefix: "/usr" }, env)).toThrow(/--user and --prefix exclude each other/);
    expect(jupyterDataDir({}, "darwin", "/me")).toBe("/me/Library/Jupyter");
    expect(jupyterDataDir({ XDG_DATA_HOME: "/x" }, "linux", "/me")).toBe("/x/jupyter");
    expect(jupyterDataDir({ APPDATA: "/a" }, "win32", "/me")).toBe("/a/jupyter");
  });

  it("is written where it is wanted, names what Jupyter shall start, and goes again", async () => {
    const prefix = mkdtempSync(join(tmpdir(), "blocklab-prefix-"));
    const folder = await installKernel({ prefix });
    const spec = JSON.parse(readFileSync(join(folder, "kernel.json"), "utf8")) as Record<string, unknown>;
    expect(spec).toMatchObject({ language: "typescript", interrupt_mode: "message" });
    expect(spec.argv).toEqual(expect.arrayContaining([process.execPath, "kernel", "start", "{connection_file}"]));
    expect(readFileSync(join(folder, "logo-64x64.png")).subarray(1, 4).toString()).toBe("PNG");
    await installKernel({ prefix, types: "all" });
    expect(readFileSync(join(folder, "kernel.json"), "utf8")).toMatch(/"--types",\s+"all"/);
    expect(await uninstallKernel({ prefix })).toBe(folder);
    expect(await uninstallKernel({ prefix })).toBeNull();
    rmSync(prefix, { recursive: true });
  });
});
