import type { Link } from "../client/link.ts";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { allBlocks, byCode } from "../registry/index.ts";
import { chainTo } from "./code.ts";
import type { AnyTable } from "./rows/any-table.ts";

/** Which model is meant; without a name the last one of the chain. */
export interface ModelCall {
  readonly model_name?: string;
}

/** Which rows are predicted, and what the file of predictions has beside them. */
export interface PredictCall extends ModelCall {
  /** The rows: a file or URL, rows of the program, a result or table of another block, or one of the record's URLs such as "x_test_url". */
  readonly test_data?: string | AnyTable;
  /** Write the number of each row in its table, from 0, as a column `row_id` before the answers (default: no). */
  readonly row_id?: boolean;
  /** Columns of the predicted rows to write before the answers: names, "all", or "features", as the model takes them (default: none). */
  readonly columns?: string | readonly string[];
}

/** How a network is judged. */
export interface EvaluateCall extends ModelCall {
  /** The rows, as in predict() (default: test rows where there are any). */
  readonly test_data?: string | AnyTable;
}

/** How a model is judged. */
export interface MetricsCall extends ModelCall {
  /** One metric alone, such as "accuracy" or "r2" (default: all). */
  readonly metric?: string;
  /** Rows to judge by, target included: a file or URL whose cells are read as the chain's were (default: the test rows). */
  readonly test_data?: string;
  /** Shuffles of each column, to see how much the score falls without it; all features made of one column are shuffled together (default: none). */
  readonly importance?: number;
  /** Seed of the shuffles (default 0). */
  readonly random_state?: number;
}

/** How a neural network is trained; further arguments are those of its training block. */
export interface TrainCall extends ModelCall {
  /** Passes over the training rows. */
  readonly epochs?: number;
  /** What the network was built with, changed for this training. */
  readonly hyp_params?: Readonly<Record<string, unknown>>;
  readonly [argument: string]: unknown;
}

/** What comes with a model: prediction, metrics, and for neural networks training and evaluation. */
export type ModelSuffix = "_P" | "_M" | "_T" | "_E";

const callOf: Readonly<Record<ModelSuffix, string>> = {
  _T: "train()",
  _P: "predict()",
  _E: "evaluate()",
  _M: "metrics()",
};

/** The function code of what comes with a model; null where it does without. */
export function codeBeside(model: string, suffix: ModelSuffix): string | null {
  const code = `${model.replace(/_[IT]$/, "")}${suffix}`;
  return allBlocks.find((block) => block.code === code || block.codes?.includes(code))?.code ?? null;
}

/** The function code of what comes with a model; one it does without is answered with what it has. */
export function codeWith(model: string, suffix: ModelSuffix): string {
  const found = codeBeside(model, suffix);
  if (found !== null) return found;
  const there = (Object.keys(callOf) as ModelSuffix[]).filter((each) => codeBeside(model, each) !== null);
  throw new ArgsError(
    `${byCode(model).name} (${model}) has no ${callOf[suffix]}; it has ${there.map((each) => callOf[each]).join(", ")}.`,
    { got: callOf[suffix], expected: there.map((each) => callOf[each]) },
  );
}

/** A model of the project. */
export interface ModelEntry {
  /** The name by which predict() and metrics() find it. */
  readonly name: string;
  /** The function code of the block that trained it. */
  readonly code: string;
  /** The block that trained it. */
  readonly block: number;
}

/** All models of a project, the newest last. A name that was used again stands for its newest model. */
export async function listModels(link: Link, project: number): Promise<ModelEntry[]> {
  return modelsAmong(await link.states(project));
}

/** The same of the project's states. */
export function modelsAmong(states: readonly StateRecord[]): ModelEntry[] {
  const all = states.flatMap((state) =>
    modelsIn(state).map(({ name, code }) => ({ name, code, block: state.block_id })),
  );
  return [...new Map(all.map((model) => [model.name, model])).values()];
}

/** Where something with a model is asked for. */
export interface ModelPlace {
  readonly project: number;
  readonly block: number;
  /** The block's record, where it is at hand. */
  readonly record: StateRecord | null;
}

/** The named model of the project, else the last in the chain, and the record of the block that it is asked for at. */
async function findModel(
  link: Link,
  { project, block, record }: ModelPlace,
  name: string | undefined,
): Promise<{ code: string; name: string; record: StateRecord | undefined }> {
  const states =
    name !== undefined
      ? await link.states(project)
      : // Most predictions follow their model.
        record && modelsIn(record).length > 0
        ? [record]
        : await chainTo(link, { project, block_id: block });
  for (const state of states.toReversed()) {
    const found = modelsIn(state).find((model) => name === undefined || model.name === name);
    if (found) return { ...found, record: states.find(({ block_id }) => block_id === block) };
  }
  throw new ArgsError(
    name === undefined
      ? "there is no model in this chain yet; train one first, as in forestClassifier()."
      : `model ${quoted(name)} is not in the project.`,
    { path: "model_name", ...(name === undefined ? {} : { got: name }) },
  );
}

/** The error for what needs a block before it. */
export function noBlockYet(): ArgsError {
  return new ArgsError('there is no block yet; start with an input, as in session.input("sample:iris").');
}

/** The request for what comes with a model; predictions are of the test rows where there are any. */
export async function modelRequest(
  link: Link,
  place: ModelPlace,
  suffix: ModelSuffix,
  args: ModelCall,
): Promise<{ code: string; args: Record<string, unknown> }> {
  // The name given to a training is the one to save under, else the block finds one; what is trained is the chain's last.
  const named = suffix === "_T" ? undefined : args.model_name;
  const model = await findModel(link, place, named);
  const rows = suffix === "_P" && !("test_data" in args) && model.record?.x_test_url ? { test_data: "x_test_url" } : {};
  const code = codeWith(model.code, suffix);
  const name = suffix === "_T" ? {} : { model_name: args.model_name ?? model.name };
  return { code, args: { ...rows, ...args, ...name } };
}

/** The models that a block built or trained, with the URLs of their files; a network has none before it is trained. */
export function modelsIn(state: StateRecord): { code: string; name: string; url: string | undefined }[] {
  const buildsModel = byCode(state.function_code).derived !== undefined || state.function_code.endsWith("_T");
  if (state.output === undefined || !buildsModel) return [];
  const output = JSON.parse(state.output) as Record<string, { function_code?: string; model_url?: string }>;
  return Object.entries(output).flatMap(([name, model]) =>
    model?.function_code ? [{ code: model.function_code, name, url: model.model_url }] : [],
  );
}
