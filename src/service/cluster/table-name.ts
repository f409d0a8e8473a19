import { ArgsError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import { quotedName } from "../../spark/index.ts";

const part = /(?:`((?:[^`]|``)+)`|([^`.\s]+))(\.|$)/y;

/** The parts of a table's name, `catalog.schema.table`; a part with dots or blanks stands between backticks. */
export function partsOfName(name: string): string[] {
  const parts: string[] = [];
  part.lastIndex = 0;
  for (let at = 0; at < name.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(name);
    if (!found || (found[3] === "." && part.lastIndex === name.length)) throw badName(name);
    parts.push(found[1]?.replaceAll("``", "`") ?? found[2]);
  }
  if (parts.length === 0) throw badName(name);
  return parts;
}

/** A table's name as Spark takes it, whatever its parts hold. */
export function quotedTable(name: string): string {
  return partsOfName(name).map(quotedName).join(".");
}

function badName(name: string): ArgsError {
  return new ArgsError(
    `input (DP_1): dburl must name a table of Spark as in "spark:schema.table" or "spark:catalog.schema.table", got ${quoted(name)}; a part with dots or blanks goes between backticks.`,
    { path: "dburl", got: name.slice(0, 200) },
  );
}
