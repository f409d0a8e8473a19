import { writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import type { FoundClusters } from "../blocks/cluster/cluster-view.ts";
import type { Link } from "../client/link.ts";
import { saveFile } from "../client/save-file.ts";
import { ArgsError } from "../core/errors.ts";
import { type Explanation, percent, plain } from "../core/explanation.ts";
import { count, listed, quoted } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { type Cell, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import { type Part, type Section, toMarkdown, toPage, toView } from "./card-sections.ts";
import { chainTo, codeFor } from "./code.ts";
import { codeBeside, type ModelEntry, modelsAmong, modelsIn } from "./models.ts";
import { print } from "./print.ts";

/** What a card is made with. */
export interface CardOptions {
  /** The model that it tells of (default: the last one of the chain). */
  readonly model_name?: string;
  /** Shuffles of each column, by which its importance is told; 0 for none (default 5). */
  readonly importance?: number;
}

/** What whoever relies on a model should know of it; shows itself, and is written as Markdown or HTML. */
export class ModelCard {
  /** The model's name. */
  readonly name: string;
  readonly #sections: readonly Section[];

  constructor(name: string, sections: readonly Section[]) {
    this.name = name;
    this.#sections = sections;
  }

  /** The card as Markdown. */
  markdown(): string {
    return toMarkdown(this.#title, this.#sections);
  }

  /** The card as a page of HTML that loads nothing. */
  html(): string {
    return toPage(this.#title, this.#sections);
  }

  /** Writes the card to a file: .md or .html. */
  async save(file: string): Promise<void> {
    const isPage = typeof file === "string" && /[^/\\]\.html?$/i.test(file);
    if (!isPage && !(typeof file === "string" && /[^/\\]\.md$/i.test(file))) {
      throw new ArgsError(`save: a card's file must end in .md or .html, got ${quoted(String(file))}.`, {
        path: "file",
        got: file,
      });
    }
    await saveFile(file, (beside) => writeFile(beside, isPage ? this.html() : this.markdown()));
  }

  /** Shows it. */
  show(): Promise<void> {
    return print(this);
  }

  toString(): string {
    return this.markdown();
  }

  [viewOf](): View {
    return toView(this.#title, this.#sections);
  }

  [inspect.custom](): string {
    return `ModelCard { ${this.name} } — .show() to see it, .save("card.md") or .save("card.html") to keep it`;
  }

  get #title(): string {
    return `Model card: ${this.name}`;
  }
}

/** Runs a block behind another. */
type Run = (
  code: string,
  args: Record<string, unknown>,
  parent: number,
) => Promise<{ readonly record: StateRecord; readonly output: unknown }>;

/** Columns of an importance at most. */
const mostColumns = 15;
/** Clusters that are told one by one at most, the largest. */
const mostClusters = 20;

/**
 * The card of a model: its data, preparation, split, scores, importance, and what the blocks told on the way.
 *
 * That of a clustering has its arguments and the sizes of its clusters, and no importance.
 * A model that was judged already, with importance where that is wanted, is not judged again.
 */
export async function cardOf(
  link: Link,
  at: StateRecord,
  { model_name, importance: wanted }: CardOptions,
  run: Run,
): Promise<ModelCard> {
  const importance = wanted ?? 5;
  if (!Number.isInteger(importance) || importance < 0 || importance > 1000) {
    throw new ArgsError(`card: importance must be a whole number from 0 to 1000, got ${String(importance)}.`, {
      path: "importance",
      got: importance,
      expected: "0 to 1000",
    });
  }
  const states = await link.states(at.project);
  const entry = modelOf(model_name, states, await chainTo(link, at));
  const isClustering = byCode(entry.code).task === "clustering";
  if (isClustering && wanted) {
    throw new ArgsError(
      `card: importance is how much worse a model tells its target without a column, and clusterings such as ${quoted(entry.name)} have no target. Leave it out.`,
      { path: "importance", got: wanted },
    );
  }
  const record = states.find((state) => state.block_id === entry.block) as StateRecord;
  const chain = await chainTo(link, record);
  const told = await Promise.all(chain.map(async (state) => ({ state, told: await link.explain(state.id) })));
  const judged = await judgedBy(link, states, entry, isClustering ? 0 : importance, run);
  const judgment = await link.explain(judged.state);
  const sections: Section[] = [
    { title: "Model", parts: await modelParts(link, entry, record, told) },
    ...(isClustering ? await clusterSections(link, record, told) : []),
    { title: "Data", parts: [{ kind: "text", text: told[0].told.did.join(" ") }] },
    { title: "Preparation", parts: preparation(told) },
    { title: "Split", parts: [{ kind: "text", text: splitWords(told, record) }] },
    { title: "Scores", parts: scores(judged.output, judgment) },
    ...importanceOf(judged.output),
    { title: "To mind", parts: [notices([...told.map((each) => each.told), judgment], record)] },
    { title: "How it was made", parts: [{ kind: "code", text: await codeFor(link, record) }] },
  ];
  return new ModelCard(entry.name, sections);
}

/** A block of the chain, and what it says of itself. */
interface Told {
  readonly state: StateRecord;
  readonly told: Explanation;
}

function modelOf(name: string | undefined, states: readonly StateRecord[], chain: readonly StateRecord[]): ModelEntry {
  const own = modelsAmong(chain).filter(({ code }) => isJudged(code));
  if (name === undefined) {
    const last = own.at(-1);
    if (last) return last;
    throw new ArgsError(
      "card: there is no model in this chain yet that metrics() judges; train one first, as in forestClassifier() or kmeans(), or give model_name.",
      { path: "model_name" },
    );
  }
  const all = modelsAmong(states);
  const found = all.find((each) => each.name === name);
  if (found && isJudged(found.code)) return found;
  const known = all.filter(({ code }) => isJudged(code)).map((each) => each.name);
  const why = found
    ? `it tells of models that metrics() judges, and ${quoted(name)} was made by ${byCode(found.code).name} (${found.code})`
    : `there is no model ${quoted(name)} in this project`;
  throw new ArgsError(`card: ${why}. Models: ${listed(known) || "none"}.`, { path: "model_name", got: name });
}

/** Does a model tell numbers, classes or clusters, and is it judged by its metrics()? */
function isJudged(code: string): boolean {
  return byCode(code).task !== undefined && codeBeside(code, "_M") !== null;
}

/** What a metrics block answered. */
interface Metrics {
  readonly n: number;
  readonly on: string;
  readonly report?: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  readonly importance?: readonly { readonly feature: string; readonly mean: number; readonly std: number }[];
  readonly [metric: string]: unknown;
}

async function judgedBy(
  link: Link,
  states: readonly StateRecord[],
  { name, code, block }: ModelEntry,
  importance: number,
  run: Run,
): Promise<{ readonly state: number; readonly output: Metrics }> {
  const metrics = codeBeside(code, "_M") as string;
  const known = states.filter((state) => state.parent_id === block && state.function_code === metrics && !state.stale);
  for (const { id } of known) {
    const { args } = await link.request(id);
    const isWhole = args?.metric === undefined && args?.test_data === undefined;
    if (args?.model_name !== name || !isWhole || (args.importance ?? 0) !== importance) continue;
    return { state: id, output: JSON.parse((await link.state(id)).output as string) as Metrics };
  }
  const { record, output } = await run(metrics, { model_name: name, ...(importance > 0 ? { importance } : {}) }, block);
  // The metrics of a model are one object of numbers and tables.
  return { state: record.id, output: output as Metrics };
}

async function modelParts(
  link: Link,
  { name, code, block }: ModelEntry,
  record: StateRecord,
  told: readonly Told[],
): Promise<Part[]> {
  const columnsOf = async (url: string | null | undefined) =>
    url ? (await link.table(url, { limit: 0 })).columns.map((column) => column.name) : [];
  const own = told[told.length - 1].told;
  const clusters = clustersIn(code, own);
  const features = clusters?.features ?? (await columnsOf(record.x_value_url));
  const tells = clusters
    ? clusters.kind === "outliers"
      ? "which rows are outliers"
      : "which cluster a row is in"
    : listed(await columnsOf(record.y_value_url));
  const names = features.length > 30 ? "" : `: ${listed(features)}`;
  return [
    {
      kind: "table",
      columns: ["what", "value"],
      rows: [
        ["name", name],
        ["made by", `${byCode(code).name} (${code}), block ${block}`],
        ["tells", tells],
      ],
    },
    { kind: "text", text: `It looks at ${count(features.length, "feature")}${names}.` },
    { kind: "text", text: own.did.join(" ") },
    { kind: "text", text: own.why },
  ];
}

/** What a clustering found; null for other models. */
function clustersIn(code: string, { found }: Explanation): FoundClusters | null {
  // It is what clusterings say of themselves.
  return byCode(code).task === "clustering" ? (found as unknown as FoundClusters) : null;
}

/** What a clustering was asked for, and what came of it. */
async function clusterSections(link: Link, record: StateRecord, told: readonly Told[]): Promise<Section[]> {
  const { args = {} } = await link.request(record.id);
  const asked = Object.entries(args).filter(([name, value]) => name !== "model_name" && value !== undefined);
  const found = clustersIn(record.function_code, told[told.length - 1].told) as FoundClusters;
  const rows = found.sizes.reduce((sum, each) => sum + each.rows, 0);
  const sizes = found.sizes.toSorted((a, b) => b.rows - a.rows);
  const left = sizes.slice(mostClusters).reduce((sum, each) => sum + each.rows, 0);
  const nameOf = (label: number) => {
    if (found.kind === "outliers") return label === 1 ? "outliers" : "other rows";
    return label < 0 ? "in no cluster" : String(label);
  };
  return [
    {
      title: "Arguments",
      parts: [
        {
          kind: "table",
          columns: ["argument", "value"],
          rows: asked.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
        },
      ],
    },
    {
      title: found.kind === "outliers" ? "Outliers" : "Clusters",
      parts: [
        {
          kind: "table",
          columns: [found.kind === "outliers" ? "which" : "cluster", "rows", "share"],
          rows: sizes.slice(0, mostClusters).map(({ label, rows: own }) => [nameOf(label), own, percent(own / rows)]),
        },
        ...(left > 0
          ? [
              {
                kind: "text" as const,
                text: `${count(left, "further row")} are in ${count(sizes.length - mostClusters, "smaller cluster")}.`,
              },
            ]
          : []),
        ...Object.entries(found.measures).map(([name, value]) => ({
          kind: "text" as const,
          text: `${name[0].toUpperCase()}${name.slice(1)}: ${plain(value)}, on the rows that it learnt from.`,
        })),
      ],
    },
  ];
}

/** The blocks that made the table, without those that only looked at it. */
function preparation(told: readonly Told[]): Part[] {
  const steps = told.slice(1, -1).filter(({ state }) => {
    if (isSplit(state)) return false;
    // What looks at a table answers an output; a clustering adds a column besides.
    const isLook = state.output !== undefined || state.output_bytes !== undefined;
    return !isLook || modelsIn(state).some(({ code }) => byCode(code).task === "clustering");
  });
  if (steps.length === 0) return [{ kind: "text", text: "Nothing was changed before the training." }];
  return [{ kind: "list", items: steps.map(({ told: { title, did } }) => `${title}: ${did.join(" ")}`) }];
}

function isSplit({ function_code }: StateRecord): boolean {
  return function_code === "DP_4";
}

function splitWords(told: readonly Told[], record: StateRecord): string {
  const split = told.findLast(({ state }) => isSplit(state));
  if (split) return split.told.did.join(" ");
  return record.x_test_url
    ? "Rows were put aside by another block, as its preparation tells."
    : "No rows were put aside, so its scores are those of rows it has learnt from, and flatter.";
}

function scores(metrics: Metrics, { did }: Explanation): Part[] {
  const numbers = Object.entries(metrics).filter(
    ([name, value]) => name !== "n" && (typeof value === "number" || value === null),
  );
  const rows =
    metrics.on === "test" ? count(metrics.n, "test row") : `${count(metrics.n, "row")}, which it has learnt from`;
  const classes = Object.entries(metrics.report ?? {});
  return [
    { kind: "table", columns: ["metric", `on ${rows}`], rows: numbers.map(([name, value]) => [name, value as Cell]) },
    { kind: "text", text: did.join(" ") },
    ...(classes.length > 0
      ? [
          {
            kind: "table" as const,
            title: "each class",
            columns: ["class", "precision", "recall", "f1", "rows"],
            rows: classes.map(([name, each]) => [name, each.precision, each.recall, each.f1, each.support]),
          },
        ]
      : []),
  ];
}

function importanceOf({ importance, ...metrics }: Metrics): Section[] {
  if (!importance) return [];
  const sorted = importance.toSorted((a, b) => b.mean - a.mean);
  const bars = sorted.slice(0, mostColumns).map(({ feature, mean }) => ({ label: feature, value: mean }));
  const value = `fall of ${"accuracy" in metrics ? "accuracy" : "r2"} when a column is shuffled`;
  const left = sorted.length - bars.length;
  return [
    {
      title: "Importance",
      parts: [
        { kind: "bars", value, bars },
        ...(left > 0 ? [{ kind: "text" as const, text: `${count(left, "further column")} do less.` }] : []),
      ],
    },
  ];
}

/** What the blocks told, such as a leak. */
function notices(told: readonly Explanation[], { stale }: StateRecord): Part {
  const items = [
    ...(stale ? ["The model is stale: a block before it was replaced. Run its block again."] : []),
    ...told.flatMap(({ block, title, notices: own }) =>
      // Most notices begin with who says so.
      own.map((notice) => `Block ${block}, ${notice.startsWith(`${title}: `) ? notice : `${title}: ${notice}`}`),
    ),
  ];
  if (items.length > 0) return { kind: "warnings", items };
  return { kind: "text", text: "No block told of a leak, or of anything else to mind." };
}
