export { Chain } from "./chain.ts";
export { Comparison } from "./compare.ts";
export { HelpPage, help } from "./help.ts";
export type { Helper, Helpers, Options } from "./helpers.ts";
export { Model } from "./model.ts";
export { setPrinter } from "./print.ts";
export { Result } from "./result.ts";
export { type BlockRun, Session } from "./session.ts";
export { Table } from "./table.ts";
