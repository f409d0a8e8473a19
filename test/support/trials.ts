import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedLink } from "../../src/client/embedded.ts";
import { BlocklabError } from "../../src/core/errors.ts";
import { type Chain, type Result, Session } from "../../src/session/index.ts";
import { disagreements } from "./agreement.ts";
import type { Recipe } from "./odd-chains.ts";
import type { OddFile } from "./odd-files.ts";
import { ScriptRunner } from "./python-scripts.ts";

/** So many columns of a file are tried one by one. */
const mostColumns = 10;

/** What came of a recipe on a file. */
export interface Trial {
  /** Chains that ran. */
  readonly ran: number;
  /** What those that the data can't take were told. */
  readonly refused: readonly string[];
  /** What the others' scripts came to otherwise. */
  readonly wrong: readonly string[];
}

/** Tries chains and their scripts side by side, in one session and one Python. */
export class Trials {
  readonly #home = mkdtempSync(join(tmpdir(), "blocklab-agreement-"));
  readonly #link = embeddedLink({ home: join(this.#home, "data"), threads: 0 });
  readonly #session = new Session(() => this.#link);
  readonly #runner: ScriptRunner;
  #projects = 0;

  constructor(python: string) {
    this.#runner = new ScriptRunner(python);
  }

  /** Tries a recipe on an odd file. */
  async ofFile(file: OddFile, recipe: Recipe): Promise<Trial> {
    const path = file.content === undefined ? file.file : join(this.#home, file.file);
    if (file.content !== undefined) writeFileSync(path, file.content);
    return await this.#of(
      (session) => (file.args ? session.input(path, file.args as never) : session.input(path)),
      file,
      recipe,
    );
  }

  /** Tries a recipe on a sample. */
  async ofSample(name: string, recipe: Recipe): Promise<Trial> {
    const none = { name, file: "", odd: [] };
    return await this.#of((session) => session.input(`sample:${name}`), none, recipe);
  }

  async close(): Promise<void> {
    this.#runner.close();
    await this.#session.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #of(read: (session: Session) => Chain, file: OddFile, recipe: Recipe): Promise<Trial> {
    await this.#session.project(`p${++this.#projects}`);
    const refused: string[] = [];
    const wrong: string[] = [];
    let ran = 0;
    const first = await accepted(read(this.#session), refused);
    if (!first) return { ran, refused, wrong };
    const { columns } = await first.dataset.shape();
    const odd = columns.filter((column) => file.odd.length === 0 || file.odd.includes(column.name));
    const made = recipe(read(this.#session), odd.slice(0, mostColumns), file);
    for (const chain of Array.isArray(made) ? (made as readonly Chain[]) : [made as Chain]) {
      const result = await accepted(chain, refused);
      if (!result) continue;
      ran++;
      const found = await disagreements(result, await this.#link, this.#runner);
      if (found.length > 0) wrong.push(found.join("\n"));
    }
    return { ran, refused, wrong };
  }
}

/** What a chain comes to; null where it refuses its data, which is no matter of Python's. */
async function accepted(chain: Chain, refused: string[]): Promise<Result | null> {
  try {
    return await chain;
  } catch (error) {
    if (!(error instanceof BlocklabError) || error.status >= 500) throw error;
    refused.push(error.message);
    return null;
  }
}
