import type { Chart } from "../core/chart.ts";
import type {
  Cell,
  FactsView,
  FoldedView,
  ImagesView,
  TableView,
  TextView,
  TilesView,
  TreeNode,
  View,
  ViewColumn,
} from "../core/view.ts";
import { escapeHtml } from "./escape.ts";
import { graphHtml } from "./graph-html.ts";
import { barLetters, barSteps, barsIn, footerOf, formatCell, formatColumn, isNumeric, typeWord } from "./numbers.ts";
import { toSvg } from "./picture.ts";
import { tilesPicture } from "./tiles.ts";

export { escapeHtml } from "./escape.ts";

const quiet = "color:var(--jp-ui-font-color2,currentColor);opacity:.75";
const line = "1px solid var(--jp-border-color1,rgba(128,128,128,.4))";
const paper = "var(--jp-layout-color0,Canvas)";
const bodyFont = "font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:var(--jp-ui-font-size1,13px)";

/**
 * A view as HTML: no script but a table's own sorting, no style sheet, and colours that follow the reader's theme.
 *
 * The classes keep MathJax from reading a `$` in the data as a formula.
 */
export async function toHtml(view: View): Promise<string> {
  return `<div class="blocklab tex2jax_ignore mathjax_ignore" style="${bodyFont}">${await inner(view)}</div>`;
}

async function inner(view: View): Promise<string> {
  switch (view.kind) {
    case "table":
      return tableHtml(view);
    case "text":
      return textHtml(view);
    case "facts":
      return factsHtml(view);
    case "chart":
      return await chartHtml(view.chart);
    case "images":
      return imagesHtml(view);
    case "tiles":
      return tilesHtml(view);
    case "tree":
      return `${heading(view.title)}${treeHtml(view.root, "")}`;
    case "graph":
      return graphHtml(view);
    case "folded":
      return foldedHtml(view);
    case "stack": {
      const parts: string[] = [];
      for (const part of view.views) parts.push(`<div style="margin-bottom:.6em">${await inner(part)}</div>`);
      return parts.join("");
    }
  }
}

function heading(title: string | undefined): string {
  return title ? `<div style="font-weight:600;margin-bottom:.3em">${escapeHtml(title)}</div>` : "";
}

/**
 * What a click on a column's name does: its rows go up, at the next click down; missing cells stay last.
 *
 * One constant for all tables, with nothing of the data in it. Where a reader doesn't trust a notebook it is stripped,
 * and the table stands as it is.
 */
const sortRows = [
  "const h=event.target.closest('th[tabindex]');if(!h)return;",
  "const t=this.nextElementSibling,k=[...h.parentNode.children].indexOf(h),up=h.getAttribute('aria-sort')!=='ascending';",
  "for(const o of this.querySelectorAll('[aria-sort]')){o.removeAttribute('aria-sort');o.lastChild.remove()}",
  "h.setAttribute('aria-sort',up?'ascending':'descending');",
  "h.insertAdjacentHTML('beforeend','<i aria-hidden=true style=font-style:normal;position:absolute;white-space:pre>'+(up?' ▲':' ▼')+'</i>');",
  "const word=r=>r.children[k].textContent,num=w=>w==='–'?0:Number(w.replace(/[,%]/g,''));",
  "const gone=r=>r.children[k].firstElementChild?.title==='missing',rows=[...t.children],known=rows.filter(r=>!gone(r));",
  "const isNum=known.every(r=>!Number.isNaN(num(word(r)))),way=up?1:-1;",
  "known.sort((p,q)=>way*(isNum?num(word(p))-num(word(q)):word(p).localeCompare(word(q))));",
  "t.append(...known,...rows.filter(gone))",
].join("");

/** The same for who has no mouse. */
const sortKeys = "if(event.key==='Enter'||event.key===' '){event.preventDefault();this.onclick(event)}";

/** Words longer than this are cut where the eye would lose the row. */
const longestWord = 60;

/**
 * Nothing that many cells share is written in each: Jupyter aligns cells to the right by itself, and what a reader who
 * doesn't trust the notebook would lose, a style sheet, is not used.
 */
function tableHtml(view: TableView): string {
  const columns = view.columns.map((column, k) => ({
    column,
    isRight: isNumeric(column),
    words: formatColumn(
      column,
      view.rows.map((row) => row[k] ?? null),
    ),
  }));
  const canSort = view.rows.length > 1;
  const isPart = view.total !== undefined && view.total > view.rows.length;
  const sortsWhat = isPart ? "Sort the rows shown; dataset.page({ sort }) sorts all" : "Sort";
  const names = columns.map(({ column, isRight }) => {
    const name = escapeHtml(column.name);
    const sorts = canSort && name && !column.bars ? ' tabindex="0"' : "";
    const blanks = /\s/.test(name) ? ";white-space:pre" : "";
    return `<th${sorts} style="text-align:${isRight ? "right" : "left"}${blanks}">${name}</th>`;
  });
  const notes = columns.map(({ column, isRight }) => {
    const role = column.role === "y" ? " ●Y" : column.role === "x" ? " ○X" : "";
    const note = `${view.summary ? "" : typeWord(column)}${role}`.trim();
    return { note, cell: `<td${styleOf(note, isRight)}>${note}</td>` };
  });
  const rows = view.rows.map((row, i) => {
    const cells = columns.map(({ column, isRight, words }, k) => {
      const tint = column.tint ? tintOf(row[k], column.tint === "diverging") : "";
      const word = words[i];
      const text = word === null ? '<i title="missing">·</i>' : cellHtml(column, row[k], word);
      return `<td${styleOf(word ?? "", isRight, tint)}>${text}</td>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  const empty = `<tr><td colspan="${Math.max(1, columns.length)}" style="${quiet}">(no rows)</td></tr>`;
  const footer = footerOf(view.columns, view.rows.length, view.total);
  // Sticky, for a front end that limits the height of an output.
  const head = `position:sticky;top:0;background:${paper};border-bottom:${line}${canSort ? ";cursor:pointer" : ""}`;
  const sorts = canSort ? ` title="${sortsWhat}" onclick="${sortRows}" onkeydown="${sortKeys}"` : "";
  const under = notes.some(({ note }) => note !== "")
    ? `<tr style="${quiet}">${notes.map(({ cell }) => cell).join("")}</tr>`
    : "";
  return [
    heading(view.title),
    `<div style="overflow:auto;max-height:36em"><table cellpadding="4" style="border-collapse:collapse;margin:0;font-size:inherit;text-align:right">`,
    `<thead style="${head}"${sorts}><tr>${names.join("")}</tr>${under}</thead><tbody>${rows.join("") || empty}</tbody></table></div>`,
    footer ? `<div style="${quiet};margin-top:.3em">${escapeHtml(footer)}</div>` : "",
  ].join("");
}

/** How a cell differs from the others: words stand left, and on one line. */
function styleOf(word: string, isRight: boolean, tint = ""): string {
  const styles = [
    isRight ? "" : "text-align:left",
    /\s/.test(word) ? "white-space:pre" : "",
    word.length > longestWord ? "max-width:32em;overflow:hidden;text-overflow:ellipsis" : "",
    tint,
  ].filter((style) => style !== "");
  return styles.length === 0 ? "" : ` style="${styles.join(";")}"`;
}

function cellHtml(column: ViewColumn, cell: Cell, word: string): string {
  if (column.bars) return barsHtml(barsIn(cell));
  if (!column.alarm || typeof cell !== "number") return escapeHtml(word);
  const style = cell === 0 ? quiet : "font-weight:600;color:var(--jp-warn-color1,#c77700)";
  return `<span style="${style}">${escapeHtml(word)}</span>`;
}

/** Counts as small bars, in the colour of the text; as letters where a reader doesn't trust a notebook, and tags are stripped. */
function barsHtml(counts: readonly number[]): string {
  const most = Math.max(...counts);
  const bars = counts.map((count, k) => {
    const height = count === 0 ? 0 : Math.max(1, Math.round((16 * count) / most));
    return `<rect x="${8 * k}" y="${16 - height}" width="7" height="${height}"/>`;
  });
  const label = `counts in ${counts.length} equal parts: ${counts.join(", ")}`;
  const size = `width="${8 * counts.length}" height="16"`;
  return counts.length === 0
    ? ""
    : `<span title="${label}"><svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${label}" style="vertical-align:middle" fill="currentColor" opacity=".65"><desc>${barLetters(counts, barSteps)}</desc>${bars.join("")}</svg></span>`;
}

/** A background by size, thin enough for the theme's own text colour. */
function tintOf(value: unknown, diverging: boolean): string {
  if (typeof value !== "number" || !Number.isFinite(value)) return "";
  const strength = (0.5 * Math.min(1, Math.abs(value))).toFixed(2);
  return `background:rgba(${diverging && value > 0 ? "214,80,80" : "59,130,196"},${strength})`;
}

function textHtml(view: TextView): string {
  const tones = {
    plain: "",
    code: "font-family:monospace",
    quiet,
    good: "color:var(--jp-success-color1,#3a9d5d)",
    warning: "color:var(--jp-warn-color1,#c77700)",
  };
  const lead = { plain: "", code: "", quiet: "", good: "✓ ", warning: "⚠ " }[view.tone ?? "plain"];
  const lines = view.text.split(/\r?\n/).map((one) => escapeHtml(one.replaceAll("\t", "  ")));
  return `<div style="white-space:pre-wrap;${tones[view.tone ?? "plain"]}">${lead}${lines.join("\n")}</div>`;
}

function factsHtml(view: FactsView): string {
  const items = view.items.map((item) => {
    const words = formatCell(item.value);
    const shown = words === null ? `<span style="${quiet}">·</span>` : escapeHtml(words);
    const value = item.href ? linkHtml(item.href, shown) : shown;
    const note = item.note ? ` <span style="${quiet}">(${escapeHtml(item.note)})</span>` : "";
    return `<tr><th scope="row" style="text-align:left;font-weight:normal;padding:1px 12px 1px 0;${quiet}">${escapeHtml(item.label)}</th><td style="text-align:left;padding:1px 0">${value}${note}</td></tr>`;
  });
  return `${heading(view.title)}<table style="border-collapse:collapse;margin:0;font-size:inherit"><tbody>${items.join("")}</tbody></table>`;
}

/** Where a link could run something it stays text. */
function linkHtml(href: string, inner: string): string {
  return /^https?:\/\//i.test(href)
    ? `<a href="${escapeHtml(href)}" rel="noopener" target="_blank">${inner}</a>`
    : inner;
}

/** Folds away, without a script. */
function foldedHtml({ title, text }: FoldedView): string {
  const lines = text.split(/\r?\n/).map((one) => escapeHtml(one.replaceAll("\t", "  ")));
  const words = `<pre style="margin:.3em 0 0;white-space:pre-wrap;overflow-wrap:anywhere">${lines.join("\n")}</pre>`;
  return `<details><summary style="${quiet}">${escapeHtml(title)}</summary>${words}</details>`;
}

/** Questions that fold away, without a script. */
function treeHtml(node: TreeNode, when: string): string {
  const lead = when ? `<span style="${quiet}">${escapeHtml(when)}</span>&nbsp; ` : "";
  const note = node.note ? ` <span style="${quiet}">&nbsp;${escapeHtml(node.note)}</span>` : "";
  const words = `${lead}${escapeHtml(node.label + (node.rest ?? ""))}${note}`;
  const branches = node.branches ?? [];
  if (branches.length === 0) return `<div style="padding:1px 0 1px 1.1em">${words}</div>`;
  const below = branches.map((branch) => treeHtml(branch.then, branch.when));
  return `<details open style="padding:1px 0"><summary>${words}</summary><div style="margin-left:.35em;padding-left:.9em;border-left:${line}">${below.join("")}</div></details>`;
}

/** A grid that wraps; small pictures are not smoothed away. */
function imagesHtml(view: ImagesView): string {
  const items = view.items.map((item) => {
    const label = escapeHtml(item.label);
    const size = `width="${Math.max(48, item.width)}" style="image-rendering:${item.width < 48 ? "pixelated" : "auto"}"`;
    // Base64 has no letter that HTML knows, but the view may have come from elsewhere.
    const picture = `<img alt="${label}" ${size} src="data:image/png;base64,${escapeHtml(item.png)}">`;
    return `<figure style="margin:0;max-width:8em">${picture}<figcaption style="${quiet};overflow-wrap:anywhere">${label}</figcaption></figure>`;
  });
  const rest = (view.total ?? 0) - items.length;
  const more = rest > 0 ? `<div style="${quiet}">and ${rest.toLocaleString("en-US")} more</div>` : "";
  return `<div style="display:flex;flex-wrap:wrap;gap:8px">${items.join("")}</div>${more}`;
}

/** All tiles in one picture, whose cells stay sharp. */
function tilesHtml(view: TilesView): string {
  const { png, width, words } = tilesPicture(view);
  const text = escapeHtml(words);
  const picture = `<img alt="${text}" width="${width}" style="image-rendering:pixelated;max-width:100%" src="data:image/png;base64,${png}">`;
  return `<figure style="margin:0">${picture}<figcaption style="${quiet}">${text}</figcaption></figure>`;
}

/** As an image and not as elements: the ids inside one SVG would be taken for those of another on the page. */
async function chartHtml(chart: Chart): Promise<string> {
  const bytes = Buffer.from(await toSvg(chart), "utf8").toString("base64");
  return `<img alt="${escapeHtml(chart.title)}" style="max-width:100%" src="data:image/svg+xml;base64,${bytes}">`;
}
