/**
 * Switches each quick way of the table engine off in turn, and prints a markdown table of what it gives.
 *
 * node bench/choices.ts [rows=1000000] [repeats=2] [way…]. The file is that of bench/tables.ts: 20 columns, read once. A way
 * is switched off in a copy of the source, where the function that chooses it answers something else. Printed are the
 * fewest milliseconds of processor time of all threads, until what the block shows is text: with the way, without it, and
 * without it by with it. Runs with and without take turns, since other work of the machine makes processor time longer.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import { viewOf } from "../src/core/view.ts";
import { toText } from "../src/render/index.ts";
import { type Chain, Session } from "../src/session/index.ts";
import { inFolder, printTable, root, timedWithWork } from "./measure.ts";
import { mixedCsv } from "./mixed-csv.ts";

/** The function that chooses a way, or goes it; what it answers in its place; and the work that shows it. */
interface Way {
  readonly file: string;
  readonly chooser: string;
  readonly off: string;
  readonly work: readonly string[];
}

const choose = "src/engines/duckdb/choose.ts";

const ways: Readonly<Record<string, Way>> = {
  "kept for the next look": {
    file: "src/engines/duckdb/read/kept.ts",
    chooser: "hasRoom",
    off: "return false;",
    work: ["describe", "describe again", "missing, mean", "scale, robust", "learn and judge"],
  },
  "training and test rows in one go": {
    file: choose,
    chooser: "readsBoth",
    off: "return false;",
    work: ["learn and judge"],
  },
  "rows put into their places": {
    file: choose,
    chooser: "isPlaced",
    off: "return false;",
    work: ["learn and judge", "learn"],
  },
  "by another column's values": {
    file: choose,
    chooser: "isReadByValue",
    off: "return false;",
    work: ["scale dummies", "learn", "learn and judge"],
  },
  "whole numbers added up by SQL": {
    file: choose,
    chooser: "isAddedBySql",
    off: "return false;",
    work: ["scale dummies", "missing, mean", "scale, standard"],
  },
  "sums by a mask of rows": {
    file: "src/engines/duckdb/read/selection-mask.ts",
    chooser: "isSelected",
    // Rows of a file's numbers, as a join with the subset finds them.
    off: `return \`\${row} IN (SELECT n FROM (SELECT range AS n, get_bit($\${values.push(mask)}, CAST(range AS INTEGER)) AS bit FROM range(\${mask.length})) WHERE bit = 1)\`;`,
    work: ["scale dummies"],
  },
  "missing cells by the file's word": {
    file: choose,
    chooser: "countedByFile",
    off: "return names.map(() => null);",
    work: ["look at the table", "missing, mean", "describe", "encode, onehot"],
  },
  "missing cells by the plan's word": {
    file: "src/plan/present.ts",
    chooser: "presentColumns",
    off: "return new Set();",
    work: ["filled, scale", "filled, derive", "encode, onehot", "missing, mean"],
  },
  "rows left out by a side table": {
    file: choose,
    chooser: "keepsBySideTable",
    off: "return false;",
    work: ["missing, drop", "missing, drop, and describe"],
  },
  "gaps filled by a side table": {
    file: choose,
    chooser: "fillsFromSideTable",
    off: "return false;",
    work: ["missing, ffill", "missing, ffill, and scale"],
  },
  "written when read": {
    file: choose,
    chooser: "isWrittenLater",
    off: "return false;",
    work: ["sort", "sort, and describe"],
  },
  "the engine calls us": {
    file: choose,
    chooser: "comeAsAnswer",
    off: "return true;",
    work: ["describe", "missing, mean", "scale, standard", "learn and judge"],
  },
  "copies collected young": {
    file: "src/engines/duckdb/read/copies.ts",
    chooser: "forgetCopies",
    off: "return;",
    work: ["describe", "info", "uniques"],
  },
  "rows compared by a hash": {
    file: choose,
    chooser: "areComparedByHash",
    off: "return false;",
    work: ["duplicates"],
  },
  "quantiles found together": {
    file: "src/engines/duckdb/together.ts",
    chooser: "quantilesTogether",
    off: "return [...exprs];",
    work: ["box"],
  },
  "worked out once for a row": {
    file: "src/engines/duckdb/once.ts",
    chooser: "once",
    off: "return { rows, by, outputs };",
    work: ["summarize, formula", "pairs", "area"],
  },
  "pages read at once": {
    file: choose,
    chooser: "isPage",
    off: "return false;",
    work: ["look at the table", "encode, onehot", "missing, drop"],
  },
};

/** What is timed, behind what is not: a chain of block 1, and what goes on from there. */
const works: Readonly<Record<string, readonly [before: (from: Chain) => Chain, timed: (from: Chain) => Chain]>> = {
  describe: [(from) => from, (from) => from.describe()],
  "describe again": [(from) => from.describe(), (from) => from.describe()],
  uniques: [(from) => from, (from) => from.uniques()],
  info: [(from) => from, (from) => from.info()],
  duplicates: [(from) => from, (from) => from.duplicates()],
  "missing, mean": [(from) => from, (from) => from.missing("mean")],
  "missing, drop": [(from) => from, (from) => from.missing("drop")],
  "missing, drop, and describe": [(from) => from, (from) => from.missing("drop").describe()],
  "missing, ffill": [(from) => from, (from) => from.missing("ffill")],
  "missing, ffill, and scale": [(from) => from, (from) => from.missing("ffill").scale("standard")],
  "encode, onehot": [(from) => from, (from) => from.encode({ columns: ["t1", "t2"] })],
  "scale, standard": [(from) => from, (from) => from.scale("standard")],
  "look at the table": [(from) => from, (from) => from],
  "filled, scale": [(from) => from.missing("mean"), (from) => from.scale("standard")],
  "filled, derive": [(from) => from.missing("mean"), (from) => from.derive({ columns: { a: "f5 * 2", b: "f6 + f7" } })],
  "scale, robust": [(from) => from, (from) => from.scale("robust")],
  "scale dummies": [dummies, (from) => from.scale("standard")],
  learn: [dummies, (from) => from.linear()],
  "learn and judge": [dummies, (from) => from.linear().metrics()],
  sort: [(from) => from, (from) => from.sort("-f14")],
  "sort, and describe": [(from) => from, (from) => from.sort("-f14").describe()],
  "summarize, formula": [
    (from) => from,
    (from) =>
      from.summarize({ by: ["t4"], columns: { a: "min(sqrt(abs(f1 * f2)) + f3)", b: "max(sqrt(abs(f1 * f2)) + f3)" } }),
  ],
  box: [(from) => from, (from) => from.box({ y: "f14", x: "t1" })],
  pairs: [(from) => from, (from) => from.pairs({ columns: ["f5", "f6", "f7", "f8"] })],
  area: [(from) => from, (from) => from.area({ x: "f5", y: "f6", color: "t1", aggregate: "mean" })],
};

function dummies(from: Chain): Chain {
  return from
    .drop("t3", "t4")
    .missing("mean")
    .encode({ columns: ["t1", "t2"] })
    .xy({ y: "f14" })
    .split({ test_size: 0.25, random_state: 0 });
}

/** The source, in which a way's function answers something else. */
function withoutWay(source: string, { file, chooser, off }: Way): string {
  const begin = new RegExp(`\\b${chooser}\\([^;]*?\\{\\n`).exec(source);
  if (!begin) throw new Error(`${file} has no function ${chooser}`);
  const end = begin.index + begin[0].length;
  return `${source.slice(0, end)}if (true) ${off}\n${source.slice(end)}`;
}

/** A copy of the checkout, where threads load the changed source as well. */
function copyWithout(way: Way | undefined, folder: string): string {
  for (const name of ["src", "bench", "samples", "package.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  if (way) {
    const path = join(folder, way.file);
    writeFileSync(path, withoutWay(readFileSync(path, "utf8"), way));
  }
  return folder;
}

/** The fewest milliseconds of each work in this process. Each begins with a thread that runs, and nothing in memory. */
async function measured(home: string, blocks: Blocks, names: readonly string[]): Promise<Found> {
  const found: Found = {};
  for (const name of names) {
    const [before, timed] = works[name]!;
    for (let k = 0; k < timesInProcess; k++) {
      await inSession(home, async (session) => {
        await session.at(blocks.small).describe();
        const { block } = await before(session.at(blocks.large));
        const { busy } = await timedWithWork(1, async () => {
          toText(await (await timed(session.at(block)))[viewOf]());
        });
        found[name] = Math.min(found[name] ?? Number.POSITIVE_INFINITY, busy[0]!);
      });
    }
  }
  return found;
}

const timesInProcess = 2;

/** The table that is worked on, and a small one whose reading starts all threads. */
interface Blocks {
  readonly large: number;
  readonly small: number;
}

async function inSession<T>(home: string, work: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session(() => embeddedLink({ home }));
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Runs a copy of this file. */
function inProcess(copy: string, home: string, blocks: Blocks, names: readonly string[]): Found {
  const args = [join(copy, "bench/choices.ts"), "--measure", home, JSON.stringify(blocks), names.join("|")];
  const done = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout.trim().split("\n").at(-1) ?? "") as Found;
}

async function compared(rows: number, repeats: number, wanted: readonly string[]): Promise<string[][]> {
  const table: string[][] = [];
  const paths = { large: await mixedCsv(rows), small: await mixedCsv(20_000) };
  await inFolder(async (folder) => {
    const home = join(folder, "home");
    const copied = (name: string, way?: Way) => {
      mkdirSync(join(folder, name));
      return copyWithout(way, join(folder, name));
    };
    const whole = copied("whole");
    const blocks = await inSession(home, async (session) => ({
      large: (await session.input(paths.large)).block,
      small: (await session.input(paths.small)).block,
    }));
    for (const [name, way] of Object.entries(ways)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const without = copied(name.replaceAll(/\W+/g, "-"), way);
      const least: Record<string, [number, number]> = {};
      for (let k = 0; k < repeats; k++) {
        const on = inProcess(whole, home, blocks, way.work);
        const off = inProcess(without, home, blocks, way.work);
        for (const work of way.work) {
          const [a, b] = least[work] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
          least[work] = [Math.min(a, on[work]!), Math.min(b, off[work]!)];
        }
      }
      for (const [work, [on, off]] of Object.entries(least)) {
        table.push([name, work, on.toFixed(0), off.toFixed(0), (off / on).toFixed(2)]);
      }
    }
  });
  return table;
}

type Found = Record<string, number>;

if (process.argv[2] === "--measure") {
  const [home = "", blocks = "", names = ""] = process.argv.slice(3);
  console.log(JSON.stringify(await measured(home, JSON.parse(blocks) as Blocks, names.split("|"))));
} else {
  const [rows = 1_000_000, repeats = 2] = process.argv.slice(2, 4).map(Number);
  const table = await compared(rows, repeats, process.argv.slice(4));
  const times = `the fewest of ${timesInProcess * repeats}`;
  console.log(`${rows.toLocaleString("en-US")} × 20, milliseconds of processor time, ${times}\n`);
  printTable(["way", "work", "with", "without", "without / with"], table);
}
