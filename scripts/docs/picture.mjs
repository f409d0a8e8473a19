// The README's picture: two notebook cells with what they really answer, as one SVG.
import { join } from "node:path";
import { steadySvg } from "./svg.mjs";
import { root } from "./workshop.mjs";

const { toText } = await import(join(root, "dist/render/index.js"));

const cells = [
  ['await session.input("sample:penguins")', '  .scatter("flipper_length_mm", "body_mass_g", { color: "species" })'],
  [
    'await session.xy({ y: "species" }).split({ test_size: 0.2, random_state: 42 })',
    '  .missing("mean").missing("mode").encode({ columns: ["island", "sex"] })',
    "  .forestClassifier().metrics()",
  ],
];

const width = 880;
const margin = 24;
const lineHeight = 18;
const ink = "#24292f";
const mono = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/** Runs the cells and draws them with their charts and words. */
export async function picture(workshop) {
  await workshop.fresh();
  const parts = [];
  let y = margin;
  for (const [k, lines] of cells.entries()) {
    await workshop.chain(lines.join("\n").replace(/^await /, ""));
    const { view } = (await workshop.steps()).at(-1);
    y = codeBox(parts, lines, k + 1, y);
    y = await answer(parts, view, y);
  }
  const words =
    "A notebook: a scatter plot of penguins, and a forest judged on test rows with its confusion matrix and ROC curves";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" role="img" aria-label="${words}">
<rect x="0.5" y="0.5" width="${width - 1}" height="${y - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>
${parts.join("\n")}
</svg>
`;
}

function codeBox(parts, lines, number, y) {
  const height = lines.length * lineHeight + 14;
  parts.push(
    `<rect x="${margin}" y="${y}" width="${width - 2 * margin}" height="${height}" rx="4" fill="#f6f8fa" stroke="#d0d7de"/>`,
    `<text x="${margin + 10}" y="${y + 20}" font-family="${mono}" font-size="13" fill="#0969da">[${number}]</text>`,
  );
  return textLines(parts, lines, margin + 46, y + 2) + 16;
}

function textLines(parts, lines, x, y) {
  for (const [k, line] of lines.entries()) {
    parts.push(
      `<text x="${x}" y="${y + 18 + k * lineHeight}" font-family="${mono}" font-size="13" fill="${ink}" xml:space="preserve">${escaped(line)}</text>`,
    );
  }
  return y + lines.length * lineHeight + 10;
}

/** Words on the left and the first charts on the right; a chart alone across. */
async function answer(parts, view, top) {
  const views = view.kind === "stack" ? view.views : [view];
  const words = views.filter((each) => each.kind !== "chart" && each.tone !== "warning");
  const lines = words.length > 0 ? toText({ kind: "stack", views: words }).split("\n") : [];
  const foot = lines.length > 0 ? textLines(parts, lines, margin + 10, top) : top;
  const x = lines.length > 0 ? width / 2 + 20 : margin + 10;
  let y = top;
  for (const { chart } of views.filter((each) => each.kind === "chart").slice(0, 2)) {
    const svg = await steadySvg(chart, `chart${parts.length}-`);
    const [wide, tall] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg).slice(1).map(Number);
    const factor = Math.min(1, (width - margin - x) / wide);
    parts.push(`<g transform="translate(${x} ${y}) scale(${Number(factor.toFixed(4))})">${svg}</g>`);
    y += Math.ceil(tall * factor) + 12;
  }
  return Math.max(foot, y) + 8;
}

function escaped(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
