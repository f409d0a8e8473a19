// Started by store.test.ts as a process of its own: takes a project, and holds it until it is killed.
import { writeFileSync } from "node:fs";
import { Store } from "../../src/store/store.ts";

const store = new Store(process.argv[2]);
const holder = store.tryClaim(1, 7);
writeFileSync(store.files.temporary(), "half");
process.send?.(holder);
setInterval(() => undefined, 1000);
