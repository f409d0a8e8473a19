import { type CallExpr, type Expr, partsOf } from "../plan/expr.ts";
import type { FunctionName } from "../plan/functions.ts";

/** Why an engine can't work an expression out: the function, what it lacks in one sentence, and the way out. */
export interface Refusal {
  readonly call: FunctionName | "sql";
  readonly message: string;
  readonly cure: string;
}

/** What every engine but DuckDB has against expressions of before. */
export const opaqueRefusal: Refusal = {
  call: "sql",
  message: "what this column is made of was stored by blocklab 0.1, in DuckDB's own SQL",
  cure: "Run the chain again.",
};

/** What an engine has against a call; null where it writes it. */
export type Objection = (call: CallExpr) => Omit<Refusal, "call"> | null;

/** All that an engine has against an expression, function by function. */
export function refusals(expr: Expr, objections: Partial<Readonly<Record<FunctionName, Objection>>>): Refusal[] {
  return [...partsOf(expr)].flatMap((part): Refusal[] => {
    if ("parts" in part) return [opaqueRefusal];
    const found = "call" in part ? objections[part.call]?.(part) : null;
    return found && "call" in part ? [{ call: part.call, ...found }] : [];
  });
}

/** Functions that an engine has no words for at all, and why. */
export type Refused<Name extends FunctionName> = Readonly<Record<Name, Omit<Refusal, "call">>>;

/** What there is against any call of these. */
export function alwaysRefused<Name extends FunctionName>(
  refused: Refused<Name>,
): Partial<Record<FunctionName, Objection>> {
  const entries = Object.entries<Omit<Refusal, "call">>(refused);
  return Object.fromEntries(entries.map(([name, why]) => [name, () => why]));
}

/** Writers of these: who asks for one nevertheless hears why. The cast gives back the names that `fromEntries` forgets. */
export function refusing<Name extends FunctionName>(refused: Refused<Name>): Readonly<Record<Name, () => never>> {
  const entries = Object.entries<Omit<Refusal, "call">>(refused);
  return Object.fromEntries(
    entries.map(([name, { message }]) => [
      name,
      () => {
        throw new Error(`${name}(): ${message}.`);
      },
    ]),
  ) as Record<Name, () => never>;
}
