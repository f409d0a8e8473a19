import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, outline } from "./client.ts";

let client: Client;
beforeAll(async () => {
  client = await Client.start();
}, 30_000);
afterAll(() => client.close());

const ok = { status: "ok" };

describe("a cell", () => {
  it("is told of in the order of the protocol: busy, input, what it printed, its value, idle", async () => {
    const { reply, iopub } = await client.run("print('one'); print('two\\n'); return 6 * 7");
    expect(outline(iopub)).toEqual(["busy", "execute_input", "stdout: one", "stdout: two\n", "execute_result", "idle"]);
    const [, input, , , result] = iopub;
    expect(input.content.code).toContain("return 6 * 7");
    expect(result.content).toMatchObject({
      data: { "text/plain": "42" },
      execution_count: input.content.execution_count,
    });
    expect(reply.content).toMatchObject({ ...ok, execution_count: input.content.execution_count });
  });

  it("without a value shows no result", async () => {
    const { iopub } = await client.run("return undefined");
    expect(outline(iopub)).toEqual(["busy", "execute_input", "idle"]);
  });

  it("that throws is an error message with a coloured traceback, and an error reply", async () => {
    const { reply, iopub } = await client.run("throw new RangeError('too far')");
    const error = iopub.find(({ header }) => header.msg_type === "error")!;
    expect(error.content).toMatchObject({ ename: "RangeError", evalue: "too far" });
    expect((error.content.traceback as string[])[0]).toBe("\u001b[31mRangeError\u001b[39m: too far");
    expect(reply.content).toMatchObject({ status: "error", ename: "RangeError" });
  });

  it("shows several bundles as displays and the last as the result; bytes travel as base64", async () => {
    const { iopub } = await client.run(
      "return { bundles: [{ data: { 'image/png': new Uint8Array([1, 2, 3]) } }, { data: { 'text/plain': 'end' } }] }",
    );
    const shown = iopub.filter(({ header }) => /display_data|result/.test(header.msg_type));
    expect(outline(shown)).toEqual(["display_data", "execute_result"]);
    expect(shown[0].content.data).toEqual({ "image/png": "AQID" });
  });

  it("that is silent is neither counted nor seen", async () => {
    const before = await client.run("return 1");
    const { iopub } = await client.run("print('unheard'); return 2", { silent: true });
    expect(outline(iopub)).toEqual(["busy", "idle"]);
    const after = await client.run("return 3");
    expect(after.reply.content.execution_count).toBe((before.reply.content.execution_count as number) + 1);
  });

  it("hears its id, and its later output finds back to it", async () => {
    const early = client.sendCell(
      "setTimeout(() => io.onOutput('stdout', 'late', cellId), 150); return cellId",
      {},
      {
        cellId: "cell-a",
      },
    );
    const { iopub } = await client.finished(early);
    expect(iopub.find(({ header }) => header.msg_type === "execute_result")?.content.data).toEqual({
      "text/plain": '"cell-a"',
    });
    await client.run("return 'another cell'", {}, { cellId: "cell-b" });
    const late = await client.broadcast(early, "stream");
    expect(late.content).toEqual({ name: "stdout", text: "late" });
  });

  it("updates a display in place, and clears its output", async () => {
    const { iopub } = await client.run(
      "const b = (t) => ({ data: { 'text/plain': t } }); io.displayData(b('1'), { displayId: 'p' }); io.displayData(b('2'), { displayId: 'p', update: true }); io.clearOutput(true)",
    );
    expect(outline(iopub).slice(2, -1)).toEqual(["display_data", "update_display_data", "clear_output"]);
    expect(iopub[3].content).toMatchObject({ transient: { display_id: "p" }, data: { "text/plain": "2" } });
    expect(iopub[4].content).toEqual({ wait: true });
  });

  it("takes away what was shown in passing when the cell is done, and shows the rest again", async () => {
    const { iopub } = await client.run(
      "const b = (t) => ({ data: { 'text/plain': t } }); const bar = (t, update) => io.displayData(b(t), { displayId: 'bar', update, passing: true }); io.displayData(b('kept'), { displayId: 'own' }); bar('10 %', false); io.onOutput('stdout', 'a line\\n', cellId); bar('20 %', true); io.displayData(b('kept too'), { displayId: 'own', update: true }); return 7",
    );
    const outputs = iopub.filter(({ header }) => !["status", "execute_input"].includes(header.msg_type));
    const cleared = outputs.findIndex(({ header }) => header.msg_type === "clear_output");
    expect(outputs[cleared].content).toEqual({ wait: false });
    const after = outputs.slice(cleared + 1);
    expect(after.map(({ header, content }) => [header.msg_type, content.text ?? content.data])).toEqual([
      ["display_data", { "text/plain": "kept" }],
      ["stream", "a line\n"],
      ["update_display_data", { "text/plain": "kept too" }],
      ["execute_result", { "text/plain": "7" }],
    ]);
    expect(JSON.stringify(after)).not.toContain("bar");
  });

  it("answers user_expressions, each error kept to itself", async () => {
    const { reply } = await client.run("return 1", {
      user_expressions: { good: "return 2", bad: "throw new Error('no')" },
    });
    expect(reply.content.user_expressions).toMatchObject({
      good: { ...ok, data: { "text/plain": "2" } },
      bad: { status: "error", evalue: "no" },
    });
  });

  it("asks for a line, and gets it", async () => {
    const id = client.sendCell("return await prompt('name? ')");
    const question = await client.until(() =>
      client.replies.find(({ header, parent }) => header.msg_type === "input_request" && parent.msg_id === id),
    );
    expect(question.content).toEqual({ prompt: "name? ", password: false });
    client.send("stdin", "input_reply", { value: "Ada" });
    const { iopub } = await client.finished(id);
    expect(iopub.at(-2)?.content.data).toEqual({ "text/plain": '"Ada"' });
  });

  it("is refused a question by a front end that can't ask", async () => {
    const { reply } = await client.run("return await prompt('name? ')", { allow_stdin: false });
    expect(reply.content.status).toBe("error");
    expect(reply.content.evalue).toMatch(/^prompt: /);
  });

  it("that fails aborts the ones queued behind it, and none that comes later", async () => {
    const ids = [
      "await new Promise((run) => setTimeout(run, 50)); throw new Error('first')",
      "return 'second'",
      "return 'third'",
    ].map((code) => client.sendCell(code));
    const replies = await Promise.all(ids.map((id) => client.finished(id)));
    expect(replies.map(({ reply }) => reply.content.status)).toEqual(["error", "aborted", "aborted"]);
    expect((await client.run("return 'later'")).reply.content.status).toBe("ok");
  });
});

describe("an interrupt", () => {
  /** The milliseconds from the interrupt to the cell's reply. */
  async function stop(code: string): Promise<{ ms: number; evalue: unknown }> {
    const id = client.sendCell(code);
    await client.broadcast(id, "execute_input");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    const [asked, cell] = await Promise.all([client.request("control", "interrupt_request"), client.finished(id)]);
    expect(asked.reply.content).toMatchObject(ok);
    expect(cell.reply.content.status).toBe("error");
    return { ms: performance.now() - started, evalue: cell.reply.content.evalue };
  }

  it.each([
    ["a long await", "await new Promise(() => {})"],
    ["a loop", "while (true) {}"],
    ["a loop after an await", "await 1; while (true) {}"],
    ["a loop inside a timer's callback", "await new Promise(() => setTimeout(() => { while (true) {} }, 1))"],
    ["a question", "await prompt('?')"],
  ])("ends %s, and the kernel goes on", async (_, code) => {
    await stop(code);
    const { iopub } = await client.run("return 'alive'");
    expect(iopub.find(({ header }) => header.msg_type === "execute_result")?.content.data).toEqual({
      "text/plain": '"alive"',
    });
  });

  it.each(["while (true) {}", "await new Promise(() => {})"])(
    "that comes before the host is loaded ends %s",
    async (code) => {
      process.env.BLOCKLAB_FAKE_LOAD_MS = "800";
      const early = await Client.start().finally(() => delete process.env.BLOCKLAB_FAKE_LOAD_MS);
      try {
        const id = early.sendCell(code);
        await early.broadcast(id, "execute_input");
        const [, { reply }] = await Promise.all([early.request("control", "interrupt_request"), early.finished(id)]);
        expect(reply.content).toMatchObject({ status: "error", ename: "Interrupted" });
        expect((await early.run("return 1")).reply.content.status).toBe("ok");
      } finally {
        await early.close();
      }
    },
  );

  it("with nothing running is answered and changes nothing", async () => {
    expect((await client.request("control", "interrupt_request")).reply.content).toMatchObject(ok);
    expect((await client.run("return 1")).reply.content.status).toBe("ok");
  });
});

describe("questions about code", () => {
  it("completes, with places counted in characters as Python counts them", async () => {
    const { reply } = await client.request("shell", "complete_request", { code: "'🙂'; na", cursor_pos: 7 });
    expect(reply.content).toMatchObject({ ...ok, matches: ["naName"], cursor_start: 5, cursor_end: 7 });
    expect(reply.content.metadata).toMatchObject({
      _jupyter_types_experimental: [{ text: "naName", type: "const", signature: "number", start: 5, end: 7 }],
    });
  });

  it("inspects a name, and says when there is none", async () => {
    const found = await client.request("shell", "inspect_request", { code: "abc", cursor_pos: 3, detail_level: 0 });
    expect(found.reply.content).toMatchObject({
      found: true,
      data: { "text/plain": "const abc: number\n\nAll about abc." },
    });
    const none = await client.request("shell", "inspect_request", { code: " ", cursor_pos: 1, detail_level: 0 });
    expect(none.reply.content).toMatchObject({ ...ok, found: false });
  });

  it.each([
    ["f(", "complete"],
    ["if (a) {", "incomplete"],
    ["}}", "invalid"],
  ])("says of %j that it is %s", async (code, status) => {
    expect((await client.request("shell", "is_complete_request", { code })).reply.content.status).toBe(status);
  });

  it("answers history by tail, range and pattern", async () => {
    await client.run("return 'needle 1'");
    await client.run("return 'needle 2'");
    const ask = async (content: Record<string, unknown>) =>
      (await client.request("shell", "history_request", { output: false, raw: true, ...content })).reply.content
        .history as unknown[][];
    expect((await ask({ hist_access_type: "tail", n: 1 })).map((row) => row[2])).toEqual(["return 'needle 2'"]);
    const found = await ask({ hist_access_type: "search", pattern: "*needle*", n: 10, unique: true });
    expect(found.map((row) => row[2])).toEqual(["return 'needle 1'", "return 'needle 2'"]);
    const line = found[0][1] as number;
    const ranged = await ask({ hist_access_type: "range", session: 0, start: line, stop: line + 1, output: true });
    expect(ranged).toEqual([[0, line, ["return 'needle 1'", '"needle 1"']]]);
  });
});

describe("the kernel itself", () => {
  it("says who it is in protocol 5.4, and claims no subshells", async () => {
    const { reply } = await client.request("shell", "kernel_info_request");
    expect(reply.content).toMatchObject({
      ...ok,
      protocol_version: "5.4",
      implementation: "blocklab",
      language_info: { name: "typescript", file_extension: ".ts" },
      supported_features: [],
    });
  });

  it("has no comms, and closes one that is opened", async () => {
    expect((await client.request("shell", "comm_info_request")).reply.content).toMatchObject({ ...ok, comms: {} });
    const id = client.send("shell", "comm_open", { comm_id: "c1", target_name: "nobody", data: {} });
    expect((await client.broadcast(id, "comm_close")).content.comm_id).toBe("c1");
  });

  it("beats its heart, also during a loop", async () => {
    const id = client.sendCell("while (true) {}");
    await client.broadcast(id, "execute_input");
    await client.heartbeat.send("ping");
    expect(String((await client.heartbeat.receive())[0])).toBe("ping");
    await client.request("control", "interrupt_request");
    await client.finished(id);
  });

  it("drops messages with a wrong signature without a word", async () => {
    const seen = client.seen.length;
    const id = client.send("shell", "execute_request", { code: "print('forged')" }, {}, randomUUID());
    await client.run("return 1");
    expect(client.about(id)).toEqual([]);
    expect(client.seen.length).toBeGreaterThan(seen);
  });

  it("answers a request it doesn't know with nothing but its status", async () => {
    const id = client.send("shell", "no_such_request");
    await client.until(() => client.about(id).find(({ content }) => content.execution_state === "idle"));
    expect(client.replies.filter(({ parent }) => parent.msg_id === id)).toEqual([]);
  });

  it("shuts down when asked, also in the middle of a loop, and says whether it will restart", async () => {
    const other = await Client.start();
    const id = other.sendCell("while (true) {}");
    await other.broadcast(id, "execute_input");
    other.send("control", "shutdown_request", { restart: true });
    const reply = await other.until(() => other.replies.find(({ header }) => header.msg_type === "shutdown_reply"));
    expect(reply.content).toMatchObject({ ...ok, restart: true });
    expect(await other.ended()).toBe(0);
    await other.close();
  }, 30_000);
});
