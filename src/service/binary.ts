import type { ColumnValues, TypedColumns } from "../core/column-values.ts";
import { DataError } from "../core/errors.ts";
import { type Column, isNumeric } from "../core/frame.ts";
import { listed } from "../core/names.ts";
import type { Cell } from "../core/view.ts";
import { arrowFile, type GivenValues } from "./arrow-file.ts";

/** A table as an Arrow IPC file; the shapes of its tensors go with it. */
export async function arrowBytes({ columns, values }: TypedColumns): Promise<Uint8Array> {
  const shapes = columns.flatMap(({ name, type, shape }) => (type === "tensor" && shape ? [[name, shape]] : []));
  const metadata: Record<string, string> =
    shapes.length > 0 ? { blocklab_shapes: JSON.stringify(Object.fromEntries(shapes)) } : {};
  const given = columns.map((column, k) => ({ name: column.name, values: arrowValues(column, values[k]) }));
  return await arrowFile(given, metadata);
}

function arrowValues({ type, integer }: Column, items: ColumnValues): GivenValues {
  if (type === "number" && !integer) return { kind: "numbers", items: items as Float64Array };
  if (type === "number") {
    if (items instanceof BigInt64Array) return { kind: "numbers", items };
    return { kind: "whole", items: items as unknown as (number | bigint | null)[] };
  }
  if (type === "boolean") return { kind: "truths", items: items as (boolean | null)[] };
  if (type === "tensor") return { kind: "tensors", items: items as (Float32Array | null)[] };
  if (type !== "datetime") return { kind: "texts", items: items as (string | null)[] };
  return {
    kind: "moments",
    items: Float64Array.from(items as (Date | null)[], (date) => date?.getTime() ?? Number.NaN),
  };
}

/** An empty .npy file of that type and shape, and a view on its data. */
function npyFile(type: string, shape: readonly number[], bytes: number): { out: Uint8Array; view: DataView } {
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  // The data must begin at a multiple of 64 bytes, after a header that ends in a newline.
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const out = new Uint8Array(10 + padded.length + shape.reduce((product, size) => product * size, bytes));
  out.set([0x93, ...Buffer.from("NUMPY"), 1, 0, padded.length & 0xff, padded.length >> 8]);
  out.set(Buffer.from(padded, "latin1"), 10);
  return { out, view: new DataView(out.buffer, 10 + padded.length) };
}

/** A tensor column as a float32 array of rows × its shape in numpy's .npy format; missing cells are NaN. */
export function npyTensors(
  column: Column,
  tensors: { readonly n: number; readonly size: number; readonly data: Float32Array } | null,
): Uint8Array {
  if (!tensors)
    throw new DataError(
      `format npy wants tensors of one shape, but those of ${listed([column.name])} differ; choose another format.`,
    );
  const { n, size, data } = tensors;
  const isShaped = column.shape?.reduce((product, side) => product * side, 1) === size;
  const { out, view } = npyFile("<f4", [n, ...(isShaped && column.shape ? column.shape : [size])], 4);
  data.forEach((value, i) => {
    view.setFloat32(4 * i, value, true);
  });
  return out;
}

/** Numeric columns as one float64 matrix in numpy's .npy format (version 1.0, row-major); missing cells are NaN. */
export function npyBytes(columns: readonly Column[], cells: readonly (readonly Cell[])[]): Uint8Array {
  const textual = columns.filter((column) => !isNumeric(column)).map((column) => column.name);
  if (textual.length > 0) {
    throw new DataError(
      `format npy holds numbers alone, but ${listed(textual)} ${textual.length === 1 ? "is" : "are"} not numeric; choose columns=, or another format.`,
      {
        got: textual,
      },
    );
  }
  const rows = cells[0]?.length ?? 0;
  const { out, view } = npyFile("<f8", [rows, columns.length], 8);
  cells.forEach((values, k) => {
    values.forEach((cell, i) => {
      view.setFloat64((i * columns.length + k) * 8, cell === null ? Number.NaN : Number(cell), true);
    });
  });
  return out;
}
