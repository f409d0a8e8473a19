import type { Progress } from "../core/record.ts";
import type { Bundle } from "./bundle.ts";
import { escapeHtml } from "./html.ts";

/** The share that is done, from 0 to 1. */
export function shareDone({ done, total }: Progress): number {
  return total > 0 ? Math.min(1, done / total) : 0;
}

/** How far a block is, in words: "trees, 40 of 100, 3 s to go". */
export function progressWords({ phase, done, total, eta_ms }: Progress): string {
  const left = eta_ms === null || done >= total ? "" : `, ${Math.max(1, Math.round(eta_ms / 1000))} s to go`;
  return `${phase}, ${Math.floor(done).toLocaleString("en-US")} of ${total.toLocaleString("en-US")}${left}`;
}

/** How far a block is, as a bar for notebooks. */
export function progressBundle(progress: Progress): Bundle {
  const words = progressWords(progress);
  const share = shareDone(progress);
  const bar = `<progress value="${share.toFixed(3)}" max="1" aria-label="${escapeHtml(words)}"></progress>`;
  return {
    data: {
      "text/html": `<div class="blocklab" style="opacity:.75">${bar} ${escapeHtml(words)}</div>`,
      "text/plain": `${"█".repeat(Math.round(share * 20)).padEnd(20, "░")} ${words}`,
    },
    metadata: {},
  };
}
