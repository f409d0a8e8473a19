import { randomUUID } from "node:crypto";
import type { Progress } from "../core/record.ts";
import { progressBundle } from "../render/index.ts";
import type { KernelIO } from "./host.ts";

/** A block that is done before this needs no bar. */
const patienceMs = 700;

/** Shows the progress of a cell's blocks in one bar, which advances in place and goes with the cell's end. */
export function progressBar(io: Pick<KernelIO, "displayData" | "runningCell">): (progress: Progress) => void {
  let shown = { cell: 0, block: 0, began: 0, displayId: "" };
  return (progress) => {
    const cell = io.runningCell();
    if (cell !== shown.cell) shown = { cell, block: progress.block, began: performance.now(), displayId: "" };
    // The bar of a block before it goes on as this one's.
    else if (progress.block !== shown.block) shown = { ...shown, block: progress.block, began: performance.now() };
    const update = shown.displayId !== "";
    if (!update && performance.now() - shown.began < patienceMs) return;
    shown.displayId ||= randomUUID();
    io.displayData(progressBundle(progress), { displayId: shown.displayId, update, passing: true });
  };
}
