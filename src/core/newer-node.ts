import { whyTooOld } from "./needs-node.ts";

// The first import of what programs import: with an older Node they'd fail somewhere inside, at the first use.
const why = whyTooOld(process.versions.node);
if (why) throw new Error(why);
