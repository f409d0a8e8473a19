import { z } from "zod";
import type { Block } from "../core/block.ts";
import { ArgsError, NotFoundError } from "../core/errors.ts";
import type { BlockRequest, ProjectRecord } from "../core/record.ts";
import { withoutSecrets } from "../core/secrets.ts";
import { byCode, validateArgs } from "../registry/index.ts";
import { type State, unknownProject } from "../store/state.ts";
import type { Store } from "../store/store.ts";
import type { Caller } from "./service.ts";

/** The largest id that a block may have. */
export const mostBlockId = 2 ** 31;

const id = z.preprocess(
  (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
  z.int().min(1).max(mostBlockId),
);
const absent = z.preprocess((value) => value ?? null, z.null());
const parentId = z.preprocess(
  (value) =>
    value === undefined || value === ""
      ? null
      : typeof value === "string" && /^\d+$/.test(value)
        ? Number(value)
        : value,
  z.int().min(0).max(mostBlockId).nullable(),
);

const envelope = {
  project_id: { schema: id, rule: "the id of a project, a whole number from 1" },
  block_id: { schema: id.or(absent), rule: "a whole number from 1" },
  parent_id: { schema: parentId, rule: "the block_id of the previous block, or 0 for an input" },
  function_code: { schema: z.string().min(1).max(100), rule: 'a function code such as "DP_1"' },
} as const;

/** A request that was checked against the registry and the store. */
export interface Checked {
  readonly project: ProjectRecord;
  readonly block: Block;
  /** Null for a new block, whose id is chosen when its turn comes. */
  readonly blockId: number | null;
  /** 0 for a source. */
  readonly parentId: number;
  readonly parent: State | null;
  readonly args: Record<string, unknown>;
}

/** Checks a request as far as that goes without data. */
export function checkRequest(store: Store, caller: Caller, request: unknown): Checked {
  const fields = readEnvelope(request);
  const project = store.project(caller.owner, fields.project_id);
  if (!project) throw unknownProject(fields.project_id);
  const block = byCode(fields.function_code);
  const who = `${block.name} (${block.code})`;
  const parentId = block.source === true ? 0 : (fields.parent_id ?? 0);
  if (parentId === 0 && !block.source) {
    throw new ArgsError(
      `${who} works on what another block made, so it needs parent_id; start a chain with input (DP_1).`,
      { block: block.code, path: "parent_id" },
    );
  }
  const place = { project, block, blockId: fields.block_id, parentId };
  const parent = parentOf(store, place);
  return { ...place, parent, args: validateArgs(block, withBeside(block, request, fields.args)) };
}

/** The parent of a block as it is now; it may be replaced while the block waits for its turn. */
export function parentOf(store: Store, place: Omit<Checked, "parent" | "args">): State | null {
  const { project, block, blockId, parentId } = place;
  if (parentId === 0) return null;
  const who = `${block.name} (${block.code})`;
  const parent = store.block(project.id, parentId);
  if (!parent) {
    throw new NotFoundError(`${who}: parent block ${parentId} is not in project ${project.project_name}.`, {
      code: "unknown_parent",
      block: block.code,
      path: "parent_id",
      got: parentId,
    });
  }
  // Following parents from the new parent must never come back to the block itself.
  if (blockId !== null && store.isAtOrBefore(project.id, blockId, parentId)) {
    throw new ArgsError(`${who}: block ${blockId} can't come after itself; block ${parentId} already builds on it.`, {
      path: "parent_id",
      got: parentId,
    });
  }
  return parent;
}

/** The arguments with those that the block takes beside them too; given in both places they must not differ. */
function withBeside(block: Block, request: unknown, args: unknown): unknown {
  if (!block.beside || (args && (typeof args !== "object" || Array.isArray(args)))) return args;
  const given = request as Record<string, unknown>;
  const inside = (args ?? {}) as Record<string, unknown>;
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";
  const found = block.beside.filter((name) => isGiven(given[name]));
  const twice = found.find((name) => isGiven(inside[name]) && sameText(inside[name]) !== sameText(given[name]));
  if (twice !== undefined) {
    throw new ArgsError(
      `${block.name} (${block.code}): ${twice} is given twice, in args and beside them, and they differ; give it once.`,
      { block: block.code, path: twice },
    );
  }
  return { ...inside, ...Object.fromEntries(found.map((name) => [name, given[name]])) };
}

/** A number and the same number in a string are one. */
function sameText(value: unknown): string {
  return typeof value === "object" ? stableJson(value) : String(value);
}

function readEnvelope(
  request: unknown,
): { [K in keyof typeof envelope]: z.output<(typeof envelope)[K]["schema"]> } & { args: unknown } {
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    throw new ArgsError(
      "a block request must be a JSON object with project_id, block_id, parent_id, function_code and args.",
      { expected: Object.keys(envelope) },
    );
  }
  const given = request as Record<string, unknown>;
  const read = Object.entries(envelope).map(([name, { schema, rule }]) => {
    const checked = schema.safeParse(given[name]);
    if (checked.success) return [name, checked.data] as const;
    const got = given[name] === undefined ? "nothing" : JSON.stringify(given[name])?.slice(0, 80);
    throw new ArgsError(`${name} must be ${rule}, got ${got}.`, {
      path: name,
      got: given[name] === undefined ? null : got,
      expected: rule,
    });
  });
  return { ...(Object.fromEntries(read) as ReturnType<typeof readEnvelope>), args: given.args };
}

/** Everything that decides a block's result, as one text: a repetition has the same. */
export function askedFor(checked: Checked, sourceFingerprint: string | null): string {
  const args = withoutSecrets(checked.args, checked.block.secrets);
  return stableJson({ code: checked.block.code, args, source: sourceFingerprint });
}

function stableJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** The value with the fields of its objects in order; lists without any stay as they are, however long. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.some((item) => typeof item === "object") ? value.map(sorted) : value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

/** A stored state as the request that would make it again. */
export function toRequest(state: State): BlockRequest {
  return {
    project_id: state.project,
    block_id: state.blockId,
    parent_id: state.parentId,
    function_code: state.code,
    args: state.args as Record<string, unknown>,
  };
}
