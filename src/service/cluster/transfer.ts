import { type FileHandle, open } from "node:fs/promises";
import type { RecordBatch } from "apache-arrow";
import type { SparkRows } from "../../spark/index.ts";

/** The end of an Arrow stream: a message of no bytes. */
const end = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

/** Writes rows to a file as one Arrow stream, a batch at a time in memory; tells how many came so far. */
export async function writeArrow(rows: SparkRows, path: string, onRows: (rows: number) => void): Promise<void> {
  await intoFile(path, async (file) => {
    let isFirst = true;
    // Each batch comes as a stream of its own: its schema, the batch, an end. They become one by leaving out the rest.
    for await (const bytes of rows.bytes()) {
      const stream = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const from = isFirst ? 0 : 8 + stream.readInt32LE(4);
      const isEnded = stream.subarray(-end.length).equals(end);
      await file.write(stream.subarray(from, isEnded ? stream.length - end.length : stream.length));
      isFirst = false;
      onRows(rows.count);
    }
    await file.write(end);
  });
}

/** Writes rows of text to a CSV file in UTF-8, with a line of names unless there are none; tells how many came so far. */
export async function writeCsv(
  rows: SparkRows,
  path: string,
  hasHeader: boolean,
  onRows: (rows: number) => void,
): Promise<void> {
  await intoFile(path, async (file) => {
    let isFirst = true;
    for await (const batch of rows) {
      const names = batch.schema.fields.map(({ name }) => cell(name)).join(",");
      const header = isFirst && hasHeader ? `${names}\n` : "";
      await file.write(header + linesOf(batch));
      isFirst = false;
      onRows(rows.count);
    }
  });
}

function linesOf(batch: RecordBatch): string {
  const columns = batch.schema.fields.map((_, k) => batch.getChildAt(k));
  let text = "";
  for (let i = 0; i < batch.numRows; i++) {
    text += `${columns.map((column) => cell(column?.get(i) as string | null)).join(",")}\n`;
  }
  return text;
}

/** Quoted wherever something could be read into it; a missing cell is empty, an empty text is quoted. */
function cell(text: string | null): string {
  if (text === null) return "";
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function intoFile(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await fill(file);
  } finally {
    await file.close();
  }
}
