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
  return new arrow.Utf8();
}

function arrowCell(cell: Cell, column: Column): unknown {
  if (cell === null) return null;
  if (column.type === "number" && column.integer) return BigInt(cell as number | string);
  if (column.type === "datetime")
    return new Date(`${String(cell).replace(" ", "T")}${String(cell).length > 10 ? "" : "T00:00:00"}Z`);
  return cell;
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
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${columns.length}), }`;
  // The data must begin at a multiple of 64 bytes, after a header that ends in a newline.
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const out = new Uint8Array(10 + padded.length + rows * columns.length * 8);
  out.set([0x93, ...Buffer.from("NUMPY"), 1, 0, padded.length & 0xff, padded.length >> 8]);
  out.set(Buffer.from(padded, "latin1"), 10);
  const view = new DataView(out.buffer, 10 + padded.length);
  cells.forEach((values, k) => {
    values.forEach((cell, i) => {
      view.setFloat64((i * columns.length + k) * 8, cell === null ? Number.NaN : Number(cell), true);
    });
  });
  return out;
}
