import { Session } from "node:inspector";
import type { CellResult, Evaluator } from "../../src/evaluator/evaluator.ts";
import type { KernelHost, KernelIO } from "../../src/jupyter/host.ts";

interface Evaluated {
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

function resultOf(failure: Error | null, evaluated: Evaluated | undefined): CellResult {
  const details = evaluated?.exceptionDetails;
  if (!failure && !details) return { kind: "value", value: Reflect.get(globalThis, "value") };
  const text = failure?.message ?? details?.exception?.description?.split("\n")[0] ?? details!.text;
  const [, name = "Error", message = text] = /^(\w*Error): ([\s\S]*)$/.exec(text) ?? [];
  return { kind: "error", error: { name, message, trace: ["    at cell:1:1"], cause: failure } };
}

/** An evaluator for protocol tests: a cell is the body of an async function, its value is what it returns. */
export class FakeEvaluator implements Evaluator {
  readonly #session = new Session();
  #stop: ((result: CellResult) => void) | null = null;

  constructor() {
    this.#session.connect();
  }

  run(code: string, options: { cellId?: string } = {}): Promise<CellResult> {
    const expression = `(async () => { value = await (async (cellId) => { ${code}\n })(${JSON.stringify(options.cellId)}) })()`;
    return new Promise((resolve) => {
      this.#stop = resolve;
      this.#session.post("Runtime.evaluate", { expression, awaitPromise: true }, (failure, evaluated) =>
        resolve(resultOf(failure, evaluated)),
      );
    });
  }

  async complete(code: string, cursor: number) {
    const word = /\w*$/.exec(code.slice(0, cursor))![0];
    return {
      start: cursor - word.length,
      end: cursor,
      items: [{ text: `${word}Name`, kind: "const", detail: "number" }],
    };
  }

  async inspect(code: string, cursor: number) {
    const word = /\w*$/.exec(code.slice(0, cursor))![0];
    return word === "" ? null : { signature: `const ${word}: number`, docs: `All about ${word}.` };
  }

  preview() {
    return null;
  }

  variables() {
    return [];
  }

  isComplete(code: string) {
    if (code.endsWith("{")) return { status: "incomplete", indent: "  " } as const;
    return { status: code.includes("}}") ? "invalid" : "complete" } as const;
  }

  interrupt(): void {
    const error = { name: "Interrupted", message: "the cell was interrupted", trace: [], cause: null };
    this.#stop?.({ kind: "error", error });
  }

  async close(): Promise<void> {
    this.#session.disconnect();
  }
}

/** A host whose values show as text; `{bundles: [...]}` shows as those bundles. */
export async function makeFakeHost(io: KernelIO): Promise<KernelHost> {
  const print = (text: string, cellId?: string): void => io.onOutput("stdout", text, cellId);
  const warn = (text: string): void => io.onOutput("stderr", text, undefined);
  Object.assign(globalThis, { io, print, warn, value: undefined });
  await new Promise((loaded) => setTimeout(loaded, Number(process.env.BLOCKLAB_FAKE_LOAD_MS ?? 0)));
  return {
    evaluator: new FakeEvaluator(),
    banner: "a fake host",
    async display(value) {
      const given = (value as { bundles?: { data: Record<string, unknown> }[] } | null)?.bundles;
      return given ?? [{ data: { "text/plain": JSON.stringify(value) } }];
    },
    close: async () => undefined,
  };
}
