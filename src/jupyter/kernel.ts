import { existsSync } from "node:fs";
import { ArgsError } from "../core/errors.ts";
import { type NotebookWriter, notebookWriter } from "../core/notebook-writer.ts";
import { currentCell } from "../evaluator/output.ts";
import { strayWords } from "../evaluator/stray.ts";
import type { KernelHost, MakeHost } from "./host.ts";
import { ioOf, KernelServer } from "./server.ts";

/** A host that doesn't let go is left behind after this long: clients kill a kernel after 5 s. */
const closeTimeoutMs = 2_500;

async function closeHost(host: Promise<KernelHost>): Promise<void> {
  const closed = host.then((made) => made.close()).catch(() => undefined);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeTimeoutMs))]);
}

/** What the main thread must survive: a cell's forgotten promise is told to the cell, and no more. */
function surviveStrayErrors(tell: (text: string) => void): void {
  const report = (error: unknown): void => tell(strayWords(error));
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}

/** A cell that ends the process would take the notebook's names along; the kernel itself still can. */
function keepFromExiting(): void {
  const exit = process.exit.bind(process);
  process.exit = ((code?: number | string | null): never => {
    if (currentCell() === undefined) return exit(code);
    throw Object.assign(
      new Error("process.exit would end the kernel and all names with it. Restart it from the menu."),
      {
        name: "ExitRefused",
      },
    );
  }) as typeof process.exit;
}

/**
 * Runs the Jupyter kernel that a connection file describes, until a client shuts it down; then ends the process.
 *
 * kernel_info is answered at once; the host is made behind it. Cells find `prompt(text)` as a global.
 */
export async function runKernel(connectionFile: string, makeHost: MakeHost): Promise<never> {
  if (!existsSync(connectionFile)) {
    throw new ArgsError(
      `kernel start: the connection file "${connectionFile}" is not there. Jupyter writes it and passes it on.`,
    );
  }
  const shutdown = Promise.withResolvers<void>();
  const host = Promise.withResolvers<KernelHost>();
  const server = new KernelServer(connectionFile, host.promise, shutdown.resolve);
  const io = ioOf(server);
  surviveStrayErrors((text) => io.onOutput("stderr", text, undefined));
  process.on("SIGINT", () => server.executions.interrupt());
  process.on("SIGTERM", () => shutdown.resolve());
  keepFromExiting();
  await server.init();
  const display: NotebookWriter = (bundle, update) =>
    io.displayData(bundle, { displayId: bundle.transient?.display_id, update });
  Object.assign(globalThis, { prompt: io.prompt, [notebookWriter]: display });
  // A host that can't be made is told by each cell; the kernel stays to tell it.
  host.promise.catch(() => undefined);
  makeHost(io).then(host.resolve, host.reject);
  host.promise.then(
    () => server.setLoaded(),
    () => undefined,
  );
  await shutdown.promise;
  server.executions.interrupt();
  await closeHost(host.promise);
  await server.end();
  process.exit(0);
}
