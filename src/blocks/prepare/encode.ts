import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { listed, quoted } from "../../core/names.ts";
import { applyKept, keep } from "../../core/preparation.ts";
import type { Json } from "../../core/record.ts";
import { fitRows, replaceColumns, withUnseen } from "../../core/scope.ts";
import { noticeUnseen } from "../../core/unseen.ts";
import { stack, text } from "../../core/view.ts";
import type { Output } from "../../plan/node.ts";
import { type Encoded, encodings, learnCategories, unseenOf, withoutNames } from "./categories.ts";
import { encoding, planOf } from "./encode-plan.ts";
import { numberOutput, outputsFor } from "./encodings.ts";
import { explainEncode } from "./explain.ts";
import { TargetEncoding } from "./target-encoding.ts";

const who = "encode (DP_3)";

/**
 * DP_3. Turns categories into numbers.
 *
 * Encoded columns stand in the place of the original, named as city_Lagos. Categories are learnt from
 * training rows alone once there is a split; unseen ones become all zeros (onehot, binary), -1 (label) or the mean
 * of the target (target). Target means of training rows are cross-fitted, as scikit-learn's TargetEncoder does it.
 */
export const encode = defineBlock({
  code: "DP_3",
  name: "encode",
  args: {
    /** Columns to encode (default with neither this nor xvalue, yvalue, dataset: every text feature; of type onehot those alone whose values repeat). */
    columns: columnList().optional(),
    /** "onehot" (also called "categorical"): a 0/1 column per category; "label": its place in sorted order; "binary": the bits of that place; "target": the smoothed mean of the target; "hash": a stable 32-bit number; "extract_numbers": the first number in the text, with decimals and thousands as the column writes them (default "onehot"). */
    type: z.literal([...encodings]).optional(),
    /** How columns of X are encoded; a list encodes several columns. */
    xvalue: z.union([encoding, z.array(encoding)]).optional(),
    /** How columns of Y are encoded; a list encodes several columns. */
    yvalue: z.union([encoding, z.array(encoding)]).optional(),
    /** How columns of the dataset are encoded; a list encodes several columns. */
    dataset: z.union([encoding, z.array(encoding)]).optional(),
    /** Keeps what was learnt in the project under this name. */
    save_name: z.string().min(1).optional(),
    /** Applies what was kept under this name in place of learning anew; no other argument is needed. */
    load_name: z.string().min(1).optional(),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").encode({ columns: ["island", "sex"] })',
  explain: explainEncode,
  async run(frame, args, context) {
    if (args.load_name !== undefined) {
      const { before, after, details, model } = await applyKept(frame, context, args);
      const unseen = unseenOf(before, details as unknown as readonly Encoded[]);
      await noticeUnseen(before.relation, unseen, { who, learntFrom: "those saved" }, context);
      return { frame: withUnseen(after, unseen), report: { loaded: args.load_name }, ...model };
    }
    const plan = planOf(frame, args);
    const { drop } = plan;
    const wanted = plan.isChosen ? plan.encode : await withoutNames(frame, plan.encode, context);
    const kept = frame.columns.map((each) => each.name).filter((name) => !wanted.has(name) && !drop.has(name));
    const taken = new Set(kept);
    const encoded: Encoded[] = [];
    const replacements = new Map<string, readonly Output[]>([...drop].map((name) => [name, []]));
    const byTarget = new TargetEncoding(frame, context);
    for (const [name, type] of wanted) {
      const isLearnt = type !== "hash" && type !== "extract_numbers";
      const learnt = isLearnt ? await learnCategories(frame, name, type, context) : [];
      if (learnt.length === 0 && (type === "onehot" || type === "categorical")) {
        context.notice(`encode (DP_3): column ${quoted(name)} has no value to learn, so it was dropped.`);
      }
      const outputs =
        type === "target"
          ? await byTarget.fit(name, learnt, [...taken])
          : type === "extract_numbers"
            ? [await numberOutput(frame, name, context)]
            : outputsFor(frame, name, type, learnt, [...taken]);
      replacements.set(name, outputs);
      const made = outputs.map((each) => each.column.name);
      for (const each of made) taken.add(each);
      encoded.push({ column: name, type, categories: learnt, outputs: made });
    }
    const unseen = unseenOf(frame, encoded);
    if (frame.split) await noticeUnseen(frame.relation, unseen, { who, learntFrom: "the training rows" }, context);
    const learntFrom = encoded.filter((each) => each.categories.length > 0).map((each) => each.column);
    const after = withUnseen(replaceColumns(frame, context, replacements, learntFrom), unseen);
    return {
      frame: await byTarget.crossFitted(after),
      report: { fitted: fitRows(frame), encoded },
      ...(await keep(frame, context, args, replacements, encoded as unknown as Json)),
    };
  },
  async view({ after, report }, read) {
    const { fitted, encoded, loaded } = report as { fitted: string; encoded: Encoded[]; loaded?: string };
    if (loaded !== undefined) return stack(text(`Encoded as saved under ${loaded}.`), await read.head(after));
    const lines = encoded.map(({ column: name, type, categories, outputs }) =>
      type === "extract_numbers" || type === "hash"
        ? `${name}: ${type === "hash" ? "hashed to a 32-bit number" : "the first number in the text"}`
        : type === "label"
          ? `${name}: ${listed(
              categories.map((label, k) => `${label}=${k}`),
              8,
            )}`
          : `${name} → ${listed(outputs, 8)}`,
    );
    const words = lines.length === 0 ? "Nothing to encode." : `Encoded on ${fitted}. ${lines.join("; ")}.`;
    return stack(text(words), await read.head(after));
  },
});
