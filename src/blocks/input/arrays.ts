import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { type Frame, sourceFrame } from "../../core/frame.ts";
import { uniqueNames } from "../../core/names.ts";
import type { WriteColumn } from "../../core/tables.ts";

/** Numbers in row-major order, as numpy lays them out; NaN where a value is missing. */
export interface NdArray {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** The most numbers an array that comes with a request, or is made of a table, may have. */
export const mostNumbers = 20_000_000;

/** Beyond this many columns a table is no table; the rows become cells with a shape. */
const mostColumns = 4096;

/** As many axes as numpy's arrays can have. */
const mostAxes = 32;

/** A nested array of numbers, or JSON of one; ragged ones and words are refused, `who` first. */
export function nestedArray(given: unknown, who: string, path: string): NdArray {
  const value = typeof given === "string" ? parsed(given, who, path) : given;
  const shape: number[] = [];
  for (let at = value; Array.isArray(at) && shape.length <= mostAxes; at = at[0]) shape.push(at.length);
  if (shape.length > mostAxes) {
    throw new ArgsError(`${who}: ${path} is nested more than ${mostAxes} deep.`, { path, expected: mostAxes });
  }
  const data: number[] = [];
  const fill = (part: unknown, axis: number): void => {
    if (axis < shape.length) {
      if (!Array.isArray(part) || part.length !== shape[axis]) {
        throw new ArgsError(
          `${who}: ${path} is ragged; all parts of one axis must be as long as the first, here ${shape[axis]}.`,
          { path, expected: shape },
        );
      }
      for (const inner of part) fill(inner, axis + 1);
      return;
    }
    if (part !== null && (typeof part !== "number" || !Number.isFinite(part))) {
      const got = JSON.stringify(part)?.slice(0, 40) ?? String(part);
      throw new ArgsError(`${who}: ${path} must hold numbers, got ${got}.`, { path, got });
    }
    data.push(part === null ? Number.NaN : (part as number));
  };
  fill(value, 0);
  return { shape, data: Float64Array.from(data) };
}

function parsed(text: string, who: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ArgsError(
      `${who}: ${path} looks like an array but is not JSON; write it as in [[1, 2], [3, 4]].`,
      { path },
      { cause: error },
    );
  }
}

/**
 * An array as a frame: the first axis is the rows, a second one the columns, all further ones the shape of a cell.
 *
 * Cells with a shape are stored with 32 bits a number.
 */
export async function arrayFrame({ shape, data }: NdArray, context: BlockContext): Promise<Frame> {
  const rows = shape[0] ?? 1;
  const width = shape.slice(1).reduce((product, size) => product * size, 1);
  if (width === 0) {
    const { name, code } = context.block;
    throw new ArgsError(`${name} (${code}): an array of ${shape.join(" × ")} holds nothing; a table needs columns.`, {
      got: shape,
    });
  }
  const isTable = shape.length <= 2 && width <= mostColumns;
  const columns = isTable ? numberColumns(rows, width, data, shape.length < 2) : [cells(rows, width, data, shape)];
  const artifact = await context.tables.writeColumns(columns);
  return sourceFrame(
    artifact,
    columns.map(({ column }) => column),
    rows,
  );
}

function numberColumns(rows: number, width: number, data: Float64Array, isAlone: boolean): WriteColumn[] {
  const names = isAlone ? ["value"] : uniqueNames(Array.from({ length: width }, () => ""));
  return names.map((name, j) => ({
    column: { name, type: "number" },
    values: Float64Array.from({ length: rows }, (_, i) => data[i * width + j]),
  }));
}

function cells(rows: number, width: number, data: Float64Array, shape: readonly number[]): WriteColumn {
  const values = Array.from({ length: rows }, (_, i) => Float32Array.from(data.subarray(i * width, (i + 1) * width)));
  return { column: { name: "value", type: "tensor", shape: shape.slice(1) }, values };
}
