import { NotFoundError } from "../core/errors.ts";
import type { Frame } from "../core/frame.ts";
import { didYouMean, listed, quoted } from "../core/names.ts";
import type { Json, ProjectRecord } from "../core/record.ts";
import type { Step } from "../plan/node.ts";
import { renamed, stepOfOld } from "../plan/old-plans.ts";
import { stepText } from "../plan/step-text.ts";

/** A block's stored state. */
export interface State {
  readonly id: number;
  readonly project: number;
  readonly blockId: number;
  readonly parentId: number;
  /** The state id of the parent it ran on; null for a source. */
  readonly parentState: number | null;
  readonly code: string;
  /** The arguments as they were asked, for telling a repetition. */
  readonly asked: string;
  /** The arguments as they ran, drawn seeds included. */
  readonly args: Json;
  readonly frame: Frame;
  /** JSON as it was written; parsed by who looks into it, since it may be large. */
  readonly output: string | null;
  /** The artifact that holds the output, where it is too large for the database. */
  readonly outputFile: string | null;
  readonly report: unknown;
  readonly notices: readonly string[];
  readonly functionAction: number | null;
  /** Artifact ids by what the record calls them (`dataset`, `x_train` …). */
  readonly urls: Readonly<Record<string, string>>;
  readonly stale: boolean;
}

/** A state that others build on, without its frame. */
export interface Ancestor extends Pick<State, "id" | "parentState" | "code"> {
  /** The artifact that tells its training rows from its test rows; null before a split. */
  readonly split: string | null;
}

/** A state as lists tell it. */
export type ListedState = Pick<
  State,
  "id" | "project" | "blockId" | "parentId" | "code" | "notices" | "functionAction" | "urls" | "stale" | "output"
> & {
  /** Bytes of an output that is too large for a list. */
  readonly outputBytes?: number;
};

/** Which part of a list is wanted. */
export interface Page {
  /** Entries at most (default: all). */
  readonly limit?: number;
  /** Entries to leave out at the beginning. */
  readonly offset?: number;
  /** Leaves out all entries up to the one with this id. */
  readonly after?: number;
}

/** Which states of a project are wanted (default: all). */
export interface Which {
  /** That of one block alone, or of the block that was stored last. */
  readonly block?: number | "last";
  /** With those that lead to the block (default false). */
  readonly chain?: boolean;
  /** Only stale ones (default false). */
  readonly stale?: boolean;
}

/** What a finished block hands over to be stored. */
export interface NewState extends Omit<State, "id" | "stale" | "urls"> {
  /** Variables of the frame that get an artifact each. */
  readonly variables: readonly string[];
  /** Artifacts that the block wrote and that belong to it now. */
  readonly written: readonly string[];
  /** Blocks besides the parent that it was made of, and the states in which they were. */
  readonly uses: ReadonlyMap<number, number>;
  readonly model: { readonly name: string; readonly artifact: string } | undefined;
  /** By which a repetition of the request for a new block is known. */
  readonly key?: string;
}

/** An artifact as the store knows it. `projection`: a variable of a state, materialised when first read. */
export interface Artifact {
  readonly id: string;
  readonly project: number;
  readonly state: number | null;
  readonly kind: "projection" | "table" | "json";
  readonly variable: string | null;
}

/** A row as SQLite answers it. */
export type Row = Record<string, string | number | null>;

/** The error for a project that is not there, or another key's. */
export function unknownProject(id: number): NotFoundError {
  return new NotFoundError(`there is no project ${id}, or it belongs to another key.`, {
    code: "unknown_project",
    path: "project_id",
    got: id,
  });
}

/** The error for a model that is not in the project. */
export function unknownModel(name: string, known: readonly string[]): NotFoundError {
  // What preparing blocks saved lies beside the models, under their function code.
  const models = known.filter((each) => !/^[A-Z]+_\w+\//.test(each));
  const among =
    models.length === 0
      ? "The project has no model yet."
      : `${didYouMean(name, models)} Models: ${listed(models)}.`.trim();
  return new NotFoundError(`model ${quoted(name)} is not in the project. ${among}`, {
    code: "unknown_model",
    got: name,
    expected: known,
  });
}

/** A row as a project. */
export function toProject(row: Row): ProjectRecord {
  return {
    id: row.id as number,
    app_id: row.app_id as string,
    project_name: row.name as string,
    project_description: row.description as string,
    project_compiled_models: null,
    created_at: row.created_at as string,
  };
}

/** Which form of plans is written; frames of 0.1 say none. */
const planVersion = 3;

/** A frame as it is stored. A step of its lineage that is a step of its plan, too, is written once, in a long chain half of all. */
export function frameText(frame: Frame): string {
  const { relation, lineage, split, ...others } = frame;
  const { steps, ...table } = relation;
  const places = new Map(steps.map((step, k) => [step, k]));
  const plan = `${opened(table)}"steps":[${steps.map(stepText).join()}]}`;
  const written = lineage.map((step) => places.get(step) ?? stepText(step)).join();
  return `${opened({ plans: planVersion, ...others, folds: split })}"relation":${plan},"lineage":[${written}]}`;
}

/** The fields of an object as JSON, with more to come; there is one at least. */
function opened(fields: object): string {
  return `${JSON.stringify(fields).slice(0, -1)},`;
}

/** A frame as it stands in its JSON. */
interface StoredFrame extends Omit<Frame, "lineage" | "split"> {
  /** The split, by the name that it had when the first homes were made. */
  readonly folds: Frame["split"];
  readonly plans?: number;
  readonly lineage?: readonly (Step | number)[];
}

function storedFrame(text: string): StoredFrame {
  const frame = JSON.parse(text) as StoredFrame;
  return frame.plans === planVersion ? frame : (JSON.parse(text, renamed) as StoredFrame);
}

function frameOf(text: string): Frame {
  const { plans, folds, ...stored } = storedFrame(text);
  const steps = plans === undefined ? stored.relation.steps.map(stepOfOld) : stored.relation.steps;
  const lineage = (stored.lineage ?? []).map((step) => {
    if (typeof step === "number") return steps[step];
    return plans === undefined ? stepOfOld(step) : step;
  });
  return { ...stored, split: folds, relation: { ...stored.relation, steps }, lineage };
}

/** A row of a list as a state; its frame and arguments are not read. */
export function toListed(row: Row): ListedState {
  return {
    id: row.id as number,
    project: row.project as number,
    blockId: row.block_id as number,
    parentId: row.parent_id as number,
    code: row.code as string,
    notices: JSON.parse(row.notices as string),
    functionAction: row.function_action as number | null,
    urls: JSON.parse(row.urls as string),
    stale: row.stale === 1,
    output: row.output as string | null,
    ...(row.output === null && row.bytes !== null ? { outputBytes: row.bytes as number } : {}),
  };
}

/** A row as a state. */
export function toState(row: Row): State {
  const parse = (text: unknown) => (text === null ? undefined : JSON.parse(text as string));
  return {
    id: row.id as number,
    project: row.project as number,
    blockId: row.block_id as number,
    parentId: row.parent_id as number,
    parentState: row.parent_state as number | null,
    code: row.code as string,
    asked: row.asked as string,
    args: parse(row.args),
    frame: frameOf(row.frame as string),
    output: row.output as string | null,
    outputFile: row.output_file as string | null,
    report: parse(row.report),
    notices: parse(row.notices),
    functionAction: row.function_action as number | null,
    urls: parse(row.urls),
    stale: row.stale === 1,
  };
}
