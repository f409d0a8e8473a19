/** A declaration file that is held back until it is needed. */
interface Held {
  /** A cell that has all of these words in it may mean the file. */
  readonly words: readonly string[];
  /** The modules that it declares. */
  readonly modules: readonly string[];
  /** The modules that it imports. */
  readonly imports: readonly string[];
  /** What stands in its stead. */
  readonly stub: string;
}

/** Globals that are declared elsewhere, by words of undici's types. */
const fetching = /\b(?:fetch|Request|Response|Headers|FormData|WebSocket|EventSource|MessageEvent|CloseEvent)\b/;

/**
 * Declaration files for the checker, with Node's by parts: what declares globals at once, a further module once a cell
 * or a package names it, and with it those that it imports.
 *
 * Together they are 2.6 MB of text, of which a checker makes 45 MB; most notebooks name two or three modules. A module
 * that is held back is there by its name, for completion, and of any type.
 */
export class TypeFiles {
  readonly #read: (file: string) => string | undefined;
  readonly #isOwn: (file: string) => boolean;
  readonly #words = new Set<string>();
  readonly #modules = new Set<string>();
  readonly #held = new Map<string, Held>();
  #fetches = false;

  /** `isOwn` tells files whose imports need nothing of Node's types. */
  constructor(read: (file: string) => string | undefined, isOwn: (file: string) => boolean) {
    this.#read = read;
    this.#isOwn = isOwn;
  }

  /** Notes what a cell names. */
  mention(code: string): void {
    for (const [word] of code.matchAll(/\w+/g)) this.#words.add(word);
    this.#fetches ||= fetching.test(code);
    for (const held of this.#held.values()) this.#bringImports(held);
  }

  /** A file's text, or what stands in its stead. */
  text(file: string): string | undefined {
    const text = this.#read(file);
    if (text === undefined || !file.endsWith(".d.ts")) return text;
    const held = this.#heldBack(file, text);
    if (held) return this.#isWanted(held) ? text : held.stub;
    if (!isOfNode(file) && !this.#isOwn(file)) for (const name of importsOf(text)) this.#modules.add(name);
    return text;
  }

  /** Changes when the file's text does. */
  version(file: string): string {
    const held = this.#held.get(file);
    return held && this.#isWanted(held) ? "2" : "1";
  }

  #heldBack(file: string, text: string): Held | null {
    const known = this.#held.get(file);
    if (known) return known;
    const held = toHeld(file, text);
    if (!held) return null;
    this.#held.set(file, held);
    this.#bringImports(held);
    return held;
  }

  #isNamed(held: Held): boolean {
    if (held.modules.length === 0) return this.#fetches;
    return held.words.every((word) => this.#words.has(word));
  }

  #isWanted(held: Held): boolean {
    return this.#isNamed(held) || held.modules.some((name) => this.#modules.has(name));
  }

  #bringImports(held: Held): void {
    if (this.#isNamed(held)) for (const name of held.imports) this.#modules.add(name);
  }
}

function isOfNode(file: string): boolean {
  return /\/node_modules\/(?:@types\/node|undici-types)\//.test(file);
}

/** What is to be held back of Node's types; null for a file that is there from the beginning. */
function toHeld(file: string, text: string): Held | null {
  if (file.endsWith("/undici-types/index.d.ts")) return { words: [], modules: [], imports: [], stub: "export {};" };
  const inner = /\/@types\/node\/(.+)\.d\.ts$/.exec(file)?.[1];
  if (inner === undefined || /^\s*(?:declare )?global \{/m.test(text)) return null;
  const names = [...text.matchAll(/^declare module "([^"]+)"/gm)].map(([, name]) => name);
  if (names.length === 0) return null;
  return {
    words: inner.split(/\W+/).filter((word) => word !== "generated"),
    modules: [...new Set(names.map(bare))],
    imports: importsOf(text),
    stub: names.map((name) => `declare module "${name}";`).join("\n"),
  };
}

/** The modules that a declaration file imports by a statement. */
function importsOf(text: string): string[] {
  const found = text.matchAll(/^\s*(?:import|export)\b[^;"]*?\b(?:from\s*|require\()"([^"]+)"/gm);
  return [...new Set([...found].map(([, name]) => bare(name)))];
}

function bare(name: string): string {
  return name.replace(/^node:/, "");
}
