import { once } from "node:events";
import { createWriteStream, existsSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RandomState } from "../src/numerics/random.ts";

const floats = 14;
const categories = [5, 12, 20, 50];

/** A CSV of 20 columns: 14 floats and 2 integers, of which 5 have holes, and 4 texts; written once. */
export async function mixedCsv(rows: number): Promise<string> {
  const path = join(tmpdir(), `blocklab-bench-${rows}x20-1.csv`);
  if (existsSync(path)) return path;
  const random = new RandomState(1);
  const names = [
    ...Array.from({ length: floats }, (_, k) => `f${k + 1}`),
    "i1",
    "i2",
    ...categories.map((_, k) => `t${k + 1}`),
  ];
  const out = createWriteStream(`${path}.part`);
  let text = `${names.join(",")}\n`;
  const pick = (n: number) => Math.floor(random.uniform() * n);
  for (let i = 0; i < rows; i++) {
    const cells: (string | number)[] = [];
    for (let k = 0; k < floats; k++)
      cells.push(k < 4 && pick(20) === 0 ? "" : (random.normal() * 10 ** (k % 4)).toFixed(6));
    cells.push(pick(100), pick(30) === 0 ? "" : pick(1_000_000));
    cells.push(...categories.map((n, k) => `${["shape", "city", "make", "trade"][k]} ${pick(n)}`));
    text += `${cells.join(",")}\n`;
    if (text.length > 1 << 20) {
      if (!out.write(text)) await once(out, "drain");
      text = "";
    }
  }
  out.end(text);
  await once(out, "finish");
  renameSync(`${path}.part`, path);
  return path;
}
