import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import { ArgsError, BlocklabError } from "../core/errors.ts";
import { listed } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { type Cell, stack, type TableView, text, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import { chainOf } from "./code.ts";
import { codeBeside, codeWith, type ModelEntry, modelsAmong } from "./models.ts";
import { print } from "./print.ts";
import type { Result } from "./result.ts";

/** A model's scores on the rows it was judged on. */
export interface Score {
  readonly model: string;
  /** The helper that trained it. */
  readonly helper: string;
  /** The block that trained it. */
  readonly block: number;
  readonly scores: Readonly<Record<string, number | null>>;
  /** How many rows it was judged on, and which: "test", or "all" where there is no split. */
  readonly rows: number;
  readonly on: string;
}

/** Which scores are shown for each task; the first ranks, the greatest first. */
const shown = [
  ["r2", "rmse", "mae"],
  ["accuracy", "f1", "roc_auc", "log_loss"],
  ["silhouette", "calinski_harabasz", "n_clusters"],
] as const;

/** The project's models side by side, the best first; shows itself as a table. */
export class Comparison {
  /** Models judged on the same rows, the best first. */
  readonly ranking: readonly Score[];
  /** Models that can't stand beside them, each with the reason. */
  readonly others: readonly { readonly model: string; readonly reason: string }[];

  constructor(ranking: readonly Score[], others: Comparison["others"]) {
    this.ranking = ranking;
    this.others = others;
  }

  /** Shows the table. */
  show(): Promise<void> {
    return print(this);
  }

  [viewOf](): View {
    const names = Object.keys(this.ranking[0]?.scores ?? {});
    const table: TableView = {
      kind: "table",
      summary: true,
      columns: [
        { name: "model", type: "text" },
        { name: "helper", type: "text" },
        ...names.map((name) => ({ name, type: "number" as const, digits: 4 })),
        { name: "rows", type: "integer" },
        { name: "on", type: "text" },
        { name: "block", type: "integer" },
      ],
      rows: this.ranking.map((each): Cell[] => [
        each.model,
        each.helper,
        ...names.map((name) => each.scores[name] ?? null),
        each.rows,
        each.on,
        each.block,
      ]),
    };
    const notes = this.others.map(({ model, reason }) => text(`${model} left out: ${reason}.`, "quiet"));
    return stack(table, ...notes);
  }

  [inspect.custom](): string {
    return `Comparison { ${this.ranking.map(({ model }) => model).join(" > ")} } — .show() to see it`;
  }
}

/** A model with the block that trained it and what it is judged by. */
interface Judged {
  readonly entry: ModelEntry;
  readonly record: StateRecord;
  readonly target: string;
  readonly task: string;
  /** The record of the block that split the rows; undefined where none did. */
  readonly split: StateRecord | undefined;
}

/** Runs a block behind another. */
type Run = (code: string, args: Record<string, unknown>, parent: number) => Promise<Result>;

/**
 * Judges the project's models and ranks them.
 *
 * Only models of one target, on the rows of one split, can be ranked: those of the newest model. Splits of several chains
 * are one where they put the same rows aside. A model that has been judged already is not judged again.
 */
export async function compareModels(link: Link, project: number, run: Run): Promise<Comparison> {
  const states = await link.states(project);
  const models = await judgedModels(link, states);
  const newest = models.findLast(({ record }) => !record.stale);
  if (!newest) {
    throw new ArgsError(
      models.length === 0
        ? "compare: the project has no model yet; train two or more, as in forestClassifier() and logistic()."
        : "compare: all models are stale; run their blocks again.",
    );
  }
  const ranking: Score[] = [];
  const others: { model: string; reason: string }[] = [];
  let refused: BlocklabError | null = null;
  for (const model of models) {
    const reason = await whyApart(link, states, model, newest);
    if (reason) others.push({ model: model.entry.name, reason });
    else {
      try {
        ranking.push(scoreOf(model, await metricsOf(link, states, model, run)));
      } catch (error) {
        // Test rows may hold what the model can't answer; that is no matter of the other models.
        if (!(error instanceof BlocklabError) || error.status !== 422) throw error;
        refused = error;
        others.push({ model: model.entry.name, reason: error.message.replace(/\.$/, "") });
      }
    }
  }
  if (ranking.length === 0) throw refused;
  const [first] = Object.keys(ranking[0].scores);
  ranking.sort((a, b) => Number(b.scores[first] ?? -Infinity) - Number(a.scores[first] ?? -Infinity));
  return new Comparison(ranking, others);
}

/** All metrics of a model: from a block that judged it, else from a new one. */
async function metricsOf(
  link: Link,
  states: readonly StateRecord[],
  { entry, record }: Judged,
  run: Run,
): Promise<Record<string, unknown>> {
  const code = codeWith(entry.code, "_M");
  const known = states.filter(
    (state) => state.parent_id === record.block_id && state.function_code === code && !state.stale,
  );
  for (const state of known) {
    const { args } = await link.request(state.id);
    if (
      args?.model_name === entry.name &&
      args.metric === undefined &&
      args.test_data === undefined &&
      state.output !== undefined
    )
      return JSON.parse(state.output) as Record<string, unknown>;
  }
  // A cast because the metrics of a model are one object of numbers and tables.
  return (await run(code, { model_name: entry.name }, record.block_id)).output as Record<string, unknown>;
}

async function judgedModels(link: Link, states: readonly StateRecord[]): Promise<Judged[]> {
  const out: Judged[] = [];
  for (const entry of modelsAmong(states)) {
    // Some neural networks are judged by their own evaluate(), in other numbers; untrained ones not at all.
    if (codeBeside(entry.code, "_M") === null || entry.code.endsWith("_I")) continue;
    const record = states.find((state) => state.block_id === entry.block);
    if (!record) continue;
    const chain = chainOf(states, record.block_id);
    const split = chain.findLast(
      (state) => state.x_test_url !== null && byCode(state.function_code).name.match(/^(split|auto)$/),
    );
    const [target, task] = [await targetOf(link, record), await taskOf(link, entry.code, record)];
    out.push({ entry, record, target, task, split });
  }
  return out.sort((a, b) => a.record.block_id - b.record.block_id);
}

async function targetOf(link: Link, record: StateRecord): Promise<string> {
  if (!record.y_value_url) return "";
  const { columns } = await link.table(record.y_value_url, { limit: 0 });
  return listed(columns.map((column) => column.name));
}

async function whyApart(
  link: Link,
  states: readonly StateRecord[],
  model: Judged,
  newest: Judged,
): Promise<string | null> {
  if (model.record.stale) return "it is stale; run its block again";
  if (model.target !== newest.target) {
    if (model.target === "") return "it has no target";
    const other = newest.target === "" ? `and ${newest.entry.name}, the newest, has no target` : `not ${newest.target}`;
    return `it predicts ${model.target}, ${other}`;
  }
  if (model.task !== newest.task) return "it solves another task";
  const isSame = await isSameSplit(link, states, model.split, newest.split);
  return isSame ? null : "it was trained on another split of the rows";
}

/** Do two blocks put the same rows aside? They do where they split the same rows alike, over an input that did not change. */
async function isSameSplit(
  link: Link,
  states: readonly StateRecord[],
  one: StateRecord | undefined,
  other: StateRecord | undefined,
): Promise<boolean> {
  if (one?.block_id === other?.block_id) return true;
  if (!one?.y_test_url || !other?.y_test_url) return false;
  const [steps, others] = await Promise.all([one, other].map((split) => rowSteps(link, states, split)));
  if (steps !== others) return false;
  const [rows, there] = await Promise.all(
    [one.y_test_url, other.y_test_url].map((url) => link.table(url, { limit: compared })),
  );
  return rows.total === there.total && JSON.stringify(rows.rows) === JSON.stringify(there.rows);
}

/** So many test targets tell whether a file was another when it was read again. */
const compared = 10_000;

/** Blocks that make other rows, or put them in another order, though there may be as many as before. */
const movesRows = /^(?:DP_7|DP_RES|DP_RSH|BL_(?:SORT|SAMPLE|SUMMARIZE|JOIN|APPEND|LONGER|WIDER|QUERY))$/;

/**
 * What decided which rows a block split, and how: its own call, the input's, and those between that left rows out or
 * moved them, drawn seeds included.
 */
async function rowSteps(link: Link, states: readonly StateRecord[], { block_id }: StateRecord): Promise<string> {
  const chain = chainOf(states, block_id);
  const [totals, requests] = await Promise.all([
    Promise.all(chain.map(({ dataset_url: url }) => (url === null ? null : link.table(url, { limit: 0 })))),
    Promise.all(chain.map((state) => link.request(state.id))),
  ]);
  const decide = requests.filter(({ function_code }, k) => {
    const isEnd = k === 0 || k === chain.length - 1;
    return isEnd || movesRows.test(function_code) || totals[k]?.total !== totals[k - 1]?.total;
  });
  return JSON.stringify(
    decide.map(({ function_code, args = {} }) => [
      function_code,
      Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)),
    ]),
  );
}

async function taskOf(link: Link, code: string, record: StateRecord): Promise<string> {
  // What has no task of its own tells classes, as the text classifier does.
  const { task = "classification" } = byCode(code);
  if (task !== "either") return task;
  const { found } = await link.explain(record.id);
  return (found as { readonly task: string }).task;
}

function scoreOf({ entry }: Judged, metrics: Record<string, unknown>): Score {
  const names = shown.find(([first]) => first in metrics) ?? shown[0];
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    model: entry.name,
    helper: byCode(entry.code).name.split(".")[0],
    block: entry.block,
    scores: Object.fromEntries(names.map((name) => [name, number(metrics[name])])),
    rows: number(metrics.n) ?? 0,
    on: String(metrics.on ?? ""),
  };
}
