import { passedOn, sourcesOf } from "./lineage.ts";
import type { Output, Step } from "./node.ts";

/** Up to so many steps a plan is written as it ran. */
const fewSteps = 16;

/**
 * The steps of a long plan as fewer ones that make the same columns.
 *
 * The engine's work on a query grows faster than its depth: hundreds of steps that each scale one column took seconds.
 * A step joins the one before it where it reads nothing that one makes; one that only hands columns on always does.
 */
export function shortened(steps: readonly Step[]): readonly Step[] {
  if (steps.length <= fewSteps) return steps;
  const short: Step[] = [];
  for (const step of steps) {
    const before = short.at(-1);
    const outputs = before && isPlain(before) && isPlain(step) ? joined(before.outputs, step.outputs) : null;
    if (outputs) short[short.length - 1] = { ...step, outputs };
    else short.push(step);
  }
  return short;
}

/** Has it the rows of the step before it, and nothing else to look at? */
function isPlain({ rows, kept, sideTable, split }: Step): boolean {
  return rows === undefined && !kept && !sideTable && !split;
}

/** Later outputs over the columns before the earlier ones; null where one of them reads what is made just before. */
function joined(earlier: readonly Output[], later: readonly Output[]): Output[] | null {
  const before = new Map(earlier.map((output) => [output.column.name, output]));
  const isAsItWas = (name: string) => {
    const output = before.get(name);
    return output === undefined || passedOn(output) === name;
  };
  const taken = new Set<string>();
  const found: Output[] = [];
  for (const output of later) {
    const passed = passedOn(output);
    const made = passed === null ? undefined : before.get(passed);
    if (made && passed !== null) {
      // Under two names it would be made twice.
      if (taken.has(passed) && !isAsItWas(passed)) return null;
      taken.add(passed);
      found.push(isAsItWas(passed) ? output : { ...made, column: output.column });
    } else if (sourcesOf(output).every(isAsItWas)) found.push(output);
    else return null;
  }
  return found;
}
