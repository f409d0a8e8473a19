import { readFileSync } from "node:fs";
import type { Completion } from "../evaluator/evaluator.ts";
import type { KernelHost } from "./host.ts";
import { toCursor, toIndex } from "./positions.ts";
import { errorContent, errorOf } from "./traceback.ts";
import type { CompleteReply, InspectReply, IsCompleteReply, KernelInfoReply } from "./tslab.ts";
import { jupyter } from "./tslab-jupyter.ts";
import { protocolVersion } from "./wire.ts";

type Content = Readonly<Record<string, unknown>>;

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  // A cast because the file is our own.
  return (JSON.parse(text) as { version: string }).version;
}

/** Answers that need no cell to run: tslab's handler with an evaluator in place of its executor. */
export class Handler extends jupyter.JupyterHandlerImpl {
  readonly #host: Promise<KernelHost>;
  #banner = "blocklab: TypeScript notebooks for data and machine learning";

  constructor(host: Promise<KernelHost>) {
    super(null, false);
    this.#host = host;
    host.then(
      ({ banner }) => {
        this.#banner = banner;
      },
      () => undefined,
    );
  }

  /** Who the kernel is. Ready before the host is loaded, since a client waits for it first. */
  override handleKernel(): KernelInfoReply & Record<string, unknown> {
    const base = super.handleKernel();
    return {
      ...base,
      status: "ok",
      protocol_version: protocolVersion,
      implementation: "blocklab",
      implementation_version: packageVersion(),
      language_info: {
        ...base.language_info,
        version: process.versions.node,
        pygments_lexer: "typescript",
        nbconvert_exporter: "script",
      },
      banner: this.#banner,
      debugger: false,
      supported_features: [],
    };
  }

  /** The evaluator belongs to the host, which is closed elsewhere. */
  override close(): void {}

  /** Completions, with the kinds and signatures JupyterLab can show. */
  async complete({ code, cursor_pos }: Content): Promise<CompleteReply> {
    const text = String(code ?? "");
    const { evaluator } = await this.#host;
    const found = await evaluator.complete(text, toIndex(text, Number(cursor_pos ?? text.length)));
    const [start, end] = [toCursor(text, found.start), toCursor(text, found.end)];
    const described = (item: Completion): Record<string, unknown> => ({
      start,
      end,
      text: item.text,
      type: item.kind,
      signature: item.detail ?? "",
    });
    return {
      status: "ok",
      cursor_start: start,
      cursor_end: end,
      matches: found.items.map((item) => item.text),
      metadata: { _jupyter_types_experimental: found.items.map(described) },
    };
  }

  /** What is known about the name at the cursor. */
  async inspect({ code, cursor_pos }: Content): Promise<InspectReply> {
    const text = String(code ?? "");
    const { evaluator } = await this.#host;
    const found = await evaluator.inspect(text, toIndex(text, Number(cursor_pos ?? text.length)));
    if (!found) return { status: "ok", found: false, data: {}, metadata: {} };
    const { signature, docs, markdown = docs } = found;
    const fence = "`".repeat(Math.max(3, ...[...signature.matchAll(/`+/g)].map(([run]) => run.length + 1)));
    const data = {
      "text/plain": [signature, docs].filter(Boolean).join("\n\n"),
      "text/markdown": [`${fence}ts\n${signature}\n${fence}`, markdown].filter(Boolean).join("\n\n"),
    };
    return { status: "ok", found: true, data, metadata: {} };
  }

  /** Whether a console should run the text or ask for another line. */
  async isComplete({ code }: Content): Promise<IsCompleteReply> {
    return (await this.#host).evaluator.isComplete(String(code ?? ""));
  }

  /** The reply to a request that failed. */
  failure(error: unknown): Record<string, unknown> {
    return { status: "error", ...errorContent(errorOf(error)) };
  }
}
