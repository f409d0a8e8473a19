// Collects the doc comments of all blocks and their arguments into src/registry/prose.json,
// from which help, OpenAPI and the README's table are made. `--check` fails when the file is not fresh.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}src/registry/prose.json`;

/** Every block's prose by its function code: the doc comment, and one per argument. */
export function collectProse() {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const entry = `${root}src/blocks/index.ts`;
  const program = ts.createProgram([entry], { ...options, skipDefaultLibCheck: true });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
  const prose = {};
  for (const alias of exported) {
    const symbol = alias.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(alias) : alias;
    const type = checker.getTypeOfSymbol(symbol);
    const code = literalOf(checker, type, "code");
    const args = type.getProperty("args");
    if (!code || !args) continue;
    prose[code] = { doc: docOf(checker, symbol), args: argDocs(checker, checker.getTypeOfSymbol(args)) };
    const isModel = prose[code].args.model_name && !code.endsWith("_I");
    if (isModel) derive(checker, program, prose, code, symbol.name);
  }
  for (const source of program.getSourceFiles()) {
    if (source.fileName.startsWith(`${root}src/blocks/deep/`)) declaredIn(checker, source, prose);
  }
  return `${JSON.stringify(prose, null, 2)}\n`;
}

/** A network's training, prediction and evaluation are blocks without helpers of their own, each with its prose. */
function declaredIn(checker, source, prose) {
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    const type = checker.getTypeOfSymbol(symbol);
    const code = literalOf(checker, type, "code");
    const args = type.getProperty("args");
    if (!code || !args || prose[code]) continue;
    prose[code] = { doc: docOf(checker, symbol), args: argDocs(checker, checker.getTypeOfSymbol(args)) };
  }
}

/** A model's prediction and metrics have their prose where their arguments are declared. */
function derive(checker, program, prose, code, name) {
  for (const [file, suffix, words] of [
    ["predict", "_P", `Predicts with a model of ${name}.`],
    ["metrics", "_M", `Judges a model of ${name}, on test rows where there are any.`],
  ]) {
    const source = program.getSourceFile(`${root}src/blocks/${file}.ts`);
    let docs = {};
    const visit = (node) => {
      if (
        ts.isPropertyAssignment(node) &&
        node.name.getText() === "args" &&
        ts.isObjectLiteralExpression(node.initializer)
      ) {
        docs = argDocs(checker, checker.getTypeAtLocation(node.initializer));
      } else ts.forEachChild(node, visit);
    };
    visit(source);
    prose[`${code}${suffix}`] = { doc: `${code}${suffix}. ${words}`, args: docs };
  }
}

function argDocs(checker, type) {
  return Object.fromEntries(type.getProperties().map((property) => [property.name, docOf(checker, property)]));
}

function docOf(checker, symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

function literalOf(checker, type, name) {
  const property = type.getProperty(name);
  const value = property && checker.getTypeOfSymbol(property);
  return value?.isStringLiteral() ? value.value : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fresh = collectProse();
  if (process.argv.includes("--check")) {
    if (readFileSync(target, "utf8") !== fresh) {
      console.error("src/registry/prose.json is not fresh; run `npm run build`.");
      process.exit(1);
    }
  } else writeFileSync(target, fresh);
}
