import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../notebooks/", import.meta.url));

/** The code of all notebooks, cell after cell. */
export const notebookCells: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".ipynb"))
  .flatMap((name) => {
    const book = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      cells: { cell_type: string; source: string[] }[];
    };
    return book.cells.filter((cell) => cell.cell_type === "code").map((cell) => cell.source.join(""));
  });
