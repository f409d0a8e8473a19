import type { Step } from "./node.ts";

const texts = new WeakMap<Step, string>();

/** A node as JSON. A chain's nodes are asked for with every block that comes behind them; each is written once. */
export function stepText(step: Step): string {
  const known = texts.get(step);
  if (known !== undefined) return known;
  const text = JSON.stringify(step);
  texts.set(step, text);
  return text;
}
