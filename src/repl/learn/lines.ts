import { completeness } from "../../evaluator/completeness.ts";
import { type CellHost, Cells } from "../cells.ts";
import type { Done } from "../prompt-state.ts";
import { prompted } from "../prompted.ts";

/**
 * Takes somebody through a lesson without a terminal: prints lines, and reads them.
 *
 * An empty line does what enter does at the prompt: skips the question, runs the cell as it stands, goes on to the
 * next step. Ends with the lesson or the input.
 */
export async function lessonByLines(name: string, host: CellHost, lines: AsyncIterable<string>): Promise<void> {
  const cells = new Cells(host);
  let done = await cells.run(`:learn ${name}`);
  tellWants(done, host);
  let cell = "";
  for await (const line of lines) {
    if (cells.lesson === null) break;
    const isWhole = cell === "" && (done.asks || line.startsWith(":"));
    cell = cell === "" ? line : `${cell}\n${line}`;
    if (!isWhole && cell.trim() === "") cell = done.prefill ?? done.offers ?? "";
    if (!isWhole && (cell === "" || completeness(cell).status === "incomplete")) continue;
    if (!done.asks && !cell.startsWith(":")) host.print(`${prompted(cell)}\n`);
    done = await cells.run(cell);
    cell = "";
    if (done.isOver || cells.lesson === null) return;
    tellWants(done, host);
  }
  host.print(`\nThe progress is kept; blocklab learn ${name} goes on from here.\n`);
}

/** Says what an empty line would do. */
function tellWants({ asks, prefill, offers }: Done, host: CellHost): void {
  if (asks) host.print("? (a line with your answer, or an empty one to skip the question)\n");
  else if (prefill !== null)
    host.print(`${prompted(prefill, "| ").replaceAll("\n… ", "\n| ")}\n(an empty line runs it)\n`);
  else if (offers === ":next") host.print("(an empty line goes on to the next step)\n");
}
