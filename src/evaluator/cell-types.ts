import { dirname, join } from "node:path";
import type ts from "typescript";
import { didYouMean, listed, quoted } from "../core/names.ts";
import type { Completion, Completions, Inspection } from "./evaluator.ts";
import { isRow, Placed, plainTypes, rowType, withoutNamespace } from "./placed.ts";
import { type RowFunction, rowFunctions } from "./rows.ts";
import { excerptOf } from "./syntax.ts";
import { TypeFiles } from "./type-files.ts";
import { clear, ignorant, telling } from "./type-messages.ts";
import type { Questions, Tables, TypeFault, TypesOptions } from "./types-protocol.ts";

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

  complete(code: string, cursor: number, tables: Tables = {}): Completions {
    const word = /(?<![\w$])[\w$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    const around = `${code.slice(0, cursor - word.length)}\0${code.slice(cursor)}`;
    if (this.#menu?.around === around && word.startsWith(this.#menu.word)) {
      const { start, items } = this.#menu.found;
      const left = items.filter((item) => item.text.toLowerCase().startsWith(code.slice(start, cursor).toLowerCase()));
      if (left.length > 0) return { ...this.#menu.found, end: cursor, items: left };
    }
    const found = this.#completeWord(code, cursor, word, tables);
    this.#menu = found.items.length <= mostDetails ? { around, word, found } : null;
    return found;
  }

  #completeWord(code: string, cursor: number, word: string, tables: Tables): Completions {
    const found = this.#entries(code, cursor, tables);
    if (found.items.length > 0 || word === "" || found.isAll) return found;
    // Half a name can be an argument that fits no signature, of which then nothing is offered.
    const without = this.#entries(
      code.slice(0, cursor - word.length) + code.slice(cursor),
      cursor - word.length,
      tables,
    );
    const items = without.items.filter((item) => item.text.toLowerCase().startsWith(word.toLowerCase()));
    return { start: cursor - word.length, end: cursor, items };
  }

  #entries(code: string, cursor: number, tables: Tables): Completions {
    const cell = this.#place(code, tables);
    const place = cell.toFile(cursor);
    const found = this.#service.getCompletionsAtPosition(this.#file, place, {
      includeCompletionsWithInsertText: true,
      // Node finds a file by its whole name alone.
      importModuleSpecifierEnding: "js",
    });
    const word = /(?<![\w$])[\w$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    const within = cell.rowFunctionAt(cursor);
    const isRow = within !== null;
    if (within && found?.isMemberCompletion) {
      const order = [...within.row.columns.keys()];
      const entries = found.entries.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
      return this.#members(code, cursor, word, place, entries);
    }
    // The name of a module is no word; its entries say themselves what they replace.
    const quoted = found?.optionalReplacementSpan ?? found?.entries[0]?.replacementSpan;
    const from = quoted ? cell.toCode(quoted.start) : cursor - word.length;
    const typed = code.slice(from, cursor).toLowerCase();
    const items = (found?.entries ?? [])
      .filter((entry) => entry.name.toLowerCase().startsWith(typed) && entry.kind !== "warning")
      .filter((entry) => this.#mayStand(entry, isRow))
      .slice(0, 200)
      .map((entry, k) => this.#item(place, entry, k));
    return { start: from, end: cursor, items, ...(isRow ? { isAll: true } : {}) };
  }

  /** A row's columns, or the methods of a cell; where a column can't be written behind a dot, all stand with their row. */
  #members(
    code: string,
    cursor: number,
    word: string,
    place: number,
    entries: readonly ts.CompletionEntry[],
  ): Completions {
    const object = this.#objectBefore(place - word.length);
    // Numbers have no methods in the language.
    const isPlain = object !== null && (object.type.flags & plainTypes(this.#ts)) !== 0;
    const fitting = entries.filter(
      (entry) => !isPlain && entry.name.toLowerCase().startsWith(word.toLowerCase()) && entry.kind !== "warning",
    );
    const dot = code.lastIndexOf(".", cursor - word.length);
    const isOdd = (name: string) => !/^[A-Za-z_$][\w$]*$/.test(name);
    const start = object && fitting.some(({ name }) => isOdd(name)) ? dot - object.text.length : cursor - word.length;
    const lead = code.slice(start, Math.max(start, dot));
    const items = fitting.slice(0, 200).map((entry, k) => {
      const member = isOdd(entry.name) ? `[${JSON.stringify(entry.name)}]` : `.${entry.name}`;
      return { ...this.#item(place, entry, k), ...(lead === "" ? {} : { text: `${lead}${member}` }) };
    });
    return { start, end: cursor, items, isAll: true };
  }

  /** What stands before the dot at a place of the file. */
  #objectBefore(place: number): { readonly text: string; readonly type: ts.Type } | null {
    const program = this.#service.getProgram();
    const source = program?.getSourceFile(this.#file);
    if (!program || !source) return null;
    let object: ts.Expression | null = null;
    const find = (node: ts.Node): void => {
      if (this.#ts.isPropertyAccessExpression(node) && node.name.pos <= place && place <= node.name.end)
        object = node.expression;
      node.forEachChild((child) => {
        if (child.pos <= place && place <= child.end) find(child);
      });
    };
    find(source);
    // A cast because the assignment in the closure is invisible to the type checker.
    const found = object as ts.Expression | null;
    return found && { text: found.getText(source), type: program.getTypeChecker().getTypeAtLocation(found) };
  }

  #item(place: number, entry: ts.CompletionEntry, k: number): Completion {
    return { text: entry.name, kind: entry.kind, ...(k < mostDetails ? this.#details(place, entry) : {}) };
  }

  /** Names of the language stand in functions of a row, and only those do. */
  #mayStand({ name, kind }: ts.CompletionEntry, isRow: boolean): boolean {
    const { language } = this.#options;
    if (!language || kind === "string") return true;
    const isWord = language.names.includes(name);
    if (isRow) return isWord || kind === "parameter" || /^(?:Math|true|false|null)$/.test(name);
    return !isWord || kind !== "function" || this.#kept.some(({ names }) => names.includes(name));
  }

  inspect(code: string, cursor: number, tables: Tables = {}): Inspection | null {
    const cell = this.#place(code, tables);
    // At the end of a name the name is meant, not what follows it.
    const at = /[\w$]/.test(code[cursor] ?? "") ? cursor : Math.max(0, cursor - 1);
    const info = this.#service.getQuickInfoAtPosition(this.#file, cell.toFile(at));
    if (!info) return null;
    const docs = this.#ts.displayPartsToString(info.documentation);
    return { signature: withoutNamespace(this.#ts.displayPartsToString(info.displayParts)), docs };
  }

  fault(code: string, _cursor = 0, tables: Tables = {}): TypeFault | null {
    const found = this.#faults(code, tables).find((each) => each.concernsSession);
    return found ? { message: found.message, excerpt: found.excerpt } : null;
  }

  warnings(code: string, _cursor = 0, tables: Tables = {}): TypeFault[] {
    const others = this.#faults(code, tables).filter((each) => !each.concernsSession && !ignorant(each.code));
    return others.slice(0, mostWarnings).map(({ message, excerpt }) => ({ message, excerpt }));
  }

  #faults(code: string, tables: Tables): (TypeFault & { readonly code: number; readonly concernsSession: boolean })[] {
    const cell = this.#place(code, tables);
    const program = this.#service.getProgram();
    const source = program?.getSourceFile(this.#file);
    if (!program || !source) return [];
    const checker = program.getTypeChecker();
    return this.#service.getSemanticDiagnostics(this.#file).flatMap((found) => {
      if (found.start === undefined || found.start < cell.start) return [];
      const at = cell.toCode(found.start);
      const before = code.slice(0, at).split("\n");
      const place = { line: before.length, column: before[before.length - 1].length };
      const excerpt = excerptOf(code, place);
      const row = cell.rowFunctionAt(at);
      if (row) {
        // The language has types of its own, which the block checks; which columns there are is known here.
        const message = this.#slip(checker, source, found, row);
        return message === null ? [] : [{ message, excerpt, code: found.code, concernsSession: true }];
      }
      const concernsSession = telling.has(found.code) && this.#concernsSession(checker, source, found.start);
      const message = clear(this.#ts.flattenDiagnosticMessageText(found.messageText, "\n"));
      return [{ message, excerpt, code: found.code, concernsSession }];
    });
  }

  /** What is wrong with the name of a column, as the block itself would say it; null for any other fault. */
  #slip(checker: ts.TypeChecker, source: ts.SourceFile, found: ts.Diagnostic, { row }: RowFunction): string | null {
    const { isElementAccessExpression, isPropertyAccessExpression, isStringLiteralLike } = this.#ts;
    if (![2339, 2551, 7053].includes(found.code) || found.start === undefined) return null;
    let node: ts.Node | undefined = this.#nodeAt(source, found.start);
    while (node && !isPropertyAccessExpression(node) && !isElementAccessExpression(node)) node = node.parent;
    if (!node || !isRow(checker.getTypeAtLocation(node.expression))) return null;
    const named = isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
    if (!this.#ts.isIdentifier(named) && !isStringLiteralLike(named)) return null;
    const columns = [...row.columns.keys()];
    const near = didYouMean(named.text, columns);
    return `column ${quoted(named.text)} is not in the table.${near} Columns: ${listed(columns)}.`;
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
      detail: withoutNamespace(this.#ts.displayPartsToString(found.displayParts)),
      docs: this.#ts.displayPartsToString(found.documentation),
    };
  }

  /** Puts the cell behind what earlier cells declare; its functions of a row into calls that know the row. */
  #place(code: string, tables: Tables): Placed {
    const { language, prelude = "" } = this.#options;
    const source = this.#source(code);
    const functions = language ? rowFunctions(this.#ts, source, language, tables) : [];
    const earlier = this.#without(this.#statements(source).flatMap((statement) => statement.names));
    const head = [
      prelude,
      language?.declarations ?? "",
      ...functions.map(({ row }, k) => rowType(row, k, language?.types ?? {})),
      "declare var _: any; export {};",
      ...earlier.map((each) => each.text),
      "",
    ].join("\n");
    const placed = new Placed(code, head.length, functions);
    const text = head + placed.code;
    if (text !== this.#text) this.#version++;
    this.#text = text;
    this.#files.mention(code);
    // A package that a cell imports may want more of Node's types, which the next question finds.
    this.#service.getProgram();
    return placed;
  }

  #with(code: string): readonly Kept[] {
    const fresh = this.#statements(this.#source(code)).filter((statement) => statement.names.length > 0);
    return [...this.#without(fresh.flatMap((statement) => statement.names)), ...fresh];
  }

  /** What earlier cells declare, without the statements that declare one of these names. */
  #without(names: readonly string[]): readonly Kept[] {
    const taken = new Set(names);
    return this.#kept.filter((statement) => !statement.names.some((name) => taken.has(name)));
  }

  #source(code: string): ts.SourceFile {
    return this.#ts.createSourceFile("cell.ts", code, this.#ts.ScriptTarget.Latest, true);
  }

  /** A cell's statements of the top level. */
  #statements(source: ts.SourceFile): Kept[] {
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
