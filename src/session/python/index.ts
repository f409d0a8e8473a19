import type { InnerStep } from "../../blocks/prepare/auto-steps.ts";
import type { Link } from "../../client/link.ts";
import { ArgsError } from "../../core/errors.ts";
import { type Column, type Frame, sourceFrame } from "../../core/frame.ts";
import type { StateRecord } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { byCode } from "../../registry/index.ts";
import { chainTo } from "../code.ts";
import { auto } from "./auto.ts";
import {
  clusterMetrics,
  dbscan,
  gaussianMixture,
  hdbscan,
  hierarchical,
  isolationForest,
  kmeans,
  predictCluster,
} from "./clusters.ts";
import { astype, drop, reorder } from "./columns.ts";
import { dates } from "./dates.ts";
import { encode } from "./encode.ts";
import { input } from "./input.ts";
import { correlations, counts, describe, dtypes, info, uniques } from "./inspect.ts";
import { metrics, predict } from "./judge.ts";
import { som, somEvaluate, somPredict, somTrain } from "./maps.ts";
import { missing } from "./missing.ts";
import { model, modelCodes } from "./models.ts";
import { ann, annEvaluate, annPredict, annTrain } from "./networks.ts";
import { append, join, longer, sample, summarize, wider } from "./new-tables.ts";
import { rbm, rbmEvaluate, rbmPredict, rbmTrain } from "./rbm.ts";
import { dropDuplicates, duplicates, split, xy } from "./rows.ts";
import { pca, scale, tsne } from "./scale.ts";
import { listLines, literal, NoEquivalent, type PythonStep, type PythonWriter, Script } from "./script.ts";
import { search } from "./search.ts";
import { resample, timesteps } from "./tables.ts";
import { vectorize } from "./texts.ts";
import { derive, filter, rename, select, slice, sort } from "./verbs.ts";

/** The blocks that pandas and scikit-learn can do, by their function codes. */
const writers: Readonly<Record<string, PythonWriter>> = {
  DP_1: input,
  DP_2: missing,
  DP_3: encode,
  DP_4: split,
  DP_5: scale,
  DP_6: drop,
  DP_PDT: dates,
  DP_ROC: reorder,
  DP_FSP: xy,
  DP_ASP: astype,
  DP_SDC: duplicates,
  DP_DRD: dropDuplicates,
  DP_INF: info,
  DP_CRR: correlations,
  DP_DSC: describe,
  DP_DTY: dtypes,
  DP_UNQ: uniques,
  DP_STC: counts,
  DP_7: timesteps,
  DP_RES: resample,
  DP_PCA: pca,
  BL_TSNE: tsne,
  DP_VEC: vectorize,
  BL_FILTER: filter,
  BL_DERIVE: derive,
  BL_SELECT: select,
  BL_RENAME: rename,
  BL_SORT: sort,
  BL_SLICE: slice,
  BL_COLLECT: () => [],
  ML_CG_1: hierarchical,
  ML_CG_1_P: predictCluster,
  ML_CG_1_M: clusterMetrics,
  ML_CG_2: kmeans,
  ML_CG_2_P: predictCluster,
  ML_CG_2_M: clusterMetrics,
  ML_CG_3: dbscan,
  ML_CG_3_P: predictCluster,
  ML_CG_3_M: clusterMetrics,
  BL_GAUSSIAN_MIXTURE: gaussianMixture,
  BL_GAUSSIAN_MIXTURE_P: predictCluster,
  BL_GAUSSIAN_MIXTURE_M: clusterMetrics,
  BL_HDBSCAN: hdbscan,
  BL_HDBSCAN_P: predictCluster,
  BL_HDBSCAN_M: clusterMetrics,
  ML_ISF: isolationForest,
  ML_ISF_P: predictCluster,
  ML_ISF_M: clusterMetrics,
  ...Object.fromEntries(
    ["AUTO_R_1", "AUTO_CN_1"].flatMap((code) => [
      [code, auto],
      [`${code}_P`, predict],
      [`${code}_M`, metrics],
    ]),
  ),
  DL_ANN_S_I: ann,
  DL_ANN_T: annTrain,
  DL_ANN_P: annPredict,
  DL_ANN_E: annEvaluate,
  DL_RBM_I: rbm,
  DL_RBM_T: rbmTrain,
  DL_RBM_P: rbmPredict,
  DL_RBM_E: rbmEvaluate,
  DL_SOM_I: som,
  DL_SOM_T: somTrain,
  DL_SOM_P: somPredict,
  DL_SOM_E: somEvaluate,
  ML_GRID: search,
  BL_TUNE: search,
  BL_SUMMARIZE: summarize,
  BL_JOIN: join,
  BL_APPEND: append,
  BL_SAMPLE: sample,
  BL_LONGER: longer,
  BL_WIDER: wider,
  ...Object.fromEntries(
    modelCodes.flatMap((code) => [
      [code, model],
      [`${code}_P`, predict],
      [`${code}_M`, metrics],
    ]),
  ),
};

/** Blocks that run others, each of which has a writer or not. */
const composed = ["DP_ADP"];

/** Blocks without a writer that leave the table as it is: plots, texts' classifiers, explanations, and what asks a clustering. */
const leavesTable =
  /^(?:AUTO_.*|ML_GRID|BL_TUNE|ML_SHAP|BL_(?:ERRORS|PDP|CALIBRATION|THRESHOLD|LIFT|LEARNING)|(?:ML_CG_\d|ML_ISF|BL_(?:GAUSSIAN_MIXTURE|HDBSCAN))_[PM]|DP_(?:SCP|ORD|CSP|PIE|HMP)|BL_(?:HISTOGRAM|BAR|BOX|DENSITY|AREA|PAIRS|GAPS|PLOT)|DL_(?!(?:RBM|SOM)_P$).*|A_DL_.*)$/;

/**
 * The chain that leads to a block as a script for pandas and scikit-learn, which prints the same numbers.
 *
 * A block that they have nothing for becomes a comment; an ArgsError when a later block builds on what it made.
 */
export async function pythonFor(link: Link, record: StateRecord): Promise<string> {
  const script = new Script(link.where === "embedded");
  await writeChain(link, record, script, script.steps);
  script.use("import pandas as pd");
  return script.toString();
}

/** Writes the chain that leads to a block; the columns of its table. */
async function writeChain(
  link: Link,
  record: StateRecord,
  script: Script,
  written: string[],
): Promise<readonly Column[]> {
  const chain = await chainTo(link, record);
  let before: Frame = sourceFrame("", [], 0);
  for (const [k, state] of chain.entries()) {
    const block = byCode(state.function_code);
    const after = await frameOf(link, state, before);
    const title = `# Block ${state.block_id}: ${block.name} (${block.code})`;
    const lines = await linesOf(await stepsOf(link, { state, before, after, script }));
    if (typeof lines === "string") {
      const next = chain.slice(k + 1).find((each) => hasWriter(each.function_code));
      if (next && !leavesTable.test(block.code)) throw refusal(state, next, lines);
      written.push(`${title}: left out, since ${lines}.\n`);
    } else written.push(`${[title, ...lines].join("\n")}\n`);
    before = after;
  }
  return before.columns;
}

/** Another block's chain as a function of the script, which is called where its table is wanted. */
async function functionOf(link: Link, state: StateRecord, script: Script, id: number) {
  const [wanted] = await link.states(state.project, { block: id });
  if (!wanted) throw new NoEquivalent(`block ${id} is not there any more`);
  const written: string[] = [];
  const columns = await writeChain(link, wanted, script, written);
  const body = written
    .join("\n")
    .trimEnd()
    .replace(/^(?=.)/gm, "    ");
  const text = `table_of_block_${id}`;
  script.define(text, `def ${text}():\n    """The table that block ${id} made."""\n${body}\n    return df`);
  return { text: `${text}()`, columns };
}

/** A block of the chain, with the tables around it. */
interface Around {
  readonly state: StateRecord;
  readonly before: Frame;
  readonly after: Frame;
  readonly script: Script;
}

/** A block as a step; one that runs others, as auto does, as theirs. */
async function stepsOf(link: Link, { state, before, after, script }: Around): Promise<PythonStep[]> {
  const { args = {} } = await link.request(state.id);
  const { found } = await link.explain(state.id);
  const cells: PythonStep["cells"] = async (which, names) => {
    const url = which === "before" ? before.relation.artifact : after.relation.artifact;
    const { rows } = await link.table(url, { columns: names, limit: most });
    return names.map((_, k) => rows.map((row) => row[k]));
  };
  const everyCell: PythonStep["everyCell"] = (name) => cellsOf(link, before.relation.artifact, name);
  const everyTarget: PythonStep["everyTarget"] = () =>
    // What is asked learns a target, so there is one.
    cellsOf(link, state.y_train_url ?? before.relation.artifact, before.y?.[0] as string);
  const ends: PythonStep["ends"] = async (name) => {
    const end = async (descending: boolean) =>
      (await link.table(after.relation.artifact, { columns: [name], sort: name, descending, limit: 1 })).rows[0]?.[0];
    return [(await end(false)) ?? null, (await end(true)) ?? null];
  };
  const withoutCells: PythonStep["withoutCells"] = async (names) => {
    const url = state.x_train_url ?? before.relation.artifact;
    const { rows } = await link.table(url, { columns: names, limit: fewCells });
    const empty = names.filter((_, k) => rows.every((row) => row[k] === null));
    const first = async (name: string) => (await link.table(url, { columns: [name], sort: name, limit: 1 })).rows[0];
    const least = await Promise.all(empty.map(first));
    // Missing cells come last.
    return empty.filter((_, k) => (least[k]?.[0] ?? null) === null);
  };
  const tableOf: PythonStep["tableOf"] = (id) => functionOf(link, state, script, id);
  const own = { record: state, script, cells, everyCell, everyTarget, withoutCells, ends, tableOf };
  const { steps } = (found ?? {}) as { readonly steps?: readonly InnerStep[] };
  if (!steps || steps.length === 0) return [{ ...own, block: byCode(state.function_code), args, found, before, after }];
  let now = before;
  return steps.map(({ code, args: theirs, found: told, rows, ...changed }) => {
    const last = now;
    now = { ...now, ...changed, rows, split: code === "DP_4" ? someSplit : now.split };
    return { ...own, block: byCode(code), args: theirs, found: told, before: last, after: now };
  });
}

/** All cells of a table's column, run by run. */
async function* cellsOf(link: Link, url: string, name: string): AsyncIterable<readonly Cell[]> {
  for (let offset = 0, left = true; left; offset += most) {
    const { rows, total } = await link.table(url, { columns: [name], offset, limit: most });
    yield rows.map(([cell]) => cell);
    left = offset + most < total;
  }
}

/** So many cells of a column tell how they are written. */
const most = 20_000;

/** Most columns have a cell among so many. */
const fewCells = 50;

/** The lines of a block, or why there are none. */
async function linesOf(steps: readonly PythonStep[]): Promise<readonly string[] | string> {
  const all: string[] = [];
  for (const step of steps) {
    const write = Object.hasOwn(writers, step.block.code) ? writers[step.block.code] : null;
    if (step.args.load_name !== undefined) return "it applies what another block learnt and saved";
    if (!write) return "pandas and scikit-learn have nothing that does the same";
    try {
      const lines = await write(step);
      const body = [...lines, ...roleLines(step.before, step.after, lines)];
      if (body.length > 0) all.push(...(steps.length > 1 ? [`# ${step.block.name}`] : []), ...body);
    } catch (error) {
      if (error instanceof NoEquivalent) return error.message;
      throw error;
    }
  }
  return all;
}

function hasWriter(code: string): boolean {
  return Object.hasOwn(writers, code) || composed.includes(code);
}

function refusal(state: StateRecord, next: StateRecord, reason: string): ArgsError {
  const name = (each: StateRecord) =>
    `block ${each.block_id}, ${byCode(each.function_code).name} (${each.function_code})`;
  return new ArgsError(
    `code: ${name(state)}, can't be written in Python: ${reason}; and ${name(next)}, builds on it. Take the code of an earlier block, or code() for TypeScript.`,
    { path: "as", got: "python", block: state.function_code },
  );
}

/** Features and targets, where they changed and the block's own lines don't say it. */
function roleLines(before: Frame, after: Frame, lines: readonly string[]): string[] {
  return (["x", "y"] as const).flatMap((role) => {
    const names = after[role];
    const isSaid = lines.some((line) => line.startsWith(`${role} = `));
    if (!names || isSaid || JSON.stringify(names) === JSON.stringify(before[role])) return [];
    return listLines(`${role} = `, names.map(literal));
  });
}

/** Rows are split; which go where is the script's to find. */
const someSplit = { artifact: "", train: 0, test: 0 };

/** What is known of a block's table from afar: its columns and roles, its rows, and whether they are split. */
async function frameOf(link: Link, state: StateRecord, before: Frame): Promise<Frame> {
  if (state.dataset_url === null) return before;
  const names = async (url: string | null) =>
    url === null ? null : (await link.table(url, { limit: 0 })).columns.map(({ name }) => name);
  const { columns, total } = await link.table(state.dataset_url, { limit: 0 });
  const isSplit = before.split !== null || state.function_code === "DP_4" || state.x_train_url !== undefined;
  return {
    ...sourceFrame(state.dataset_url, columns, total),
    x: await names(state.x_value_url),
    y: await names(state.y_value_url),
    split: isSplit ? someSplit : null,
  };
}
