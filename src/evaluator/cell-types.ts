import { dirname, join } from "node:path";
import type ts from "typescript";
import type { Completions, Inspection } from "./evaluator.ts";
import { excerptOf } from "./syntax.ts";
import { TypeFiles } from "./type-files.ts";
import { clear, ignorant, telling } from "./type-messages.ts";
import type { Questions, TypeFault, TypesOptions } from "./types-protocol.ts";

const mostWarnings = 5;

/** So many entries of a menu are described. */
const mostDetails = 20;

/** A top-level statement that later cells see. */
interface Kept {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * The language service itself, over one virtual file: what earlier cells declare, then the cell at hand.
 *
 * A declaration is dropped once a later cell declares one of its names again.
 */
export class CellTypes implements Questions {
  readonly #ts: typeof ts;
  readonly #options: TypesOptions;
  readonly #file: string;
  readonly #files: TypeFiles;
  readonly #service: ts.LanguageService;
  #kept: readonly Kept[] = [];
  /** The last short menu, and the code around the word it was for. */
  #menu: { readonly around: string; readonly word: string; readonly found: Completions } | null = null;
  #text = "";
  #version = 0;

  constructor(compiler: typeof ts, options: TypesOptions) {
    this.#ts = compiler;
    this.#options = options;
    this.#file = slashed(join(options.cwd ?? process.cwd(), "__cell__.ts"));
    this.#files = new TypeFiles(compiler.sys.readFile, (file) => this.#isOwn(file));
    this.#service = compiler.createLanguageService(this.#host(), compiler.createDocumentRegistry());
  }

  add(code: string): null {
    this.#menu = null;
    this.#files.mention(code);
    this.#kept = this.#with(code);
    return null;
  }

  complete(code: string, cursor: number): Completions {
    const word = /(?<![\w$])[\w$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    const around = `${code.slice(0, cursor - word.length)}\0${code.slice(cursor)}`;
    if (this.#menu?.around === around && word.startsWith(this.#menu.word)) {
      const { start, items } = this.#menu.found;
      const left = items.filter((item) => item.text.toLowerCase().startsWith(code.slice(start, cursor).toLowerCase()));
      if (left.length > 0) return { start, end: cursor, items: left };
    }
    const found = this.#completeWord(code, cursor, word);
    this.#menu = found.items.length <= mostDetails ? { around, word, found } : null;
    return found;
  }

  #completeWord(code: string, cursor: number, word: string): Completions {
    const found = this.#entries(code, cursor);
    if (found.items.length > 0 || word === "") return found;
    // Half a name can be an argument that fits no signature, of which then nothing is offered.
    const without = this.#entries(code.slice(0, cursor - word.length) + code.slice(cursor), cursor - word.length);
    const items = without.items.filter((item) => item.text.toLowerCase().startsWith(word.toLowerCase()));
    return { start: cursor - word.length, end: cursor, items };
  }

  #entries(code: string, cursor: number): Completions {
    const start = this.#place(code);
    const found = this.#service.getCompletionsAtPosition(this.#file, start + cursor, {
      includeCompletionsWithInsertText: true,
      // Node finds a file by its whole name alone.
      importModuleSpecifierEnding: "js",
    });
    const word = /(?<![\w$])[\w$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    // The name of a module is no word; its entries say themselves what they replace.
    const quoted = found?.optionalReplacementSpan ?? found?.entries[0]?.replacementSpan;
    const from = quoted ? quoted.start - start : cursor - word.length;
    const typed = code.slice(from, cursor).toLowerCase();
    const items = (found?.entries ?? [])
      .filter((entry) => entry.name.toLowerCase().startsWith(typed) && entry.kind !== "warning")
      .slice(0, 200)
      .map((entry, k) => ({
        text: entry.name,
        kind: entry.kind,
        ...(k < mostDetails ? this.#details(start + cursor, entry) : {}),
      }));
    return { start: from, end: cursor, items };
  }

  inspect(code: string, cursor: number): Inspection | null {
    const start = this.#place(code);
    // At the end of a name the name is meant, not what follows it.
    const at = /[\w$]/.test(code[cursor] ?? "") ? cursor : Math.max(0, cursor - 1);
    const info = this.#service.getQuickInfoAtPosition(this.#file, start + at);
    if (!info) return null;
    const docs = this.#ts.displayPartsToString(info.documentation);
    return { signature: this.#ts.displayPartsToString(info.displayParts), docs };
  }

  fault(code: string): TypeFault | null {
    const found = this.#faults(code).find((each) => each.concernsSession);
    return found ? { message: found.message, excerpt: found.excerpt } : null;
  }

  warnings(code: string): TypeFault[] {
    const others = this.#faults(code).filter((each) => !each.concernsSession && !ignorant(each.code));
    return others.slice(0, mostWarnings).map(({ message, excerpt }) => ({ message, excerpt }));
  }

  #faults(code: string): (TypeFault & { readonly code: number; readonly concernsSession: boolean })[] {
    const start = this.#place(code);
    const program = this.#service.getProgram();
    const source = program?.getSourceFile(this.#file);
    if (!program || !source) return [];
    return this.#service.getSemanticDiagnostics(this.#file).flatMap((found) => {
      if (found.start === undefined || found.start < start) return [];
      const before = code.slice(0, found.start - start).split("\n");
      const place = { line: before.length, column: before[before.length - 1].length };
      const concernsSession =
        telling.has(found.code) && this.#concernsSession(program.getTypeChecker(), source, found.start);
      const message = clear(this.#ts.flattenDiagnosticMessageText(found.messageText, "\n"));
      return [{ message, excerpt: excerptOf(code, place), code: found.code, concernsSession }];
    });
  }

  /** Is the faulty place within a call on something that blocklab declares? */
  #concernsSession(checker: ts.TypeChecker, source: ts.SourceFile, position: number): boolean {
    const { isCallExpression, isFunctionLike, isPropertyAccessExpression } = this.#ts;
    for (let node: ts.Node | undefined = this.#nodeAt(source, position); node; node = node.parent) {
      // What a callback does inside is its own business.
      if (isFunctionLike(node)) return false;
      const target = isCallExpression(node) ? node.expression : node;
      const root = isPropertyAccessExpression(target) ? target.expression : null;
      const symbol = root && checker.getTypeAtLocation(root).getSymbol();
      const files = symbol?.declarations?.map((declaration) => declaration.getSourceFile().fileName) ?? [];
      if (files.some((file) => this.#isOwn(file))) return true;
    }
    return false;
  }

  #nodeAt(source: ts.SourceFile, position: number): ts.Node {
    let best: ts.Node = source;
    const descend = (node: ts.Node): void => {
      if (node.getStart(source) > position || node.getEnd() <= position) return;
      best = node;
      node.forEachChild(descend);
    };
    source.forEachChild(descend);
    return best;
  }

  #isOwn(file: string): boolean {
    if (file === this.#file) return false;
    return Object.values(this.#options.paths ?? {}).some((own) => file.startsWith(`${slashed(dirname(own))}/`));
  }

  #details(position: number, entry: ts.CompletionEntry): { detail?: string; docs?: string } {
    const found = this.#service.getCompletionEntryDetails(
      this.#file,
      position,
      entry.name,
      {},
      entry.source,
      {},
      entry.data,
    );
    if (!found) return {};
    return {
      detail: this.#ts.displayPartsToString(found.displayParts),
      docs: this.#ts.displayPartsToString(found.documentation),
    };
  }

  /** Puts the cell behind what earlier cells declare; answers where it begins. */
  #place(code: string): number {
    const earlier = this.#without(this.#parse(code).flatMap((statement) => statement.names));
    const head = [
      this.#options.prelude ?? "",
      "declare var _: any; export {};",
      ...earlier.map((each) => each.text),
      "",
    ];
    const text = head.join("\n") + code;
    if (text !== this.#text) this.#version++;
    this.#text = text;
    this.#files.mention(code);
    // A package that a cell imports may want more of Node's types, which the next question finds.
    this.#service.getProgram();
    return text.length - code.length;
  }

  #with(code: string): readonly Kept[] {
    const fresh = this.#parse(code).filter((statement) => statement.names.length > 0);
    return [...this.#without(fresh.flatMap((statement) => statement.names)), ...fresh];
  }

  /** What earlier cells declare, without the statements that declare one of these names. */
  #without(names: readonly string[]): readonly Kept[] {
    const taken = new Set(names);
    return this.#kept.filter((statement) => !statement.names.some((name) => taken.has(name)));
  }

  /** A cell's statements of the top level. */
  #parse(code: string): Kept[] {
    const source = this.#ts.createSourceFile("cell.ts", code, this.#ts.ScriptTarget.Latest, true);
    return source.statements.map((statement) => ({
      text: statement.getFullText(source),
      names: this.#declaredBy(statement),
    }));
  }

  #declaredBy(statement: ts.Statement): string[] {
    const compiler = this.#ts;
    if (compiler.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap((each) => bindingNames(compiler, each.name));
    }
    if (compiler.isImportDeclaration(statement)) {
      const clause = statement.importClause;
      const bindings = clause?.namedBindings;
      const named = bindings
        ? compiler.isNamespaceImport(bindings)
          ? [bindings.name.text]
          : bindings.elements.map((each) => each.name.text)
        : [];
      return clause?.name ? [clause.name.text, ...named] : named;
    }
    const { name } = statement as { name?: ts.Identifier };
    return name && compiler.isIdentifier(name) ? [name.text] : [];
  }

  #host(): ts.LanguageServiceHost {
    const compiler = this.#ts;
    const paths = Object.fromEntries(Object.entries(this.#options.paths ?? {}).map(([name, file]) => [name, [file]]));
    const settings: ts.CompilerOptions = {
      target: compiler.ScriptTarget.ESNext,
      module: compiler.ModuleKind.ESNext,
      moduleResolution: compiler.ModuleResolutionKind.Bundler,
      lib: ["lib.esnext.d.ts"],
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      resolveJsonModule: true,
      types: ["node"],
      typeRoots: [join(dirname(compiler.getDefaultLibFilePath({})), "..", "..", "@types")],
      paths,
    };
    const { sys } = compiler;
    return {
      getCompilationSettings: () => settings,
      getScriptFileNames: () => [this.#file],
      getScriptVersion: (name) => (name === this.#file ? String(this.#version) : this.#files.version(name)),
      getScriptSnapshot: (name) => {
        const text = name === this.#file ? this.#text : this.#files.text(name);
        return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => this.#options.cwd ?? process.cwd(),
      getDefaultLibFileName: (given) => compiler.getDefaultLibFilePath(given),
      fileExists: (name) => name === this.#file || sys.fileExists(name),
      readFile: sys.readFile,
      readDirectory: sys.readDirectory,
      directoryExists: sys.directoryExists,
      getDirectories: sys.getDirectories,
    };
  }
}

function bindingNames(compiler: typeof ts, name: ts.BindingName): string[] {
  if (compiler.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) => (compiler.isOmittedExpression(each) ? [] : bindingNames(compiler, each.name)));
}

/** TypeScript writes paths with slashes everywhere. */
function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
