import type { Link } from "../client/link.ts";
import type { Block } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { BlockRequest, StateRecord } from "../core/record.ts";
import { byCode } from "../registry/index.ts";
import { isDefault } from "./defaults.ts";

/** The chain that leads to a block, the input first. */
export async function chainTo(
  link: Link,
  { project, block_id }: Pick<StateRecord, "project" | "block_id">,
): Promise<StateRecord[]> {
  const chain = chainOf(await link.states(project, { block: block_id, chain: true }), block_id);
  // Lists leave large outputs out.
  return await Promise.all(chain.map((each) => (each.output_bytes === undefined ? each : link.state(each.id))));
}

/** The states in the order of the chain; a deleted block may have left its children behind. */
export function chainOf(states: readonly StateRecord[], block: number): StateRecord[] {
  const byBlock = new Map(states.map((state) => [state.block_id, state]));
  const chain: StateRecord[] = [];
  for (let at = byBlock.get(block); at; at = at.parent_id === 0 ? undefined : byBlock.get(at.parent_id)) {
    chain.unshift(at);
  }
  return chain;
}

/** In which language the chain is wanted. */
export interface CodeOptions {
  /** "typescript": blocklab's own calls; "python": a script for pandas and scikit-learn that gives the same numbers (default "typescript"). */
  readonly as?: "typescript" | "python";
}

/** The chain that leads to a block as a program: TypeScript, or Python when asked. */
export async function programFor(link: Link, record: StateRecord, { as }: CodeOptions = {}): Promise<string> {
  if (as === undefined || as === "typescript") return await codeFor(link, record);
  if (as !== "python")
    throw new ArgsError(`code: as must be "typescript" or "python", got ${quoted(String(as))}.`, {
      path: "as",
      got: as,
      expected: ["typescript", "python"],
    });
  const { pythonFor } = await import("./python/index.ts");
  return await pythonFor(link, record);
}

/** The chain that leads to a block as TypeScript that makes it again, drawn seeds included. */
export async function codeFor(link: Link, record: StateRecord): Promise<string> {
  const chain = await chainTo(link, record);
  const requests = await Promise.all(chain.map((state) => link.request(state.id)));
  const calls = requests.map((request) => `  .${callText(request)}`);
  return `import { session } from "blocklab";\n\nawait session\n${calls.join("\n")};\n`;
}

/** A request as the call of its helper. */
export function callText(request: BlockRequest): string {
  const block = byCode(request.function_code);
  const name = block.name.split(".").at(-1) ?? block.name;
  const args = { ...request.args };
  const given: string[] = [];
  for (const name of block.positional ?? []) {
    if (name.startsWith("...") || typeof args[name] !== "string") break;
    given.push(valueText(block, name, args[name]));
    delete args[name];
  }
  // Defaults are left out: the block fills them in again.
  const rest = Object.entries(args).filter(([key, value]) => !isDefault(block.args[key], value));
  if (rest.length > 0)
    given.push(`{ ${rest.map(([key, value]) => `${keyText(key)}: ${valueText(block, key, value)}`).join(", ")} }`);
  return `${name}(${given.join(", ")})`;
}

/** A table as a program hands it over: rows, where they stand in a data URL. */
function tableIn(value: unknown): unknown {
  const [, text] = /^data:application\/json,(\[\{.*\}\])$/s.exec(String(value)) ?? [];
  if (text === undefined) return value;
  try {
    return JSON.parse(text.replaceAll("%23", "#").replaceAll("%25", "%"));
  } catch {
    return value;
  }
}

function valueText(block: Block, key: string, value: unknown): string {
  if (block.tables?.includes(key)) return literalText(Array.isArray(value) ? value.map(tableIn) : tableIn(value));
  // A secret is not stored; the environment has to bring it again.
  const isSecret = value === null && block.secrets?.includes(key);
  return isSecret ? `process.env.BLOCKLAB_${key.toUpperCase()}` : literalText(value);
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function literalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${keyText(key)}: ${literalText(inner)}`)
      .join(", ")} }`;
  }
  return JSON.stringify(value);
}
