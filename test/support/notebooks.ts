import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromLines, parseNotebook } from "../../src/notebooks/ipynb.ts";

const folder = fileURLToPath(new URL("../../notebooks/", import.meta.url));

/** The code of each notebook, cell after cell. */
export const notebooks: readonly { readonly file: string; readonly cells: readonly string[] }[] = readdirSync(folder)
  .filter((name) => name.endsWith(".ipynb"))
  .map((file) => {
    const { cells } = parseNotebook(readFileSync(join(folder, file), "utf8"), file);
    return { file, cells: cells.filter((cell) => cell.cell_type === "code").map((cell) => fromLines(cell.source)) };
  });

/** All of it. */
export const notebookCells: readonly string[] = notebooks.flatMap(({ cells }) => cells);
