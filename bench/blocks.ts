/**
 * What one block costs on a small table, in-process and over http, and prints a markdown table.
 *
 * node bench/blocks.ts [rounds=200]. A round opens a fresh project and runs a chain on the penguins (344 rows),
 * as a notebook would: one helper after the other on the session, each awaited. The http service is a process of
 * its own on this machine. "view" is the time to read what the block shows and to draw it as text; "cell" is that of a
 * cell of a notebook or the prompt, which asks for the block and its view in one request and draws it.
 */
import { randomBytes } from "node:crypto";
import { viewOf } from "../src/core/view.ts";
import { type Chain, createSession, type Result, type Session } from "../src/index.ts";
import { toText } from "../src/render/index.ts";
import { inFolder, printTable, quantile, timed, withService } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 200);
const warmUp = 5;

const steps: Readonly<Record<string, (session: Session) => Chain>> = {
  input: (session) => session.input("sample:penguins"),
  info: (session) => session.info(),
  missing: (session) => session.missing({ strategy: "mean" }),
  xy: (session) => session.xy({ y: "species" }),
  encode: (session) => session.encode({ columns: ["island", "sex"] }),
  split: (session) => session.split({ test_size: 0.25, random_state: 0 }),
  scale: (session) => session.scale("standard"),
};

type Times = Record<string, { run: number[]; view: number[]; cell: number[] }>;

/** Runs work as a cell does; see `currentCell` of the session. */
async function asCell<T>(work: () => Promise<T>): Promise<T> {
  const place = globalThis as { [seam]?: () => { signal: AbortSignal } };
  const { signal } = new AbortController();
  place[seam] = () => ({ signal });
  try {
    return await work();
  } finally {
    delete place[seam];
  }
}
const seam = Symbol.for("blocklab.cell");

async function drawn(result: Result, name: string): Promise<void> {
  if (toText(await result[viewOf]()) === "") throw new Error(`${name} shows nothing`);
}

async function measure(session: Session): Promise<Times> {
  const times: Times = Object.fromEntries(Object.keys(steps).map((name) => [name, { run: [], view: [], cell: [] }]));
  for (let round = -warmUp; round < rounds; round++) {
    const { app_id } = await session.project(`round ${round}`);
    for (const [name, step] of Object.entries(steps)) {
      const run = await timed(() => step(session).then());
      const result = await session.at(session.last);
      const view = await timed(() => drawn(result, name));
      if (round < 0) continue;
      times[name].run.push(run);
      times[name].view.push(view);
    }
    const cells = await session.project(`cells of round ${round}`);
    for (const [name, step] of Object.entries(steps)) {
      const cell = await timed(() => asCell(async () => drawn(await step(session), name)));
      if (round >= 0) times[name].cell.push(cell);
    }
    for (const each of [app_id, cells.app_id]) await (await session.link).deleteProject(each);
  }
  await session.close();
  return times;
}

const embedded = await inFolder((home) => measure(createSession({ home })));
const key = randomBytes(32).toString("hex");
const http = await inFolder((home) =>
  withService(key, ["--home", home], ({ url }) => measure(createSession({ url, key }))),
);

console.log(`One block on 344 rows, median (95th percentile) of ${rounds} runs, ms\n`);
const cell = (values: readonly number[]) =>
  `${quantile(values, 0.5).toFixed(1)} (${quantile(values, 0.95).toFixed(1)})`;
printTable(
  ["block", "in-process", "its view", "cell", "http", "its view", "cell"],
  Object.keys(steps).map((name) => [
    name,
    ...[embedded, http].flatMap((times) => [cell(times[name].run), cell(times[name].view), cell(times[name].cell)]),
  ]),
);
