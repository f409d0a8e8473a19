export { allBlocks, type Blocks, byCode, byName, declared } from "./catalogue.ts";
export { explanationOf } from "./explain.ts";
export { type ArgumentHelp, argumentView, type BlockHelp, helpOf, helpView, jsonSchema, overview } from "./help.ts";
export { short, validateArgs } from "./validate.ts";
