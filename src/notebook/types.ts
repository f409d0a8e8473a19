import { dirname, join } from "node:path";
import type ts from "typescript";
import type { Completions, Inspection } from "./evaluator.ts";
import { CellSyntaxError } from "./transpile.ts";

/** What the checker is told about a cell's surroundings. */
export interface TypesOptions {
  /** "session": type errors in what concerns the session stop a cell before it runs (default "off"). */
  readonly check?: "session" | "off";
  /** Declarations that every cell sees. */
  readonly prelude?: string;
  /** Where the types of modules are that need not be installed beside the notebook. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The folder from which cells import (default: the process's). */
  readonly cwd?: string;
}

/** A TypeScript language service over the cells run so far and the one at hand. */
export interface Types {
  complete(before: readonly string[], code: string, cursor: number): Completions;
  inspect(before: readonly string[], code: string, cursor: number): Inspection | null;
  /** Throws a CellSyntaxError for a type error in what concerns the session. */
  refuse(before: readonly string[], code: string): void;
}

/** Loads TypeScript, which takes about half a second, and opens the service. */
export async function openTypes(options: TypesOptions): Promise<Types> {
  const { default: compiler } = await import("typescript");
  return new CellTypes(compiler, options);
}

class CellTypes implements Types {
  readonly #ts: typeof ts;
  readonly #options: TypesOptions;
  readonly #file: string;
  readonly #service: ts.LanguageService;
  #text = "";
  #version = 0;

  constructor(compiler: typeof ts, options: TypesOptions) {
    this.#ts = compiler;
    this.#options = options;
    this.#file = join(options.cwd ?? process.cwd(), "__cell__.ts");
    this.#service = compiler.createLanguageService(this.#host(), compiler.createDocumentRegistry());
  }

  complete(before: readonly string[], code: string, cursor: number): Completions {
    const start = this.#place(before, code);
    const found = this.#service.getCompletionsAtPosition(this.#file, start + cursor, {
      includeCompletionsWithInsertText: true,
    });
    const word = /[\w$]*$/.exec(code.slice(0, cursor))?.[0] ?? "";
    const quoted = found?.optionalReplacementSpan;
    const from = quoted ? quoted.start - start : cursor - word.length;
    const typed = code.slice(from, cursor);
    const items = (found?.entries ?? [])
      .filter((entry) => entry.name.toLowerCase().startsWith(typed.toLowerCase()) && entry.kind !== "warning")
      .slice(0, 200)
      .map((entry, k) => ({
        text: entry.name,
        kind: entry.kind,
        ...(k < 20 ? this.#details(start + cursor, entry) : {}),
      }));
    return { start: from, end: cursor, items };
  }

  inspect(before: readonly string[], code: string, cursor: number): Inspection | null {
    const start = this.#place(before, code);
    // At the end of a name the name is meant, not what follows it.
    const at = /[\w$]/.test(code[cursor] ?? "") ? cursor : Math.max(0, cursor - 1);
    const info = this.#service.getQuickInfoAtPosition(this.#file, start + at);
    if (!info) return null;
    const docs = this.#ts.displayPartsToString(info.documentation);
    return { signature: this.#ts.displayPartsToString(info.displayParts), docs };
  }

  refuse(before: readonly string[], code: string): void {
    const start = this.#place(before, code);
    const program = this.#service.getProgram();
    const source = program?.getSourceFile(this.#file);
    if (!program || !source) return;
    for (const found of this.#service.getSemanticDiagnostics(this.#file)) {
      if (found.start === undefined || found.start < start || found.category !== this.#ts.DiagnosticCategory.Error)
        continue;
      if (!this.#concernsSession(program.getTypeChecker(), source, found.start)) continue;
      const { line, character } = this.#ts.getLineAndCharacterOfPosition(
        this.#ts.createSourceFile("cell.ts", code, this.#ts.ScriptTarget.Latest),
        found.start - start,
      );
      const text = code.split("\n")[line];
      const number = String(line + 1);
      const excerpt = [`${number} | ${text}`, `${" ".repeat(number.length)} | ${" ".repeat(character)}^`];
      const words = clear(this.#ts.flattenDiagnosticMessageText(found.messageText, "\n"));
      throw new CellSyntaxError(words, excerpt, false, "Type error");
    }
  }

  /** Is the faulty place within a call on something that blocklab declares? */
  #concernsSession(checker: ts.TypeChecker, source: ts.SourceFile, position: number): boolean {
    const { isCallExpression, isPropertyAccessExpression } = this.#ts;
    for (let node: ts.Node | undefined = this.#nodeAt(source, position); node; node = node.parent) {
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
    return Object.values(this.#options.paths ?? {}).some((own) => file.startsWith(dirname(own)));
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
  #place(before: readonly string[], code: string): number {
    const head = `${this.#options.prelude ?? ""}\nexport {};\n${this.#declarations(before, code)}\n`;
    this.#text = head + code;
    this.#version++;
    return head.length;
  }

  /** The declarations of earlier cells that no later one repeats. */
  #declarations(before: readonly string[], code: string): string {
    const taken = new Set(this.#namesOf(this.#parse(code)).flatMap(([, names]) => names));
    const kept: string[] = [];
    for (const cell of [...before].reverse()) {
      const source = this.#parse(cell);
      const statements = this.#namesOf(source).filter(
        ([, names]) => names.length > 0 && !names.some((name) => taken.has(name)),
      );
      kept.unshift(statements.map(([statement]) => statement.getFullText(source)).join("\n"));
      for (const [, names] of statements) for (const name of names) taken.add(name);
    }
    return kept.join("\n");
  }

  #parse(code: string): ts.SourceFile {
    return this.#ts.createSourceFile("cell.ts", code, this.#ts.ScriptTarget.Latest, true);
  }

  /** Each top-level statement with the names it declares. */
  #namesOf(source: ts.SourceFile): (readonly [ts.Statement, string[]])[] {
    return source.statements.map((statement) => [statement, this.#declaredBy(statement)] as const);
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
      getScriptVersion: (name) => (name === this.#file ? String(this.#version) : "1"),
      getScriptSnapshot: (name) => {
        const text = name === this.#file ? this.#text : sys.readFile(name);
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

/** Of a message about overloads the last part says what is wrong. */
function clear(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  const telling = lines.filter((line) => !/^No overload matches|^Overload \d+ of/.test(line));
  return telling[0] ?? lines[0];
}
