import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import { ArgsError } from "../core/errors.ts";
import { listed } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { stack, text, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import type { CardOptions, ModelCard } from "./card.ts";
import type { Rerun } from "./cells.ts";
import type { Chain } from "./chain.ts";
import { type CodeOptions, programFor } from "./code.ts";
import { Explained } from "./explanation.ts";
import type { Helpers } from "./helpers.ts";
import { Model } from "./model.ts";
import { type EvaluateCall, type MetricsCall, modelsIn, type PredictCall, type TrainCall } from "./models.ts";
import { type ChainNotebook, notebookFor } from "./notebook.ts";
import { Picture } from "./picture.ts";
import { print } from "./print.ts";
import { withCard } from "./record.ts";
import { Table } from "./table.ts";

/** What stands behind a result. */
export interface Behind {
  /** What the cell that ran again did; null where none did. */
  readonly rerun: Rerun | null;
  /** Makes the chain that begins here. */
  readonly begin: (result: Result) => Chain;
  /** Makes the card of a model up to here. */
  readonly card: (options: CardOptions) => Promise<ModelCard>;
  /** What the block shows (default: asked of the link). */
  readonly view?: () => Promise<View>;
}

/** What outputs call the table of an explanation. */
const explained = [
  "shap_url",
  "errors_url",
  "partial_url",
  "calibration_url",
  "thresholds_url",
  "lift_url",
  "curve_url",
  "candidates_url",
];

/** Every block as a method, which runs on this one. */
export interface Result extends Helpers {}

/** What a finished block answers: its record, what it says, and its tables, read when asked for. */
export class Result {
  /** The state record as the service answered it. */
  readonly record: StateRecord;
  readonly #link: Link;
  readonly #rerun: Rerun | null;
  readonly #view: () => Promise<View>;
  readonly #begin: (result: Result) => Chain;
  readonly #card: Behind["card"];

  constructor(link: Link, record: StateRecord, how: Behind) {
    this.#begin = how.begin;
    this.#card = how.card;
    this.#link = link;
    this.record = withCard(record);
    this.#rerun = how.rerun;
    this.#view = how.view ?? (() => link.view(record.id));
  }

  /** The block's id in the project. */
  get block(): number {
    return this.record.block_id;
  }

  /** What an inspection, a model, a prediction or a plot answered, parsed; undefined for other blocks. */
  get output(): unknown {
    return this.record.output === undefined ? undefined : JSON.parse(this.record.output);
  }

  /** What the caller should know although all went well. */
  get notices(): readonly string[] {
    return this.record.notices ?? [];
  }

  /** All columns and rows. */
  get dataset(): Table {
    return this.#table("dataset", this.record.dataset_url, "there is no table");
  }

  /** The features of all rows. */
  get x(): Table {
    return this.#table("x", this.record.x_value_url, "assign X and Y first with xy (DP_FSP)");
  }

  /** The targets of all rows. */
  get y(): Table {
    return this.#table("y", this.record.y_value_url, "assign X and Y first with xy (DP_FSP)");
  }

  /** The features of the training rows. */
  get x_train(): Table {
    return this.#table("x_train", this.record.x_train_url, "split the rows first with split (DP_4)");
  }

  /** The targets of the training rows. */
  get y_train(): Table {
    return this.#table("y_train", this.record.y_train_url, "split the rows first with split (DP_4)");
  }

  /** The features of the test rows. */
  get x_test(): Table {
    return this.#table("x_test", this.record.x_test_url, "split the rows first with split (DP_4)");
  }

  /** The targets of the test rows. */
  get y_test(): Table {
    return this.#table("y_test", this.record.y_test_url, "split the rows first with split (DP_4)");
  }

  /** The predictions of a prediction block. */
  get y_pred(): Table {
    return this.#table("y_pred", this.#answers?.y_pred_url, "predict first, as in predict()");
  }

  /** Of a prediction of classes, the share of each, a column a class. */
  get y_proba(): Table {
    return this.#table("y_proba", this.#answers?.y_proba_url, "predict classes first, as with logistic().predict()");
  }

  get #answers(): { readonly y_pred_url?: string; readonly y_proba_url?: string } | undefined {
    // A cast because a block's output is JSON of any kind.
    return this.output as { y_pred_url?: string; y_proba_url?: string } | undefined;
  }

  /** The table that an explanation answers, such as shap() or errors(), or of a search all candidates: see each block's own words for its rows. */
  get rows(): Table {
    const output = (this.output ?? {}) as Readonly<Record<string, string | undefined>>;
    const url = explained.map((name) => output[name]).find((each) => each !== undefined);
    return this.#table("rows", url, "look into a model first, as in shap() or errors()");
  }

  /** The model that the block trained. */
  get model(): Model {
    const [found] = modelsIn(this.record);
    if (found?.url) return new Model(this.#link, found.name, found.code, found.url);
    throw new ArgsError(`block ${this.record.block_id} trained no model; forestClassifier() and its kind do.`, {
      path: "model",
    });
  }

  /** The picture that the block drew; `await result.picture.save("picture.svg")`. */
  get picture(): Picture {
    const { block_id, function_code } = this.record;
    const whose = `block ${block_id} (${byCode(function_code).name})`;
    return new Picture(this.#view, whose);
  }

  /** A chain from here: what follows runs on this block, wherever the session is. */
  branch(): Chain {
    return this.#begin(this);
  }

  /** Predicts with the last model up to here: the test rows where there is a split, or `test_data`. */
  predict(args?: PredictCall): Chain {
    return this.branch().predict(args);
  }

  /** Judges the last model up to here, on test rows where there is a split. */
  metrics(args?: MetricsCall): Chain {
    return this.branch().metrics(args);
  }

  /** Trains the last neural network up to here and saves it, under `model_name` if given. */
  train(args?: TrainCall): Chain {
    return this.branch().train(args);
  }

  /** Judges the last neural network up to here, on test rows where there is a split. */
  evaluate(args?: EvaluateCall): Chain {
    return this.branch().evaluate(args);
  }

  /** The table as SQL: what was read, and every fitted step over it. */
  sql(): Promise<string> {
    return this.#link.sql(this.record.id);
  }

  /** The chain that leads here as TypeScript, or with `{ as: "python" }` as a script for pandas and scikit-learn. */
  code(options: CodeOptions = {}): Promise<string> {
    return programFor(this.#link, this.record, options);
  }

  /** What the block did with this data and why one would, in plain words. */
  async explain(): Promise<Explained> {
    return new Explained(await this.#link.explain(this.record.id));
  }

  /** The model card of the last model up to here, or of the one named: data, split, scores, importance or clusters, leaks; as Markdown or HTML too. */
  card(options: CardOptions = {}): Promise<ModelCard> {
    return this.#card(options);
  }

  /** The chain that leads here as a notebook, a cell per block below its explanation; written to `file` when given. */
  notebook(file?: string): Promise<ChainNotebook> {
    return notebookFor(this.#link, this.record, file);
  }

  /** Shows it: in a notebook as rich output, in a terminal as text. */
  show(): Promise<void> {
    return print(this);
  }

  async [viewOf](): Promise<View> {
    const view = await this.#view();
    const line = this.#rerun && (await rerunLine(this.#link, this.record, this.#rerun));
    return line ? stack(text(line, "quiet"), view) : view;
  }

  [inspect.custom](): string {
    const { block_id, function_code } = this.record;
    return `Result { block ${block_id}: ${byCode(function_code).name} (${function_code}) } — .show() to see it`;
  }

  #table(name: string, url: string | null | undefined, cure: string): Table {
    if (url) return new Table(this.#link, name, url);
    throw new ArgsError(`block ${this.record.block_id} has no ${name}: ${cure}.`, { path: name });
  }
}

/** What a cell that ran again did, in one line; null when it had not run before. */
async function rerunLine(link: Link, record: StateRecord, { kept, replaced }: Rerun): Promise<string | null> {
  if (kept.length + replaced.length === 0) return null;
  const parts = [kept.length > 0 && `${blocks(kept)} unchanged`, replaced.length > 0 && `${blocks(replaced)} replaced`];
  const stale = (await link.states(record.project, { stale: true })).map((state) => state.block_id);
  const later =
    stale.length > 0 ? ` ${sentence(blocks(stale))} ${stale.length > 1 ? "are" : "is"} stale: run again.` : "";
  return `Run again: ${parts.filter(Boolean).join(", ")}.${later}`;
}

function blocks(ids: readonly number[]): string {
  return `block${ids.length > 1 ? "s" : ""} ${listed(ids.map(String))}`;
}

function sentence(words: string): string {
  return words[0].toUpperCase() + words.slice(1);
}
