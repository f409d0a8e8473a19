// Collects the doc comments of all blocks and their arguments into src/registry/prose.json, from which help, OpenAPI
// and the README's table are made, and those of the session's own methods into src/session/methods.json, for help.
// `--check` fails when a file is not fresh.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = `${root}src/blocks/index.ts`;
const inSession = (file) => `${root}src/session/${file}.ts`;
const conductors = { Session: inSession("session"), Chain: inSession("chain") };
/** What blocks answer; a method of these is called by its class: Table.page. */
const answers = { Result: inSession("result"), Table: inSession("table"), Model: inSession("model") };

let made;

/** The program with all blocks and the session, made once. */
function programOf() {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  made ??= ts.createProgram([entry, ...Object.values({ ...conductors, ...answers })], {
    ...options,
    skipDefaultLibCheck: true,
  });
  return made;
}

/** Every block's prose by its function code: the doc comment, and one per argument. */
function collectProse() {
  const program = programOf();
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

/** Every method of the session, of chains and of answers that people call: how, its words, and those of its options. */
function collectMethods() {
  const program = programOf();
  const checker = program.getTypeChecker();
  const methods = {};
  for (const [name, file] of Object.entries({ ...conductors, ...answers })) {
    const source = program.getSourceFile(file);
    const declared = source.statements.find((each) => ts.isClassDeclaration(each) && each.name.text === name);
    for (const member of declared.members.filter(ts.isMethodDeclaration)) {
      if (!ts.isIdentifier(member.name)) continue;
      const symbol = checker.getSymbolAtLocation(member.name);
      const doc = docOf(checker, symbol);
      // A method without words of its own is part of how the two work together; the session's words go for chains.
      const isForPeople =
        member.jsDoc?.length > 0 && ts.getJSDocTags(member).every((tag) => tag.tagName.text !== "internal");
      const key = Object.hasOwn(answers, name) ? `${name}.${symbol.name}` : symbol.name;
      if (!isForPeople || methods[key]) continue;
      const text = (node) => node.getText().replace(/\s+/g, " ");
      methods[key] = {
        on: name,
        doc,
        call: `${symbol.name}(${member.parameters.map(text).join(", ").replaceAll("readonly ", "")}): ${text(member.type)}`,
        args: Object.assign({}, ...member.parameters.map((each) => optionDocs(checker, each))),
      };
    }
  }
  return `${JSON.stringify(methods, null, 2)}\n`;
}

/** The words and types of the options that a method takes as an object of ours. */
function optionDocs(checker, parameter) {
  const type = checker.getTypeAtLocation(parameter);
  const isOurs = (symbol) =>
    symbol.declarations?.some((each) => each.getSourceFile().fileName.startsWith(`${root}src/`));
  const options = type.getCallSignatures().length > 0 ? [] : type.getProperties().filter(isOurs);
  return Object.fromEntries(
    options.map((symbol) => [
      symbol.name,
      {
        type: checker.typeToString(checker.getNonNullableType(checker.getTypeOfSymbol(symbol))),
        doc: docOf(checker, symbol),
      },
    ]),
  );
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
    const source = program.getSourceFile(`${root}src/blocks/models/${file}.ts`);
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

const files = { "src/registry/prose.json": collectProse(), "src/session/methods.json": collectMethods() };
for (const [file, fresh] of Object.entries(files)) {
  if (!process.argv.includes("--check")) writeFileSync(root + file, fresh);
  else if (readFileSync(root + file, "utf8") !== fresh) {
    console.error(`${file} is not fresh; run \`npm run build\`.`);
    process.exit(1);
  }
}
