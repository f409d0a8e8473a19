// The tables of functions that expressions know, from the table that the service reads.
import { join } from "node:path";
import { root } from "./workshop.mjs";

const { functionCall, functionsByGroup } = await import(join(root, "dist/session/index.js"));

/** A table for each group of functions. */
export function functionTables() {
  return functionsByGroup()
    .map(({ title, functions }) => {
      const rows = functions.map(
        ({ name, help }) => `| ${code(functionCall(name))} | ${help.replaceAll("|", "\\|")} |`,
      );
      return [`### ${title}`, "", "| Written | What it answers |", "|---|---|", ...rows].join("\n");
    })
    .join("\n\n");
}

function code(text) {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
