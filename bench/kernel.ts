/**
 * How the Jupyter kernel feels: from the start of its process to a first result, the round trip of a trivial cell, how
 * soon a completion comes, and what it holds at rest; beside tslab's own kernel and ipykernel, where they are at hand.
 * Prints a markdown table.
 *
 * node bench/kernel.ts [rounds=5] [rest=2]; `rest` is for how many minutes the kernels are left alone at the end, once,
 * all at a time, before their memory is read again. Speaks the protocol over ZeroMQ, as a front end does. BLOCKLAB_PYTHON names a Python
 * with ipykernel. Memory is the proportional share (PSS) of the kernel's processes, read from /proc.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kernelSpec } from "../src/jupyter/install.ts";
import { Client } from "../test/jupyter/client.ts";
import { inFolder, printTable, pythonWith, quantile, root, timed } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 5);
const restMinutes = Number(process.argv[3] ?? 2);
const cells = 40;
const settleMs = 5_000;

/** A kernel to be measured. */
interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  /** A cell, and half a name after it, of which there are several. */
  readonly declares: string;
  readonly half: string;
  /** Half an option of a call on the session. */
  readonly option?: string;
}

const text = { declares: "const text = 'abc'", half: "text.to" };
const python = pythonWith("ipykernel");
const subjects: readonly Subject[] = [
  {
    name: "blocklab",
    // A cast because a kernelspec's content is whatever Jupyter reads.
    command: kernelSpec().argv as string[],
    ...text,
    option: 'session.missing({ strategy: "me',
  },
  {
    name: "tslab",
    command: [join(root, "node_modules/.bin/tslab"), "kernel", "--config-path={connection_file}"],
    ...text,
  },
  ...(python
    ? [
        {
          name: "ipykernel",
          command: [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
          declares: "text = 'abc'",
          half: "text.is",
        },
      ]
    : []),
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A process and what it started, and what these started. */
function family(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return [];
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(join(tasks, task, "children"), "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
  return [pid, ...children.flatMap(family)];
}

/** What a process and its children hold, in MB; a page that n processes share counts as 1/n for each. */
function memory(pid: number): number {
  const kilobytes = family(pid).map((each) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, "utf8"))?.[1]),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

async function complete(client: Client, code: string): Promise<number> {
  let matches: unknown;
  const ms = await timed(async () => {
    const { reply } = await client.request("shell", "complete_request", { code, cursor_pos: code.length });
    matches = reply.content.matches;
  });
  if (!Array.isArray(matches) || matches.length === 0) throw new Error(`nothing completes ${code}`);
  return ms;
}

/** Asks who the kernel is, again and again as a front end does, then runs a first cell. */
async function firstResult(client: Client): Promise<void> {
  const asked = client.send("shell", "kernel_info_request");
  await client.until(() => client.replies.find(({ parent }) => parent.msg_id === asked), 60_000);
  const cell = client.sendCell("1 + 1");
  const reply = await client.until(() => client.replies.find(({ parent }) => parent.msg_id === cell), 60_000);
  if (reply.content.status !== "ok") throw new Error(JSON.stringify(reply.content));
}

function launch(subject: Subject, home: string): Promise<Client> {
  const env = { ...process.env, BLOCKLAB_HOME: home, IPYTHONDIR: home };
  return Client.launch(subject.command, { env, cwd: home });
}

/** What a kernel holds that has answered, completed, and then been left alone. */
async function leaveAlone(subject: Subject): Promise<number> {
  return await inFolder(async (home) => {
    const client = await launch(subject, home);
    try {
      await firstResult(client);
      await client.ready();
      await client.run(subject.declares);
      await complete(client, subject.half);
      await pause(restMinutes * 60_000);
      return memory(client.process.pid!);
    } finally {
      await client.close();
    }
  });
}

async function measureOnce(subject: Subject, home: string, found: Record<string, number[]>): Promise<void> {
  const start = performance.now();
  const client = await launch(subject, home);
  try {
    await firstResult(client);
    found.first.push(performance.now() - start);
    await client.ready();
    await pause(settleMs);
    found.memory.push(memory(client.process.pid!));
    for (let k = 0; k < cells; k++) {
      found.cell.push(await timed(() => client.run(`${k} + 1`)));
      await pause(20);
    }
    await client.run(subject.declares);
    // The first completions load what they need.
    found.cold.push(await complete(client, subject.half));
    for (const [name, code] of [
      ["half", subject.half],
      ["option", subject.option],
    ] as const) {
      for (let k = 0; code !== undefined && k < 12; k++) {
        // Another text each time, as when somebody types; the same one would be answered from what was found before.
        const ms = await complete(client, `${k};\n${code}`);
        if (k >= 2) found[name].push(ms);
        await pause(20);
      }
    }
    await pause(settleMs);
    found.after.push(memory(client.process.pid!));
  } finally {
    await client.close();
  }
}

async function measure(subject: Subject): Promise<Record<string, number[]>> {
  const names = ["first", "cell", "cold", "half", "option", "memory", "after", "rest"];
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) await inFolder((home) => measureOnce(subject, home, found));
  return found;
}

const digits = (value: number) => value.toFixed(value < 20 ? 1 : 0);
const cell = (values: readonly number[]) =>
  values.length === 0 ? "–" : `${digits(quantile(values, 0.5))} (${digits(quantile(values, 0.95))})`;
const results: Record<string, number[]>[] = [];
for (const subject of subjects) results.push(await measure(subject));
if (restMinutes > 0) {
  const left = await Promise.all(subjects.map(leaveAlone));
  results.forEach((found, k) => {
    found.rest.push(left[k]);
  });
}
const row = (label: string, name: string) => [label, ...results.map((found) => cell(found[name]))];
console.log(`Median (95th percentile) of ${rounds} rounds; ms, memory in MB\n`);
printTable(
  ["", ...subjects.map(({ name }) => name)],
  [
    row("from its start to a first result", "first"),
    row("a trivial cell, there and back", "cell"),
    row("the first completion", "cold"),
    row("a completion of a method, warm", "half"),
    row("a completion of a call's option, warm", "option"),
    row("memory after the first result", "memory"),
    row("memory after the completions", "after"),
    row(`memory at rest, ${restMinutes} minutes later`, "rest"),
  ],
);
