import type { Evaluator } from "../evaluator/evaluator.ts";
import type { Check } from "./lesson.ts";

/** What came of a check. */
export interface Verdict {
  readonly check: Check;
  readonly holds: boolean;
  /** Why the expression could not be evaluated; null when it could. */
  readonly error: string | null;
}

/** Where a check finds the value of its cell and leaves its own. */
const seam = Symbol.for("blocklab.lesson");

/**
 * Evaluates checks in the scope of the cells, `_` being the value of the cell that has just run.
 *
 * They leave no result behind: `_` and `_3` stay what they were.
 */
export async function verdictsOn(
  value: unknown,
  checks: readonly Check[],
  evaluator: Evaluator,
  signal?: AbortSignal,
): Promise<Verdict[]> {
  const box: { value: unknown; answer?: unknown } = { value };
  const verdicts: Verdict[] = [];
  Object.defineProperty(globalThis, seam, { value: box, configurable: true });
  try {
    for (const check of checks) {
      box.answer = undefined;
      const result = await evaluator.run(codeOf(check), signal ? { signal } : {});
      const error = result.kind === "error" ? `${result.error.name}: ${result.error.message}` : null;
      verdicts.push({ check, holds: error === null && Boolean(box.answer), error });
    }
  } finally {
    Reflect.deleteProperty(globalThis, seam);
  }
  return verdicts;
}

/** The line break ends a comment that the expression may close with. */
function codeOf({ expr }: Check): string {
  const box = '(globalThis as any)[Symbol.for("blocklab.lesson")]';
  return `${box}.answer = await (async (_: any) => (${expr}\n))(${box}.value); undefined`;
}
