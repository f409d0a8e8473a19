import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import type { Evaluator } from "../../src/evaluator/evaluator.ts";
import { Dice } from "./expressions.ts";
import { makeProgram, type Program } from "./programs.ts";

/** BLOCKLAB_FUZZ and BLOCKLAB_FUZZ_FROM ask for more programs, or for others. */
const count = Number(process.env.BLOCKLAB_FUZZ ?? 300);
const first = Number(process.env.BLOCKLAB_FUZZ_FROM ?? 1);
const folder = mkdtempSync(join(tmpdir(), "blocklab-fuzz-"));
const seeds = Array.from({ length: count }, (_, k) => first + k);

/** What a program came to. */
interface Outcome {
  readonly printed: string;
  /** The values of its names, or its error: name, words, and where Node tells it line and column. */
  readonly end: string;
}

/** Imports modules one after the other in a Node of its own, and says what they came to. */
const runner = `
import { readFileSync } from "node:fs";
import { format, inspect } from "node:util";
const outcomes = [];
let printed = "";
console.log = console.error = (...words) => { printed += format(...words) + "\\n"; };
for (const file of JSON.parse(readFileSync(0, "utf8"))) {
  printed = "";
  let error = null;
  try { await import(file); } catch (thrown) {
    const isError = thrown instanceof Error;
    error = { isError, name: isError ? thrown.name : "Thrown", message: isError ? thrown.message : typeof thrown === "string" ? thrown : JSON.stringify(thrown) };
    const place = /:(\\d+):(\\d+)\\)?$/.exec(String(thrown?.stack).split("\\n").find((line) => line.includes(file)) ?? "");
    error.place = place ? [Number(place[1]), Number(place[2])] : null;
  }
  outcomes.push({ printed, error, values: error ? "" : inspect(globalThis.ended, { depth: 5 }) });
}
process.stdout.write(JSON.stringify(outcomes));
`;

interface Raw {
  readonly printed: string;
  readonly values: string;
  readonly error: { isError: boolean; name: string; message: string; place: [number, number] | null } | null;
}

/** Names that cells declare again have one spelling: \`n3b\` is \`n3a\`. */
const oneSpelling = (text: string): string => text.replace(/\b([A-Za-z]+\d+)[ab]\b/g, "$1a");

const values = ({ names }: Program): string => `[${names.join(", ")}]`;

function moduleOf(program: Program): { file: string; text: string } {
  const text = [...program.pieces.map((piece) => piece.text), `globalThis.ended = ${values(program)};`].join("\n");
  if (!program.isCompiled) return { file: "mts", text };
  const { ESNext } = ts.ModuleKind;
  const options = { target: ts.ScriptTarget.ES2024, module: ESNext, verbatimModuleSyntax: true };
  return { file: "mjs", text: ts.transpileModule(text, { compilerOptions: options }).outputText };
}

let outcomes: Raw[];
let evaluator: Evaluator;
let printed = "";

beforeAll(() => {
  const files = seeds.map((seed) => {
    const { file, text } = moduleOf(makeProgram(seed));
    const path = join(folder, `program-${seed}.${file}`);
    writeFileSync(path, text);
    return path;
  });
  const program = join(folder, "runner.mjs");
  writeFileSync(program, runner);
  const env = { ...process.env, NODE_OPTIONS: "" };
  const options = { encoding: "utf8", env, maxBuffer: 1e8, input: JSON.stringify(files) } as const;
  outcomes = JSON.parse(execFileSync(process.execPath, ["--no-warnings", program], options));
  evaluator = createEvaluator({
    cwd: folder,
    onOutput: (_, text) => {
      printed += text;
    },
  });
}, 60_000);

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The program as cells, cut where the dice say and where a name is declared again. */
function cellsOf({ pieces }: Program, share: number, dice: Dice): string[] {
  const cells: string[] = [];
  for (const { text, isAgain } of pieces) {
    if (cells.length === 0 || isAgain || dice.chance(share)) cells.push(text);
    else cells[cells.length - 1] += `\n${text}`;
  }
  return cells.map(oneSpelling);
}

async function inCells(program: Program, cells: readonly string[]): Promise<Outcome> {
  printed = "";
  let line = 0;
  for (const cell of cells) {
    const result = await evaluator.run(cell);
    if (result.kind === "error") {
      const { name, message, trace } = result.error;
      const place = /line (\d+), column (\d+)/.exec(trace.find((frame) => frame.startsWith("at ")) ?? "");
      const at = place && !program.isCompiled ? `${Number(place[1]) + line}:${place[2]}` : "";
      return { printed, end: `${name}: ${message} ${at}` };
    }
    line += cell.split("\n").length;
  }
  const last = await evaluator.run(oneSpelling(values(program)));
  const end = last.kind === "value" ? inspect(last.value, { depth: 5 }) : inspect(last.error);
  return { printed, end };
}

function inNode(program: Program, { printed, values, error }: Raw): Outcome {
  if (!error) return { printed: oneSpelling(printed), end: oneSpelling(values) };
  const at = error.place && !program.isCompiled ? error.place.join(":") : "";
  return { printed: oneSpelling(printed), end: oneSpelling(`${error.name}: ${error.message} ${at}`) };
}

describe("programs made at random come to the same as in a module of Node's", () => {
  it.each([
    ["in as few cells as can be", 0],
    ["in cells of a few statements", 0.4],
    ["in a cell for each statement", 1],
  ])(
    "%s",
    async (_, share) => {
      for (const [k, seed] of seeds.entries()) {
        const program = makeProgram(seed);
        const cells = cellsOf(program, share, new Dice(seed));
        const found = await inCells(program, cells);
        expect(found, `seed ${seed}:\n${cells.join("\n---\n")}`).toEqual(inNode(program, outcomes[k]));
      }
    },
    60_000,
  );

  it("and there are programs of all kinds among them", () => {
    const programs = seeds.map(makeProgram);
    const share = (is: (program: Program, k: number) => boolean) => programs.filter(is).length / count;
    expect(share((_, k) => outcomes[k].error !== null)).toBeGreaterThan(0.2);
    expect(share((_, k) => outcomes[k].error === null)).toBeGreaterThan(0.4);
    expect(share(({ isCompiled }) => isCompiled)).toBeGreaterThan(0.1);
    expect(share(({ pieces }) => pieces.some(({ isAgain }) => isAgain))).toBeGreaterThan(0.1);
  });
});
