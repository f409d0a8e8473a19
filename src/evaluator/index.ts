export { createEvaluator, type EvaluatorOptions } from "./create.ts";
export { type Bundle, display } from "./display.ts";
export type { Evaluator } from "./evaluator.ts";
