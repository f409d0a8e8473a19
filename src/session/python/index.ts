import type { Link } from "../../client/link.ts";
import { ArgsError } from "../../core/errors.ts";
import { type Frame, sourceFrame } from "../../core/frame.ts";
import type { StateRecord } from "../../core/record.ts";
import { byCode } from "../../registry/index.ts";
import { chainTo } from "../code.ts";
import { astype, dates, drop, reorder } from "./columns.ts";
import { encode } from "./encode.ts";
import { input } from "./input.ts";
import { correlations, counts, describe, dtypes, info, uniques } from "./inspect.ts";
import { metrics, predict } from "./judge.ts";
import { missing } from "./missing.ts";
import { model, modelCodes } from "./models.ts";
import { dropDuplicates, duplicates, split, xy } from "./rows.ts";
import { pca, scale } from "./scale.ts";
import { listLines, literal, NoEquivalent, type PythonStep, type PythonWriter, Script } from "./script.ts";
import { resample, timesteps } from "./tables.ts";
import { vectorize } from "./texts.ts";

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
  DP_VEC: vectorize,
  ...Object.fromEntries(
    modelCodes.flatMap((code) => [
      [code, model],
      [`${code}_P`, predict],
      [`${code}_M`, metrics],
    ]),
  ),
};

/** Blocks without a writer that leave the table as it is: plots, and neural networks. */
const leavesTable = /^(?:DP_(?:SCP|ORD|CSP|PIE|HMP)|DL_.*|A_DL_.*)$/;

/**
 * The chain that leads to a block as a script for pandas and scikit-learn, which prints the same numbers.
 *
 * A block that they have nothing for becomes a comment; an ArgsError when a later block builds on what it made.
 */
export async function pythonFor(link: Link, record: StateRecord): Promise<string> {
  const chain = await chainTo(link, record);
  const script = new Script(link.where === "embedded");
  let before: Frame = sourceFrame("", [], 0);
  for (const [k, state] of chain.entries()) {
    const block = byCode(state.function_code);
    const { args = {} } = await link.request(state.id);
    const after = await frameOf(link, state, before);
    const title = `# Block ${state.block_id}: ${block.name} (${block.code})`;
    const lines = linesOf({ block, record: state, args, before, after, script });
    if (typeof lines === "string") {
      const next = chain.slice(k + 1).find((each) => Object.hasOwn(writers, each.function_code));
      if (next && !leavesTable.test(block.code)) throw refusal(state, next, lines);
      script.steps.push(`${title}: left out, since ${lines}.\n`);
    } else script.steps.push(`${[title, ...lines, ...roleLines(before, after, lines)].join("\n")}\n`);
    before = after;
  }
  script.use("import pandas as pd");
  return script.toString();
}

/** The lines of a block, or why there are none. */
function linesOf(step: PythonStep): readonly string[] | string {
  const write = Object.hasOwn(writers, step.block.code) ? writers[step.block.code] : null;
  if (!write) return "pandas and scikit-learn have nothing that does the same";
  try {
    return write(step);
  } catch (error) {
    if (error instanceof NoEquivalent) return error.message;
    throw error;
  }
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

/** What is known of a block's table from afar: its columns and roles, its rows, and whether they are split. */
async function frameOf(link: Link, state: StateRecord, before: Frame): Promise<Frame> {
  if (state.dataset_url === null) return before;
  const names = async (url: string | null) =>
    url === null ? null : (await link.table(url, { limit: 0 })).columns.map(({ name }) => name);
  const { columns, total } = await link.table(state.dataset_url, { limit: 0 });
  const isSplit = before.folds !== null || byCode(state.function_code).name === "split";
  return {
    ...sourceFrame("", columns, total),
    x: await names(state.x_value_url),
    y: await names(state.y_value_url),
    folds: isSplit ? { artifact: "", train: 0, test: 0 } : null,
  };
}
