// A session in a data folder of its own, whose blocks are watched: what was asked, what came back, what it shows.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

const { createSession, help } = await import(join(root, "dist/index.js"));
const { toText } = await import(join(root, "dist/render/index.js"));
const { viewOf } = await import(join(root, "dist/core/view.js"));

const AsyncFunction = (async () => {}).constructor;

/** Runs lines of code on a session of their own. */
export class Workshop {
  #home = mkdtempSync(join(tmpdir(), "blocklab-docs-"));
  #session = createSession({ home: this.#home });
  #steps = [];
  #link;
  #projects = 0;

  async open() {
    this.#link = await this.#session.link;
    const run = this.#link.run.bind(this.#link);
    this.#link.run = async (request, options) => {
      const record = await run(request, options);
      this.#steps.push({ request, record });
      return record;
    };
    return this;
  }

  /** The blocks run since the last call of `fresh`, with the text that each shows. */
  async steps() {
    const shown = this.#steps.map(async ({ request, record }) => ({
      code: request.function_code,
      args: request.args,
      record,
      view: await this.#link.view(record.id),
    }));
    return (await Promise.all(shown)).map((step) => ({ ...step, text: toText(timeless(step.view)) }));
  }

  /** Goes on in an empty project. */
  async fresh() {
    this.#steps = [];
    this.#projects += 1;
    await this.#session.project(`page ${this.#projects}`);
  }

  /** Runs statements, the last of which may be an expression; answers its value, awaited, as text where it has a view. */
  async run(code, names = {}) {
    const scope = { session: this.#session, help, ...names };
    const value = await new AsyncFunction(...Object.keys(scope), withReturn(code))(...Object.values(scope));
    return value?.[viewOf] ? toText(await value[viewOf]()) : value;
  }

  /** Runs statements as they are. */
  async runAll(code, names) {
    const scope = { session: this.#session, help, folder: this.#home, ...names };
    await new AsyncFunction(...Object.keys(scope), code)(...Object.values(scope));
    await this.#session.settled();
  }

  /** A chain as it is, not yet awaited. */
  chain(code) {
    return new Function("session", `return [${code}]`)(this.#session)[0];
  }

  /** What a call is refused with. */
  async refusal(code) {
    try {
      await this.run(code);
    } catch (error) {
      if (typeof error.status === "number") return { status: error.status, message: error.message };
      throw error;
    }
    throw new Error(`expected to be refused, but it ran: ${code}`);
  }

  async close() {
    await this.#session.close();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** A view without how long something took, which is never the same twice. */
function timeless(view) {
  if (view.kind === "stack") return { ...view, views: view.views.map(timeless) };
  const at = view.kind === "table" ? view.columns.findIndex((column) => column.name === "seconds") : -1;
  return at < 0 ? view : { ...view, rows: view.rows.map((row) => row.with(at, null)) };
}

/** The last statement's value becomes the function's. */
function withReturn(code) {
  const lines = code.trim().split("\n");
  const start = lines.findLastIndex((line) => /^\S/.test(line) && !/^[.)}\]]/.test(line));
  if (/^(const|let|import|for|if)\b/.test(lines[start])) return code;
  return [...lines.slice(0, start), `return (${lines.slice(start).join("\n").replace(/;$/, "")}\n)`].join("\n");
}
