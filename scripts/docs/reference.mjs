// A page for each block, from its one declaration, with what its example and its refusals really say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { refusals } from "./refusals.mjs";
import { steadySvg } from "./svg.mjs";
import { root } from "./workshop.mjs";

const { allBlocks, declared, helpOf, jsonSchema, validateArgs } = await import(join(root, "dist/registry/index.js"));

/** What a reader looks for, in the order of a pipeline. */
const families = {
  input: "Read",
  inspect: "Look",
  plot: "Draw",
  verbs: "Explore",
  columns: "Columns and rows",
  prepare: "Prepare",
  features: "Features",
  regress: "Predict numbers",
  classify: "Predict classes",
  boost: "Predict numbers or classes",
  explain: "Say why",
  search: "Search models",
  cluster: "Find groups",
  forecast: "Foresee",
  deep: "Networks",
};

/** The examples of all blocks, with a title each. */
export function examples() {
  return declared.map((block) => ({ title: `example of ${block.name}`, lines: [block.example] }));
}

/** Every page by its path in docs, and its pictures. */
export async function referencePages(workshop) {
  const pages = new Map();
  const places = placesOfBlocks();
  for (const block of declared) {
    const { page, picture } = await pageOf(block, places.get(block.code), workshop);
    pages.set(`blocks/${block.name}.md`, page);
    if (picture) pages.set(`blocks/${block.name}.svg`, picture);
  }
  return pages;
}

/** The list of blocks by what they are for. */
export function blockIndex() {
  const places = placesOfBlocks();
  return Object.entries(families)
    .map(([family, title]) => {
      const rows = declared
        .filter((block) => places.get(block.code).family === family)
        .map(
          (block) => `| [${block.name}](blocks/${block.name}.md) | ${block.code} | ${cell(helpOf(block).summary)} |`,
        );
      return [`### ${title}`, "", "| Block | Code | What it does |", "|---|---|---|", ...rows].join("\n");
    })
    .join("\n\n");
}

/** Where each block is declared: the folder under src/blocks is its family. */
function placesOfBlocks() {
  const places = new Map();
  for (const family of Object.keys(families)) {
    for (const file of readdirSync(join(root, "src/blocks", family))) {
      const path = `src/blocks/${family}/${file}`;
      for (const [, code] of readFileSync(join(root, path), "utf8").matchAll(/^ {2}code: "(\w+)"/gm)) {
        places.set(code, { family, path });
      }
    }
  }
  const lost = declared.filter((block) => !places.has(block.code)).map((block) => block.name);
  if (lost.length > 0) throw new Error(`docs: no family for ${lost.join(", ")}; see scripts/docs/reference.mjs`);
  return places;
}

async function pageOf(block, place, workshop) {
  await workshop.fresh();
  const known = helpOf(block);
  const derived = block.derived ?? [];
  const stem =
    derived.length > 0
      ? block.example.replace(/(?:\.(?:train|predict|metrics|evaluate)\([^)]*\))+$/, "")
      : block.example;
  const chain = workshop.chain(stem);
  await chain;
  const steps = await workshop.steps();
  const own = steps.find((step) => step.code === block.code);
  const codes = [block.code, ...(block.codes ?? [])].map((code) => `\`${code}\``).join(" = ");
  const parts = [
    `# ${block.name}`,
    `${codes} · [${families[place.family].toLowerCase()}](../README.md#${anchorOf(families[place.family])}) · [source](../../${place.path})`,
    known.summary,
    known.description,
    "## Arguments",
    argumentsOf(block, known),
    "## Example",
    fence("ts", `await ${stem}`),
    place.family === "plot" ? `![${block.name}](${block.name}.svg)` : "",
    fence("text", own.text),
    noticesOf(own.record),
    "## Over HTTP",
    `The last block of that example is this request to \`POST /api/v1/engine/start\`, beside \`project_id\`, \`block_id\` and \`parent_id\`:`,
    fence("json", compact({ function_code: own.code, args: own.args })),
    answerOf(own.record),
  ];
  for (const each of derived) parts.push(...(await derivedParts(block, each, chain, workshop)));
  parts.push("## Refusals", await refusalsOf(block, own.args, workshop));
  const chart = place.family === "plot" ? chartIn(own.view) : null;
  return { page: `${parts.filter(Boolean).join("\n\n")}\n`, picture: chart ? `${await steadySvg(chart)}\n` : null };
}

/** A block that comes with another, such as a model's prediction: it goes on from that one's example. */
async function derivedParts(block, each, chain, workshop) {
  const known = helpOf(each);
  const call = each.example.slice(each.example.indexOf(")") + 1);
  const before = (await workshop.steps()).length;
  await new Function("chain", `return chain${call}`)(chain);
  const steps = (await workshop.steps()).slice(before);
  const own = steps.find((step) => step.code === each.code);
  const word = each.name.slice(block.name.length + 1);
  const codes = [each.code, ...(each.codes ?? [])].map((code) => `\`${code}\``).join(" = ");
  return [
    `## ${word}`,
    `${codes} ${known.summary}`,
    known.description,
    argumentsOf(each, known),
    fence("ts", `await …${block.name}(…)${call}`),
    fence("text", own.text),
    answerOf(own.record),
  ];
}

function argumentsOf(block, known) {
  if (known.arguments.length === 0) return "It takes none.";
  const rows = known.arguments.map((each) => {
    const names = [`\`${each.name}\``, ...each.aliases.map((alias) => `\`${alias}\``)].join(" or ");
    const fallback = each.required ? requiredOf(block, each) : defaultOf(block.args[each.name], each.doc);
    return `| ${names} | ${typeCell(each.type)} | ${fallback} | ${cell(each.doc.replace(/ \(default:? [^()]*(?:\([^()]*\)[^()]*)*\)(?=\.$)/, ""))} |`;
  });
  const table = ["| Argument | Type | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n");
  const positional = block.positional ?? [];
  if (positional.length === 0) return table;
  if (positional[0].startsWith("...")) return `${table}\n\nBy position: \`${block.name}(${positional[0]})\`.`;
  return `${table}\n\nBy position: \`${block.name}(${positional.join(", ")})\`, with the others in an object after ${positional.length === 1 ? "it" : "them"}.`;
}

/** On a chain, a model's prediction and metrics know the model. */
function requiredOf(block, { name }) {
  return block.name.includes(".") && name === "model_name" ? "the chain's last model; required over HTTP" : "required";
}

function typeCell(type) {
  const short = type.length > 140 ? `${type.slice(0, type.lastIndexOf("|", 130)).trim()} | …` : type;
  return `\`${short.replaceAll("|", "\\|")}\``;
}

/** The schema's default; else what the prose says of it. */
function defaultOf(schema, doc) {
  const { def } = schema._zod;
  if (def.type === "default") return `\`${JSON.stringify(def.defaultValue)}\``;
  const said = / \(default:? ([^()]*(?:\([^()]*\)[^()]*)*)\)\.$/.exec(doc);
  return said ? cell(said[1]) : "–";
}

function noticesOf(record) {
  if (!record.notices?.length) return "";
  return `Its \`notices\`:\n\n${record.notices.map((notice) => `- ${cell(notice)}`).join("\n")}`;
}

/** What a state record holds, and its output shortened. */
function answerOf(record) {
  const urls = ["dataset", "x_value", "y_value", "x_train", "y_train", "x_test", "y_test"]
    .filter((name) => record[`${name}_url`])
    .map((name) => `\`${name}_url\``);
  const action = record.function_action === undefined ? "" : ` \`function_action\` is ${record.function_action}.`;
  const text = urls.length > 0 ? `The state record answers ${urls.join(", ")}.${action}` : "";
  if (record.output === undefined) return `${text} It has no \`output\`.`;
  return `${text} Its \`output\` is JSON in a string, here with long parts cut short:\n\n${fence("json", compact(brief(JSON.parse(record.output))))}`;
}

/** JSON with as much on a line as fits. */
function compact(value, indent = "") {
  const line = JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) =>
    part.length > 1 ? part : `${part} `,
  );
  if (line.length + indent.length <= 100 || value === null || typeof value !== "object") return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((each) => `${inner}${compact(each, inner)}`)
    : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${compact(each, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function brief(value, depth = 0) {
  if (typeof value === "string") {
    const plain = value.replace(/^.*\/artifacts\/[\w-]+/, "…/api/v1/artifacts/…");
    return plain.length > 90 ? `${plain.slice(0, 80)}…` : plain;
  }
  if (typeof value === "number") return Number(value.toPrecision(6));
  if (value === null || typeof value !== "object") return value;
  if (depth > 3) return Array.isArray(value) ? ["…"] : { "…": "…" };
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each === "number") && value.length > 4)
      return [...value.slice(0, 3).map((each) => brief(each)), `… ${value.length - 3} more`];
    const some = value.slice(0, 2).map((each) => brief(each, depth + 1));
    return value.length > 2 ? [...some, `… ${value.length - 2} more`] : some;
  }
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, entries.length > 12 ? 8 : 12)
    .map(([name, each]) => [name, name === "seconds" ? "…" : brief(each, depth + 1)]);
  if (entries.length > 12) kept.push(["…", `${entries.length - 8} more`]);
  return Object.fromEntries(kept);
}

/** What it says to arguments that are wrong, and to data that can't take it. */
async function refusalsOf(block, args, workshop) {
  const rows = [];
  for (const code of refusals[block.name] ?? []) {
    await workshop.fresh();
    rows.push({ code, ...(await workshop.refusal(code)) });
  }
  for (const wrong of wrongArgs(block, args)) {
    try {
      validateArgs(block, wrong.args);
    } catch (error) {
      const call = wrong.shown === null ? `.${block.name}()` : `.${block.name}({ ${wrong.shown} })`;
      rows.push({ code: call, status: error.status, message: error.message });
    }
  }
  const lines = rows.map(
    ({ code, status, message }) => `| \`${code.replaceAll("|", "\\|")}\` | ${status} | ${cell(message)} |`,
  );
  return ["| Call | Status | Message |", "|---|---|---|", ...lines].join("\n");
}

/** Wrong arguments that follow from the declaration: none where one is needed, one beyond its range, one misspelt. */
function wrongArgs(block, sent) {
  const args = validateArgs(block, sent);
  const { properties = {} } = jsonSchema(block);
  const needed = helpOf(block).arguments.find((each) => each.required);
  const wrong = needed ? [{ shown: null, args: {} }] : [];
  const beyond = Object.entries(properties).flatMap(([name, schema]) => {
    if (Array.isArray(schema.enum) && typeof schema.enum[0] === "string") return [[name, `${schema.enum[0]}s`]];
    if (typeof schema.minimum === "number" && schema.minimum > -1e15) return [[name, schema.minimum - 1]];
    return [];
  });
  for (const [name, value] of beyond.slice(0, 2)) {
    wrong.push({ shown: `${name}: ${JSON.stringify(value)}`, args: { ...args, [name]: value } });
  }
  const [first = "column"] = Object.keys(block.aliases ?? {}).concat(Object.keys(block.args));
  const misspelt = `${first}${first.at(-1)}`;
  wrong.push({ shown: `${misspelt}: 1`, args: { ...args, [misspelt]: 1 } });
  return wrong;
}

function chartIn(view) {
  if (view.kind === "chart") return view.chart;
  for (const part of view.kind === "stack" ? view.views : []) {
    const found = chartIn(part);
    if (found) return found;
  }
  return null;
}

/** Prose for one cell of a table. */
function cell(words) {
  return words.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function fence(language, text) {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function anchorOf(title) {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** How many blocks there are, those that come with others included. */
export const blockCount = allBlocks.length;
