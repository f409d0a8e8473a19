import nodeModule, { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type ts from "typescript";
import { CellTypes } from "./cell-types.ts";
import type { Answer, Question, TypesOptions } from "./types-protocol.ts";

// A thread has no cache of compiled code unless it asks; without it the compiler is parsed anew each time.
nodeModule.enableCompileCache();
const port = parentPort!;
// Not by `import`, which has a module's names looked for first: 17 MB stay behind from that.
// A cast because require is untyped.
const typescript = createRequire(import.meta.url)("typescript") as typeof ts;
// A cast because worker data comes as it was sent, by types.ts alone.
const types = new CellTypes(typescript, workerData as TypesOptions);

function answer({ name, code, cursor, tables }: Question): unknown {
  try {
    return types[name](code, cursor, tables);
  } catch {
    // A checker that stumbles over a cell must not keep it from running.
    return null;
  }
}

port.on("message", (question: Question) => {
  port.postMessage({ id: question.id, result: answer(question) } satisfies Answer);
});

// The first question builds the program, which takes a second: ask it before anyone does.
types.fault("void 0", 0, {});
port.postMessage({ id: 0, result: null } satisfies Answer);
// The thread is ended from outside, which saves nothing.
nodeModule.flushCompileCache();
