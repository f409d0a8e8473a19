/**
 * How the prompt feels: when it is ready, how soon a key is drawn, how long `1 + 1` takes, and what it holds at rest;
 * beside Node's own prompt and IPython, where they are at hand. Prints a markdown table.
 *
 * node bench/repl.ts [rounds=5]. Each runs in a terminal of its own (`script`, from util-linux) of 80 × 30.
 * BLOCKLAB_PYTHON names a Python with IPython.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, printTable, pythonWith, quantile, residentOf, root } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 5);
const keys = "QZXVWJYU";

/** A prompt to be measured. */
interface Subject {
  readonly name: string;
  readonly command: string;
  /** What it shows once one can type. */
  readonly prompt: RegExp;
  /** What it shows once all is loaded (default: the prompt). */
  readonly ready?: RegExp;
  /** A cell that prints ten thousand lines. */
  readonly lines: string;
  /** 200 lines that wait in the editor, as they are typed or pasted. */
  readonly long: string;
}

const lines = "1234 + 5678,\n".repeat(200);
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
const python = pythonWith("IPython");

const subjects: readonly Subject[] = [
  {
    name: "blocklab",
    command: `'${process.execPath}' '${join(root, "dist/cli.js")}'`,
    prompt: /^> /m,
    ready: /default · no block/,
    lines: "for (let k = 0; k < 10_000; k++) console.log(k); 'printed'\r",
    long: pasted(`[\n${lines}`),
  },
  {
    name: "node",
    command: `'${process.execPath}'`,
    prompt: /> $/,
    lines: "for (let k = 0; k < 10_000; k++) console.log(k); 'printed'\r",
    long: `[\r${lines.replaceAll("\n", "\r")}`,
  },
  ...(python
    ? [
        {
          name: "IPython",
          command: `'${python}' -m IPython --no-banner`,
          prompt: /In \[/,
          lines: "for k in range(10_000): print(k)\r\r'printed'\r",
          long: pasted(`[\n${lines}`),
        },
      ]
    : []),
];

/** A program in a terminal, whose output is read as it comes. */
class Program {
  readonly #process: ChildProcess;
  readonly #home: string;
  #heard = "";

  constructor(command: string, home: string) {
    this.#home = home;
    const line = `echo $$ > '${join(home, "pid")}'; stty rows 30 cols 80; exec ${command}`;
    const { CI: _, ...inherited } = process.env; // with it, programs draw without colours
    const env = { ...inherited, BLOCKLAB_HOME: home, HOME: home, IPYTHONDIR: home, TERM: "xterm-256color" };
    this.#process = spawn("script", ["-qfec", line, "/dev/null"], {
      stdio: ["pipe", "pipe", "ignore"],
      env,
      cwd: home,
    });
    this.#process.stdout!.on("data", (data: Buffer) => {
      const text = data.toString();
      // Some ask where the cursor is, and wait for the answer.
      if (text.includes("\u001b[6n")) this.#process.stdin!.write("\u001b[1;1R");
      this.#heard += text.replace(/\u001b\[[\d;?>]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g, "");
    });
  }

  /** Types, and waits until what comes then matches; answers the milliseconds. */
  async type(text: string, sign: RegExp): Promise<number> {
    this.#heard = "";
    const start = performance.now();
    this.send(text);
    return await this.until(sign, start);
  }

  /** Types. */
  send(text: string): void {
    this.#process.stdin!.write(text);
  }

  async until(sign: RegExp, start: number): Promise<number> {
    for (;;) {
      if (sign.test(this.#heard)) return performance.now() - start;
      if (performance.now() - start > 30_000) throw new Error(`${sign} never came:\n${this.#heard.slice(-500)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resident memory in MB. */
  get memory(): number {
    return residentOf(Number(readFileSync(join(this.#home, "pid"), "utf8"))).now;
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.kill();
    await ended;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The milliseconds that each key takes to be drawn. */
async function typed(program: Program): Promise<number[]> {
  const found: number[] = [];
  for (const key of keys) {
    // What the last key started, such as a preview, has come to rest.
    await pause(250);
    found.push(await program.type(key, new RegExp(key)));
  }
  return found;
}

async function measure(subject: Subject) {
  const found = {
    prompt: [] as number[],
    ready: [] as number[],
    sum: [] as number[],
    key: [] as number[],
    long: [] as number[],
    memory: [] as number[],
  };
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (home) => {
      const start = performance.now();
      const program = new Program(subject.command, home);
      try {
        found.prompt.push(await program.until(subject.prompt, start));
        found.ready.push(await program.until(subject.ready ?? subject.prompt, start));
        await pause(3_000);
        found.memory.push(program.memory);
        for (let k = 0; k < 5; k++) {
          found.sum.push(await program.type("123456 + 654321\r", /777777/));
          await pause(250);
        }
        found.key.push(...(await typed(program)));
        program.send("\u0015");
        await pause(250);
        await program.type(subject.lines, /9999[\s\S]*'printed'/);
        await pause(500);
        await program.type(subject.long, /5678,(?:[\s\S]*5678,){10}/);
        await pause(1_000);
        found.long.push(...(await typed(program)));
      } finally {
        await program.end();
      }
    });
  }
  return found;
}

const cell = (values: readonly number[]) =>
  `${quantile(values, 0.5).toFixed(1)} (${quantile(values, 0.95).toFixed(1)})`;
const results = [];
for (const subject of subjects) results.push(await measure(subject));
console.log(`Median (95th percentile) of ${rounds} rounds; ms, memory in MB\n`);
printTable(
  ["", ...subjects.map(({ name }) => name)],
  [
    ["the prompt is drawn", ...results.map(({ prompt }) => cell(prompt))],
    ["all is loaded", ...results.map(({ ready }) => cell(ready))],
    ["a sum has answered", ...results.map(({ sum }) => cell(sum))],
    ["a key is drawn", ...results.map(({ key }) => cell(key))],
    ["a key is drawn, 10,000 lines above and 200 in the editor", ...results.map(({ long }) => cell(long))],
    ["memory at rest", ...results.map(({ memory }) => cell(memory))],
  ],
);
