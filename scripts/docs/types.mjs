// Checks the types of what documents tell their readers to type, as a cell's are checked.
import { join } from "node:path";
import ts from "typescript";
import { statement } from "./lines.mjs";

/** One sentence for each error of type in the sections, each with a `title` and `lines`. */
export function typeErrors(root, sections) {
  const file = join(root, "documents.ts");
  const head = `import { help, session } from "./dist/index.js";\ndeclare const folder: string;\n`;
  const starts = [];
  let code = head;
  for (const { title, lines } of sections) {
    code += "(async function () {\n";
    for (const line of lines) {
      starts.push({ at: code.length, title, line });
      code += `${statement(line)}\n`;
    }
    code += "});\n";
  }
  return errorsIn(root, file, code, (position) => starts.findLast(({ at }) => at <= position));
}

function errorsIn(root, file, code, lineAt) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    lib: ["lib.es2024.d.ts", "lib.esnext.d.ts"],
    types: ["node"],
    strict: false,
    noEmit: true,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.getCurrentDirectory = () => root;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? code : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2024) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((each) => {
    const found = each.start === undefined ? undefined : lineAt(each.start);
    return `${found?.title ?? "documents"}: ${found?.line ?? ""}\n  ${ts.flattenDiagnosticMessageText(each.messageText, "\n  ")}`;
  });
}
