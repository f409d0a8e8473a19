import type { Completion, Completions } from "../evaluator/evaluator.ts";
import type { KeyPress } from "./keys.ts";

/** A completion menu. */
export interface Menu extends Completions {
  readonly items: readonly Completion[];
  readonly chosen: number;
}

/** What a key means to an open menu: another entry, taking the chosen one, or closing it. */
export function menuKey(menu: Menu, press: KeyPress): Menu | "take" | "close" {
  const step = stepOf(press);
  if (step !== 0) return { ...menu, chosen: (menu.chosen + step + menu.items.length) % menu.items.length };
  return press.name === "return" ? "take" : "close";
}

function stepOf({ name, shift }: KeyPress): -1 | 0 | 1 {
  if (name === "down" || (name === "tab" && !shift)) return 1;
  return name === "up" || name === "tab" ? -1 : 0;
}
