import { fileURLToPath } from "node:url";
import typescript from "typescript";
import { CellTypes } from "../../src/evaluator/cell-types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What checks cells as a kernel does, with a session at hand. */
export function sessionTypes(): CellTypes {
  return new CellTypes(typescript, {
    check: "session",
    prelude: 'declare const session: import("blocklab").Session;',
    paths: { blocklab: `${root}src/index.ts` },
    cwd: root,
  });
}
