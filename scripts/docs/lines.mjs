// Runs what a document tells its readers to type: its TypeScript, and the code in the last column of its tables.

/** The sections of a document that have code, each with its lines in order. */
export function sectionsOf(text) {
  return text
    .split(/^(?=## )/m)
    .map((section) => ({ title: section.split("\n")[0].replace(/^#+ /, ""), lines: linesOf(section) }))
    .filter(({ lines }) => lines.length > 0);
}

function linesOf(section) {
  const lines = [];
  let fenced = null;
  for (const line of section.split("\n")) {
    if (fenced) {
      if (line === "```") {
        if (fenced.language === "ts") lines.push(fenced.code.join("\n"));
        fenced = null;
      } else fenced.code.push(line);
    } else if (line.startsWith("```")) fenced = { language: line.slice(3), code: [] };
    else if (/^\|/.test(line))
      lines.push(
        ...codeIn(
          line
            .replace(/\|\s*$/, "")
            .split(" | ")
            .at(-1),
        ),
      );
  }
  return lines;
}

/** The code spans of a cell; one that has backticks inside stands between double ones. */
function codeIn(cell) {
  return [...cell.matchAll(/(`+)(.+?)\1(?!`)/g)].map((match) => match[2].trim().replaceAll("\\|", "|"));
}

/** Runs all of a document's code; answers a sentence for each section that fails, with the line. */
export async function failingLines(path, text, workshop) {
  const failures = [];
  for (const { title, lines } of sectionsOf(text)) {
    await workshop.fresh();
    const at = { line: "" };
    const code = lines.map((line, k) => `at.line = lines[${k}];\n${statement(line)}`).join("\n");
    try {
      await workshop.runAll(code, { at, lines });
    } catch (error) {
      failures.push(`${path}, ${title}: ${at.line}\n  ${error.message}`);
    }
  }
  return failures;
}

/** A line as a statement of an async function. */
export function statement(line) {
  if (/^import\b/.test(line)) return "";
  if (/^(const|let|for|if|await)\b/.test(line)) return line;
  return line
    .split(/; ?/)
    .filter(Boolean)
    .map((each) => `await (${each});`)
    .join("\n");
}
