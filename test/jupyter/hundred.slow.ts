import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { kernelSpec } from "../../src/jupyter/install.ts";
import { Client, freePorts, outline } from "./client.ts";

const rounds = Number(process.env.BLOCKLAB_ROUNDS ?? 100);
const folder = mkdtempSync(join(tmpdir(), "blocklab-hundred-"));
const places = { lab: join(folder, "lab"), temp: join(folder, "temp"), home: join(folder, "home") };
for (const place of Object.values(places)) mkdirSync(place);
const env = { ...process.env, BLOCKLAB_HOME: places.lab, TMPDIR: places.temp, HOME: places.home, NODE_OPTIONS: "" };
// A cast because a kernelspec's content is whatever Jupyter reads.
const command = kernelSpec().argv as string[];
let ports: number[];

beforeAll(async () => {
  ports = await freePorts(5);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the kernel on the same ports as ever, as Jupyter does when it restarts one. */
async function start(): Promise<Client> {
  return await (await Client.launch(command, { env, cwd: folder }, ports)).ready();
}

const endless = [
  "let n = 1; await new Promise(() => {})",
  "let n = 1; while (true) n++",
  "let n = 1; await 1; while (true) n++",
  "let n = 1; await new Promise(() => setTimeout(() => { while (true) n++ }, 1))",
];

async function interrupt(client: Client, code: string, afterMs = 30): Promise<void> {
  const cell = client.sendCell(code);
  await client.broadcast(cell, "execute_input");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const [, { reply }] = await Promise.all([client.request("control", "interrupt_request"), client.finished(cell)]);
  expect(reply.content.ename).toMatch(/Interrupted|CancelledError/);
}

/** Runs a cell that must not fail; answers its value as text. */
async function value(client: Client, code: string): Promise<string> {
  const { reply, iopub } = await client.run(code);
  expect(reply.content, client.stderr).toMatchObject({ status: "ok" });
  const result = iopub.find(({ header }) => header.msg_type === "execute_result");
  return String((result?.content.data as Record<string, unknown> | undefined)?.["text/plain"]);
}

/** The processes that have this run's data folder in their environment. */
function alive(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`BLOCKLAB_HOME=${places.lab}`);
    } catch {
      return false;
    }
  });
}

/** Resolves once nothing of this run lives; a helper process may see a moment later that its kernel is gone. */
async function allGone(): Promise<void> {
  const end = Date.now() + 5_000;
  while (alive().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  const left = alive();
  expect(left, left.map((pid) => execFileSync("ps", ["-o", "args=", "-p", pid], { encoding: "utf8" })).join()).toEqual(
    [],
  );
}

/** All files below a folder. */
function filesIn(place: string): string[] {
  return existsSync(place) ? (readdirSync(place, { recursive: true }) as string[]).toSorted() : [];
}

async function areFree(wanted: readonly number[]): Promise<void> {
  for (const port of wanted) {
    await new Promise<void>((resolve, reject) => {
      const server = createServer().once("error", reject);
      server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
    });
  }
}

/** The three ways in which a kernel ends: it is asked to, it is told to, it is killed in the middle of its work. */
const ends: readonly ((client: Client) => Promise<void>)[] = [
  async (client) => {
    client.send("control", "shutdown_request", { restart: true });
    await client.until(() => client.replies.find(({ header }) => header.msg_type === "shutdown_reply"));
    expect(await client.ended()).toBe(0);
  },
  async (client) => {
    const cell = client.sendCell(
      "await session.missing('mode').encode({ columns: ['island', 'sex'] }).forestClassifier({ n_estimators: 50000 })",
    );
    await client.broadcast(cell, "execute_input");
    await new Promise((resolve) => setTimeout(resolve, 200));
    client.process.kill("SIGKILL");
    await client.ended();
  },
  async (client) => {
    client.process.kill("SIGTERM");
    expect(await client.ended()).toBe(0);
  },
];

it(
  `${rounds} kernels that are interrupted, then restarted, killed or ended leave nothing behind`,
  async () => {
    for (let round = 0; round < rounds; round++) {
      const client = await start();
      try {
        // The names of a cell that is interrupted before it begins have no values.
        await value(client, "1");
        await interrupt(client, endless[round % endless.length]);
        expect(Number(await value(client, "n"))).toBeGreaterThanOrEqual(1);
        await value(
          client,
          'session.project("rounds"); await session.input("sample:penguins").xy({ y: "species" }).split()',
        );
        await ends[round % ends.length](client);
      } finally {
        await client.close();
      }
      await allGone();
      // Node's cache of compiled code is there to stay.
      const left = filesIn(places.temp).filter((file) => !file.startsWith("node-compile-cache"));
      expect(left, `temporary files after round ${round}`).toEqual([]);
    }
    // Those of the last minute are left alone: another process may be about to take one.
    const locks = join(places.lab, "processes");
    for (const lock of readdirSync(locks)) utimesSync(join(locks, lock), 1_000, 1_000);
    const last = await start();
    expect(outline((await last.run("await session.projects()")).iopub)).toContain("execute_result");
    await ends[0](last);
    await last.close();
    await allGone();
    await areFree(ports);
    const left = filesIn(places.lab).filter((file) => /^(?:processes|spill|uploads)\/|^artifacts\/tmp-/.test(file));
    expect(left).toEqual([]);
    expect(filesIn(places.home)).toEqual([]);
  },
  rounds * 10_000,
);

it(
  `${rounds} interrupts at odd moments stop each cell and nothing else, also where kernels crowd the machine`,
  async () => {
    const work = async (lab: string): Promise<void> => {
      const client = await (await Client.launch(command, { env: { ...env, BLOCKLAB_HOME: lab }, cwd: folder })).ready();
      try {
        await value(client, "1");
        for (let k = 0; k < rounds; k++) {
          await interrupt(client, endless[k % endless.length].replace("let", "var"), (k * 37) % 160);
          expect(await value(client, `${k} + 1`)).toBe(String(k + 1));
        }
      } finally {
        await client.close();
      }
    };
    await Promise.all(["one", "two", "three"].map((name) => work(join(folder, name))));
  },
  rounds * 5_000,
);
