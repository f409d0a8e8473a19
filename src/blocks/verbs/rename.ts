import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { series } from "../../core/explanation.ts";
import { cell, column } from "../../core/frame.ts";
import { freshNames, listed } from "../../core/names.ts";
import { withStep } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { explainRename } from "./explain.ts";
import { badName } from "./keys.ts";

/** BL_RENAME. Gives columns other names; they keep their place, their cells and their role. */
export const rename = defineBlock({
  code: "BL_RENAME",
  name: "rename",
  args: {
    /** The new names by the old ones: `{ "odd name": "odd" }`. */
    names: z.record(z.string(), z.string()),
  },
  example: 'session.input("sample:penguins").rename({ names: { bill_length_mm: "bill" } })',
  explain: explainRename,
  async run(frame, args, context) {
    const { id, name, code } = context.block;
    const fresh = new Map(Object.entries(args.names).map(([old, wanted]) => [column(frame, old).name, wanted]));
    const called = (old: string) => fresh.get(old) ?? old;
    const who = `${name} (${code})`;
    if (fresh.size === 0)
      throw new ArgsError(`${who}: names names no column. Give one, as in { "odd name": "odd" }.`, { path: "names" });
    const kept = frame.columns.map((each) => each.name).filter((each) => !fresh.has(each));
    const wanted = [...fresh.values()];
    const possible = freshNames(
      wanted.map((each) => each.trim() || "column"),
      kept,
    );
    const wrong = wanted.findIndex((each, k) => each !== possible[k]);
    if (wrong >= 0) throw badName(wanted[wrong], possible[wrong], who, "names");
    const outputs = frame.columns.map((each) => {
      const made = { ...each, name: called(each.name) };
      return made.name === each.name ? { column: made } : { column: made, expr: cell(each) };
    });
    const after = withStep(frame, { block: id, name, outputs });
    return {
      frame: { ...after, x: frame.x?.map(called) ?? null, y: frame.y?.map(called) ?? null },
      report: {
        renamed: [...fresh].map(([old, wanted]) => `${listed([old])} → ${listed([wanted])}`),
        named: [...fresh.values()],
      },
    };
  },
  async view({ after, report }, read) {
    const { renamed, named } = report as { renamed: string[]; named: string[] };
    return stack(text(`Renamed ${series(renamed)}.`), await read.head(after, { named }));
  },
});
