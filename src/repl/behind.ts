import type { CellHost, Cells } from "./cells.ts";

/** What stands behind the prompt, in pieces that each take well under a tenth of a second; each needs those before it. */
const pieces: readonly (() => Promise<unknown>)[] = [
  () => import("../evaluator/completeness.ts"),
  () => import("zod"),
  () => import("../registry/index.ts"),
  () => import("../session/index.ts"),
  () => import("../render/index.ts"),
];

/** Loads what runs cells, once the prompt is drawn; between two pieces, keys that were typed meanwhile are drawn. */
export async function loadCells(host: CellHost): Promise<Cells> {
  for (const piece of pieces) {
    await keysDrawn();
    await piece();
  }
  await keysDrawn();
  const { Cells } = await import("./cells.ts");
  await keysDrawn();
  return new Cells(host);
}

/** Lets the event loop turn: the terminal is read, and what changed is drawn. */
async function keysDrawn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
