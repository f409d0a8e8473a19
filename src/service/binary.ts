import { DataError } from "../core/errors.ts";
import { type Column, isNumeric } from "../core/frame.ts";
import { listed } from "../core/names.ts";
import type { Cell } from "../core/view.ts";

/** A table as an Arrow IPC file. */
export async function arrowBytes(columns: readonly Column[], cells: readonly (readonly Cell[])[]): Promise<Uint8Array> {
  const arrow = await import("apache-arrow");
  const vectors = columns.map((column, k) => {
    const type = arrowType(arrow, column);
    return [
      column.name,
      arrow.vectorFromArray(
        cells[k].map((cell) => arrowCell(cell, column)),
        type,
      ),
    ] as const;
  });
  return arrow.tableToIPC(new arrow.Table(Object.fromEntries(vectors)), "file");
}

function arrowType(arrow: typeof import("apache-arrow"), column: Column) {
  if (column.type === "number") return column.integer ? new arrow.Int64() : new arrow.Float64();
  if (column.type === "boolean") return new arrow.Bool();
  if (column.type === "datetime") return new arrow.TimestampMillisecond();
  if (column.type === "tensor") return new arrow.List(new arrow.Field("item", new arrow.Float32(), true));
  return new arrow.Utf8();
}

function arrowCell(cell: Cell, column: Column): unknown {
  if (cell === null) return null;
  if (column.type === "number" && column.integer) return BigInt(cell as number | string);
  if (column.type === "datetime")
    return new Date(`${String(cell).replace(" ", "T")}${String(cell).length > 10 ? "" : "T00:00:00"}Z`);
  // Tensors come as JSON text.
  return column.type === "tensor" ? JSON.parse(String(cell)) : cell;
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
