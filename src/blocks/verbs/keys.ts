import { ArgsError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { freshNames, quoted } from "../../core/names.ts";
import { resolveSlice, type Slice } from "../../core/slices.ts";
import { valueType } from "../../plan/column.ts";
import type { SortKey } from "../../plan/expr.ts";

type Columns = string | number | readonly (string | number)[];

function asList(wanted: Columns | undefined): readonly (string | number)[] {
  if (wanted === undefined) return [];
  return typeof wanted === "object" ? wanted : [wanted];
}

/** The columns of a table that are named, or numbered, each once; none where nothing is. */
export function columnsOf(frame: Frame, wanted: Columns | undefined): string[] {
  const all = frame.columns.map(({ name }) => name);
  const names = asList(wanted).map((each) => {
    if (typeof each === "string") return column(frame, each).name;
    const [name] = resolveSlice([each] as Slice, all, frame.rows).columns;
    return name;
  });
  return [...new Set(names)];
}

/** Keys to sort by: a column's name, with "-" before it from the greatest down. */
export function sortKeys(frame: Frame, wanted: Columns | undefined, who: string): SortKey[] {
  const names = new Set(frame.columns.map(({ name }) => name));
  const keys = asList(wanted).map((each): SortKey => {
    const descending = typeof each === "string" && each.startsWith("-") && !names.has(each);
    const [name] = columnsOf(frame, descending ? each.slice(1) : each);
    const found = column(frame, name);
    if (found.type === "tensor") {
      throw new ArgsError(`${who}: column ${quoted(name)} is an array, which has no order.`, { got: name });
    }
    return { column: name, type: valueType(found), ...(descending ? { descending } : {}) };
  });
  return keys;
}

/** A name for a new column: one that the table may have, or has already and gives up. */
export function checkedName(name: string, frame: Frame, who: string): string {
  const known = frame.columns.find((each) => each.name === name);
  if (known) return name;
  const [fresh] = freshNames(
    [name.trim() || "column"],
    frame.columns.map((each) => each.name),
  );
  if (fresh === name) return name;
  throw badName(name, fresh, who);
}

/** What is said of a name that no column can have; `fresh` is one that it could. */
export function badName(name: string, fresh: string, who: string, path?: string): ArgsError {
  return new ArgsError(
    `${who}: no column can be called ${quoted(name)}; a name is not empty, has no blanks around it, and differs from the others in more than its case. ${quoted(fresh)} would do.`,
    { ...(path === undefined ? {} : { path }), got: name },
  );
}
