// Brings rows as a cluster sends them into a home, and prints the most memory that it took, in MiB. Arguments: rows, home.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { embeddedLink } from "../../src/client/embedded.ts";
import { writeArrow } from "../../src/service/cluster/transfer.ts";
import { Session } from "../../src/session/index.ts";
import type { SparkRows } from "../../src/spark/index.ts";

const [rows, home] = [Number(process.argv[2]), process.argv[3]];
const atOnce = 100_000;
mkdirSync(home, { recursive: true });

async function* batches() {
  for (let row = 0; row < rows; row += atOnce) {
    const numbers = (k: number) => Float64Array.from({ length: atOnce }, (_, i) => Math.sin((row + i) * k));
    const columns = { a: numbers(1), b: numbers(2), c: numbers(3), d: numbers(4), e: numbers(5) };
    yield tableToIPC(tableFromArrays(columns), "stream");
  }
}

const path = join(home, "rows.arrow");
await writeArrow({ bytes: batches, count: rows } as unknown as SparkRows, path, () => undefined);
const session = new Session(() => embeddedLink({ home, memoryLimit: 512 * 2 ** 20 }));
const { dataset } = await session.input(path);
const { rows: came } = await dataset.shape();
await session.close();
const most = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
process.stdout.write(JSON.stringify({ came, most }));
