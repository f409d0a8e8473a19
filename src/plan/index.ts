export { type Checked, check, type Place, typeOf } from "./check.ts";
export {
  type CallExpr,
  type ColumnExpr,
  type Constant,
  type ConstantType,
  call,
  column,
  columnsRead,
  constantType,
  type Expr,
  isOfOneRow,
  itemsOf,
  type ListExpr,
  looksAlong,
  numberList,
  type Over,
  partsOf,
  type SortKey,
  type ValueExpr,
  value,
} from "./expr.ts";
export { callable, type FunctionName, type FunctionSpec, functions, synonyms, units } from "./functions.ts";
export { limits, type Parameters, type Parsed, parse } from "./parse.ts";
export type { Problem, Span, Spans } from "./problem.ts";
export { common, isNumeric, type Schema, typeWords, type ValueType } from "./types.ts";
