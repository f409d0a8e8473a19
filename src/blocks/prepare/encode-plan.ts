import { z } from "zod";
import { columnList } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { listed } from "../../core/names.ts";
import { chosen, type Scope, scope } from "../../core/scope.ts";
import { type Encoding, encodings } from "./categories.ts";

/** How one column, or a few, are encoded: the object that clients send. */
export const encoding = z.strictObject({
  /** Whether to encode at all; with false nothing else is needed. */
  encode: z.boolean().default(true),
  /** "onehot" (also called "categorical"): a 0/1 column per category; "label": its place in sorted order; "binary": the bits of that place; "target": the smoothed mean of the target; "hash": a stable 32-bit number; "extract_numbers": the first number in the text, with decimals and thousands as the column writes them (default "onehot"). */
  encoding_type: z.literal([...encodings]).default("onehot"),
  /** "drop" drops the columns that are not encoded, "passthrough" leaves them alone. */
  remainder: z.literal(["drop", "passthrough"]).default("passthrough"),
  /** The column to encode, by index or name; several as a list. */
  index: columnList().optional(),
});

type Encodings = z.output<typeof encoding> | readonly z.output<typeof encoding>[];

/** What encode was asked for. */
interface Asked {
  readonly columns?: string | number | readonly (string | number)[] | undefined;
  readonly type?: Encoding | undefined;
  readonly xvalue?: Encodings | undefined;
  readonly yvalue?: Encodings | undefined;
  readonly dataset?: Encodings | undefined;
}

/** What is done to the columns of a table. */
export interface EncodingPlan {
  /** Each column once, with the first encoding that was asked for it. */
  readonly encode: ReadonlyMap<string, Encoding>;
  readonly drop: ReadonlySet<string>;
  /** Were columns named, or are these all that can be encoded? */
  readonly isChosen: boolean;
}

/** Which columns are encoded how, and which are dropped because a remainder says so. */
export function planOf(frame: Frame, asked: Asked): EncodingPlan {
  const encode = new Map<string, Encoding>();
  const left = new Set<string>();
  for (const { names, type, remainder, within } of tasksOf(frame, asked)) {
    for (const name of names) if (!encode.has(name)) encode.set(name, type);
    if (remainder === "drop") for (const name of within.names) left.add(name);
  }
  return { encode, drop: new Set([...left].filter((name) => !encode.has(name))), isChosen: isChosen(asked) };
}

function isChosen({ columns, xvalue, yvalue, dataset }: Asked): boolean {
  return columns !== undefined || Boolean(xvalue || yvalue || dataset);
}

interface Task {
  readonly names: readonly string[];
  readonly type: Encoding;
  readonly remainder: "drop" | "passthrough";
  readonly within: Scope;
}

function tasksOf(frame: Frame, asked: Asked): Task[] {
  const everything: Scope = { names: frame.columns.map((each) => each.name), where: "the table" };
  const places = [
    ["xvalue", asked.xvalue, frame.x ? { names: frame.x, where: "X" } : everything],
    ["yvalue", asked.yvalue, { names: frame.y ?? [], where: "Y" }],
    ["dataset", asked.dataset, everything],
  ] as const;
  const tasks = places.flatMap(([path, value, within]) =>
    [value ?? []].flat().flatMap((each) => (each.encode ? [taskOf(frame, path, each, within)] : [])),
  );
  const within = scope(frame);
  const type = asked.type ?? "onehot";
  if (asked.columns !== undefined) {
    tasks.push({ names: chosen(frame, asked.columns, within), type, remainder: "passthrough", within });
  } else if (!isChosen(asked)) {
    const textual = within.names.filter((name) => ["string", "category"].includes(column(frame, name).type));
    tasks.push({ names: textual, type, remainder: "passthrough", within });
  }
  return tasks;
}

function taskOf(frame: Frame, path: string, each: z.output<typeof encoding>, within: Scope): Task {
  if (within.names.length === 0) {
    throw new ArgsError(`encode (DP_3): there is no ${within.where} yet; assign it with xy (DP_FSP) first.`, { path });
  }
  if (each.index === undefined) {
    throw new ArgsError(
      `encode (DP_3): ${path} needs index, the column to encode. Columns of ${within.where}: ${listed(within.names)}.`,
      { path: `${path}.index` },
    );
  }
  const names = chosen(frame, each.index, within);
  return { names, type: each.encoding_type, remainder: each.remainder, within };
}
