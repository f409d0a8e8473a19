import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Frame, isNumeric } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { type NamedTable, tableBehind } from "../shared/sources.ts";
import { arrayFrame, mostNumbers, type NdArray, nestedArray } from "./arrays.ts";

const who = "reshape (DP_RSH)";

/**
 * DP_RSH. Gives an array new dimensions, as numpy's reshape in row-major order.
 *
 * A table has two axes, its rows and columns. The new dimensions are as many as the array has axes, and hold as many
 * numbers; one of them may be -1, which is worked out. The output is `{shape}`.
 */
export const reshape = defineBlock({
  code: "DP_RSH",
  name: "reshape",
  source: "optional",
  args: {
    /** The array: a URL of a table, JSON such as "[[1, 2], [3, 4]]", a nested array, or a variable such as "x_train". */
    data: z.union([z.string(), z.array(z.unknown()).min(1)]),
    /** The new dimensions, as many as the input has axes; one may be -1. */
    dimensions: z.array(z.int().min(-1)).min(1),
  },
  positional: ["data", "dimensions"],
  files: ["data"],
  example: "session.reshape([[1, 2, 3], [4, 5, 6]], [3, -1])",
  async run(frame, args, context) {
    const from = await arrayFrom(frame, args.data, context);
    const shape = newShape(from, args.dimensions);
    return {
      frame: await arrayFrame({ shape, data: from.data }, context),
      output: { shape },
      report: { from: from.shape },
    };
  },
  async view({ after, output, report }, read) {
    const { shape } = output as { shape: number[] };
    const { from } = report as { from: number[] };
    return stack(text(`From ${from.join(" × ")} to ${shape.join(" × ")}.`), await read.head(after));
  },
});

async function arrayFrom(frame: Frame, data: string | readonly unknown[], context: BlockContext): Promise<NdArray> {
  if (typeof data !== "string" || data.trimStart().startsWith("[")) return nestedArray(data, who, "data");
  return await fromTable(await tableBehind(frame, data, { who, path: "data" }, context), context);
}

/** A table of numbers, or of cells that all have one shape. */
async function fromTable(table: NamedTable, context: BlockContext): Promise<NdArray> {
  const { rows } = table;
  const [only] = table.columns;
  const cell = table.columns.length === 1 && only.type === "tensor" ? (only.shape ?? []) : [table.columns.length];
  const size = cell.reduce((product, length) => product * length, rows);
  if (size > mostNumbers) {
    throw new DataError(
      `${who}: the table holds ${size.toLocaleString("en-US")} numbers, more than the ${mostNumbers.toLocaleString("en-US")} that are reshaped. Take fewer rows or columns.`,
      { got: size, expected: mostNumbers },
    );
  }
  if (only?.type === "tensor" && table.columns.length === 1) {
    const [cells] = await context.tables.cells(table.relation, { ...table.selection, columns: [only.name] });
    const data = new Float64Array(size).fill(Number.NaN);
    for (const [i, text] of cells.entries()) if (text !== null) data.set(numbersIn(String(text)), (i * size) / rows);
    return { shape: [rows, ...cell], data };
  }
  const words = table.columns.filter((column) => !isNumeric(column)).map((column) => column.name);
  if (words.length > 0) {
    throw new DataError(`${who}: only numbers can be reshaped, and ${listed(words)} hold none. Drop or encode them.`, {
      got: words,
    });
  }
  const x = await context.tables.numbers(table.relation, {
    ...table.selection,
    columns: table.columns.map((column) => column.name),
  });
  const data = new Float64Array(x.n * x.d);
  for (let j = 0; j < x.d; j++) for (let i = 0; i < x.n; i++) data[i * x.d + j] = x.data[j * x.n + i];
  return { shape: [x.n, x.d], data };
}

/** An array of numbers as text; unlike JSON it may hold NaN and infinity. */
function numbersIn(text: string): number[] {
  const inner = text.slice(1, -1);
  return inner === "" ? [] : inner.split(",").map(Number);
}

function newShape({ shape, data }: NdArray, wanted: readonly number[]): number[] {
  if (wanted.length !== shape.length) {
    throw new ArgsError(
      `${who}: dimensions must be as many as the input has axes, ${shape.length} (${shape.join(" × ")}), got ${wanted.length}.`,
      { path: "dimensions", got: wanted, expected: `${shape.length} numbers` },
    );
  }
  const known = wanted.filter((size) => size !== -1).reduce((product, size) => product * size, 1);
  const open = wanted.filter((size) => size === -1).length;
  const fits = open === 0 ? known === data.length : open === 1 && known > 0 && data.length % known === 0;
  if (!fits) {
    throw new ArgsError(
      `${who}: ${data.length.toLocaleString("en-US")} numbers (${shape.join(" × ")}) don't fill ${quoted(wanted.join(" × "))}${open > 1 ? "; one dimension alone may be -1" : ""}.`,
      { path: "dimensions", got: wanted },
    );
  }
  return wanted.map((size) => (size === -1 ? data.length / known : size));
}
