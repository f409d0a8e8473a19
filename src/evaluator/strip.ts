import { createRequire, SourceMap, stripTypeScriptTypes } from "node:module";
import type ts from "typescript";
import { parseCell } from "./parse.ts";
import { CellSyntaxError, excerptOf, fromStripper, type Place } from "./syntax.ts";

/** A cell's JavaScript, and where a place in it was in the TypeScript. */
export interface Stripped {
  readonly js: string;
  before(place: Place): Place;
}

/** Types off, blanks in their stead, so that places stay; null for syntax that makes code, such as enums. */
export function stripTypes(code: string): string | null {
  if (isPlain(code)) return code;
  try {
    return quietly(() => stripTypeScriptTypes(code, { mode: "strip" }));
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") return null;
    throw fromStripper(error, code);
  }
}

/**
 * Is a cell JavaScript already? Node's stripper takes 0.13 s to load, and most first cells have no types.
 *
 * What means one thing in JavaScript and another in TypeScript is in angle brackets: f<T>(x).
 */
function isPlain(code: string): boolean {
  if (code.includes("<")) return false;
  try {
    parseCell(code);
    return true;
  } catch {
    return false;
  }
}

let isWarned = false;

/** Node 24 warns once that stripping is experimental, which tells the person at the screen nothing. */
function quietly<T>(work: () => T): T {
  if (isWarned) return work();
  isWarned = true;
  const { emitWarning } = process;
  process.emitWarning = (() => undefined) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Compiles enums, namespaces, parameter properties and decorators.
 *
 * TypeScript does it, because Node's stripper is losing its transform mode; loading it takes about 0.1 s,
 * once, and only cells with such syntax pay it.
 */
export function compile(code: string): Stripped {
  const compiler = createRequire(import.meta.url)("typescript") as typeof ts;
  refuseEquals(compiler, code);
  const { outputText, sourceMapText, diagnostics } = compiler.transpileModule(code, {
    fileName: "cell.ts",
    reportDiagnostics: true,
    compilerOptions: {
      target: compiler.ScriptTarget.ES2024,
      module: compiler.ModuleKind.ESNext,
      // Without it an import that only later cells use would vanish.
      verbatimModuleSyntax: true,
      sourceMap: true,
    },
  });
  const fault = diagnostics?.find((found) => found.category === compiler.DiagnosticCategory.Error);
  if (fault) throw fromDiagnostic(compiler, fault, code);
  const map = new SourceMap(JSON.parse(sourceMapText ?? "{}"));
  return {
    js: outputText
      .slice(0, outputText.lastIndexOf("//# sourceMappingURL="))
      // Declared again, an enum begins anew and does not fill what had its name before.
      .replace(/^((?:export )?var ([\w$]+));(?=\n\(function \(\2\))/gm, "$1 = void 0;"),
    before({ line, column }) {
      const found = map.findEntry(line - 1, column) as { originalLine?: number; originalColumn?: number };
      return { line: (found.originalLine ?? 0) + 1, column: found.originalColumn ?? 0 };
    },
  };
}

/** What TypeScript writes for CommonJS alone, and would silently drop here. */
function refuseEquals(compiler: typeof ts, code: string): void {
  const source = compiler.createSourceFile("cell.ts", code, compiler.ScriptTarget.Latest);
  for (const node of source.statements) {
    const isImport =
      compiler.isImportEqualsDeclaration(node) && compiler.isExternalModuleReference(node.moduleReference);
    const isExport = compiler.isExportAssignment(node) && node.isExportEquals === true;
    if (!isImport && !isExport) continue;
    const words = isImport
      ? `"import ${node.name.text} = require(…)" belongs to CommonJS. Write import ${node.name.text} from …, or const ${node.name.text} = require(…).`
      : '"export =" belongs to CommonJS. Write export default.';
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
    throw new CellSyntaxError(words, excerptOf(code, { line: line + 1, column: character }));
  }
}

function fromDiagnostic(compiler: typeof ts, fault: ts.Diagnostic, code: string): CellSyntaxError {
  const { line, character } = fault.file?.getLineAndCharacterOfPosition(fault.start ?? 0) ?? { line: 0, character: 0 };
  const words = compiler.flattenDiagnosticMessageText(fault.messageText, "\n").split("\n", 1)[0];
  return new CellSyntaxError(words, excerptOf(code, { line: line + 1, column: character }));
}
