import type { FunctionName } from "../../../plan/functions.ts";
import { sql } from "../../sql.ts";
import type { Argument, Writer } from "../../sql-calls.ts";
import { windowOver, windowWriters } from "../../sql-windows.ts";
import { divided } from "./operators.ts";
import { asDouble, fitting, ordered, real } from "./writing.ts";

/** Windows along rows. */
export const windows = {
  ...windowWriters({
    ordered,
    asDouble,
    summand: ({ sql: x }) => x,
    fitting,
    real,
  }),
  pctChange: ([x], around) => {
    const before: Argument = { ...x, sql: sql`lag(${x.sql}) ${windowOver(around, ordered)}` };
    // A column or a call, since a constant has no row before.
    return sql`(${divided(x, { ...before, expr: around.call })} - 1)`;
  },
} satisfies Partial<Record<FunctionName, Writer>>;
