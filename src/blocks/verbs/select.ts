import { columnList, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { columnsNamed, type Frame } from "../../core/frame.ts";
import { listed } from "../../core/names.ts";
import { withStep } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { explainSelect } from "./explain.ts";
import { columnsOf } from "./keys.ts";

/** BL_SELECT. Keeps the named columns, in that order. Features and targets that are not among them are none any more. */
export const select = defineBlock({
  code: "BL_SELECT",
  name: "select",
  args: {
    /** The columns that stay, by name or index. */
    columns: columnList(),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").select("species", "body_mass_g")',
  explain: explainSelect,
  async run(frame, args, context) {
    const { id, name, code } = context.block;
    const names = columnsOf(frame, args.columns);
    if (names.length === 0) {
      throw new ArgsError(`${name} (${code}): columns names none; a table has one column at least.`, {
        path: "columns",
      });
    }
    const outputs = columnsNamed(frame.columns, names).map((column) => ({ column }));
    return { frame: withRolesAmong(withStep(frame, { block: id, name, outputs }), names) };
  },
  async view({ after }, read) {
    return stack(text(`Columns: ${listed(after.columns.map(({ name }) => name))}.`), await read.head(after));
  },
});

/** The frame with those of its roles that these columns have; no roles where none of the features is left. */
function withRolesAmong(frame: Frame, names: readonly string[]): Frame {
  const among = (role: readonly string[] | null) => role?.filter((name) => names.includes(name)) ?? null;
  const x = among(frame.x);
  return x?.length === 0 ? { ...frame, x: null, y: null } : { ...frame, x, y: among(frame.y) };
}
