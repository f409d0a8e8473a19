import { z } from "zod";
import { columnList, columnRef, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { listed } from "../../core/names.ts";
import { applyKept, keep } from "../../core/preparation.ts";
import type { Output } from "../../core/relation.ts";
import { chosen, fitRows, replaceColumns, type Scope, scope } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import {
  type Encoded,
  type Encoding,
  encodings,
  expectNumbers,
  learnCategories,
  noticeUnseen,
  outputsFor,
} from "./encodings.ts";
import { crossFitted, fitTarget, type TargetFit } from "./target-encoding.ts";

const encoding = z.strictObject({
  /** Whether to encode at all; with false nothing else is needed. */
  encode: z.boolean().default(true),
  /** "onehot" (also called "categorical"): a 0/1 column per category; "label": its place in sorted order; "binary": the bits of that place; "target": the smoothed mean of the target; "hash": a stable 32-bit number; "extract_numbers": the first number in the text (default "onehot"). */
  encoding_type: z.literal([...encodings]).default("onehot"),
  /** "drop" drops the columns that are not encoded, "passthrough" leaves them alone. */
  remainder: z.literal(["drop", "passthrough"]).default("passthrough"),
  /** The column to encode, by index or name; several as a list. */
  index: columnList().optional(),
});

/**
 * DP_3. Turns categories into numbers.
 *
 * Encoded columns stand in the place of the original, named as city_Lagos. Categories are learnt from
 * training rows alone once there are folds; unseen ones become all zeros (onehot, binary), -1 (label) or the mean
 * of the target (target). Target means of training rows are cross-fitted, as scikit-learn's TargetEncoder does it.
 */
export const encode = defineBlock({
  code: "DP_3",
  name: "encode",
  args: {
    /** Columns to encode (default with neither this nor xvalue, yvalue, dataset: every text feature). */
    columns: z.union([columnRef(), z.array(columnRef())]).optional(),
    /** "onehot" (also called "categorical"): a 0/1 column per category; "label": its place in sorted order; "binary": the bits of that place; "target": the smoothed mean of the target; "hash": a stable 32-bit number; "extract_numbers": the first number in the text (default "onehot"). */
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
  async run(frame, args, context) {
    if (args.load_name !== undefined) {
      return { frame: await applyKept(frame, context, args.load_name), report: { loaded: args.load_name } };
    }
    const tasks = plan(frame, args);
    const encoded: Encoded[] = [];
    const replacements = new Map<string, readonly Output[]>();
    const fitted = new Map<string, TargetFit>();
    for (const [name, type] of columnsToEncode(tasks)) {
      const isLearnt = type !== "hash" && type !== "extract_numbers";
      const learnt = isLearnt ? await learnCategories(frame, name, type, context) : [];
      if (type === "extract_numbers") await expectNumbers(frame, name, context);
      if (type === "target") fitted.set(name, await fitTarget(frame, name, context));
      const outputs = fitted.get(name)?.outputs ?? outputsFor(frame, name, type, learnt);
      replacements.set(name, outputs);
      encoded.push({ column: name, type, categories: learnt, outputs: outputs.map((each) => each.column.name) });
    }
    for (const task of tasks) {
      if (task.remainder !== "drop") continue;
      for (const name of task.within.names) if (!replacements.has(name)) replacements.set(name, []);
    }
    await noticeUnseen(frame, encoded, context);
    const learntFrom = encoded.filter((each) => each.categories.length > 0).map((each) => each.column);
    const after = replaceColumns(frame, context, replacements, learntFrom);
    return {
      frame: await crossFitted(frame, after, fitted, context),
      report: { fitted: fitRows(frame), encoded },
      ...(await keep(context, args, replacements)),
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

/** Each column once, with the first encoding that was asked for it. */
function columnsToEncode(tasks: readonly Task[]): Map<string, Encoding> {
  const found = new Map<string, Encoding>();
  for (const { names, type } of tasks) for (const name of names) if (!found.has(name)) found.set(name, type);
  return found;
}

interface Task {
  readonly names: readonly string[];
  readonly type: Encoding;
  readonly remainder: "drop" | "passthrough";
  readonly within: Scope;
}

type Args = Parameters<(typeof encode)["run"]>[1];

function plan(frame: Frame, args: Args): Task[] {
  const everything: Scope = { names: frame.columns.map((each) => each.name), where: "the table" };
  const places = [
    ["xvalue", args.xvalue, frame.x ? { names: frame.x, where: "X" } : everything],
    ["yvalue", args.yvalue, { names: frame.y ?? [], where: "Y" }],
    ["dataset", args.dataset, everything],
  ] as const;
  const tasks = places.flatMap(([path, value, within]) =>
    [value ?? []].flat().flatMap((each): Task[] => {
      if (!each.encode) return [];
      if (each.index === undefined) {
        throw new ArgsError(
          `encode (DP_3): ${path} needs index, the column to encode. Columns of ${within.where}: ${listed(within.names)}.`,
          {
            path: `${path}.index`,
          },
        );
      }
      return [
        { names: chosen(frame, each.index, within), type: each.encoding_type, remainder: each.remainder, within },
      ];
    }),
  );
  const within = scope(frame);
  const type = args.type ?? "onehot";
  if (args.columns !== undefined) {
    tasks.push({ names: chosen(frame, args.columns, within), type, remainder: "passthrough", within });
  } else if (!args.xvalue && !args.yvalue && !args.dataset) {
    const textual = within.names.filter((name) => ["string", "category"].includes(column(frame, name).type));
    tasks.push({ names: textual, type, remainder: "passthrough", within });
  }
  return tasks;
}
