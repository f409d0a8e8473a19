import { ArgsError } from "../core/errors.ts";
import { sendRecord } from "./large-record.ts";
import { pageOf, pageQuery, sendList } from "./lists.ts";
import {
  type Call,
  envelope,
  envelopeSchema,
  flag,
  queryOf,
  type Route,
  schemaRef,
  stateId,
  wholeNumber,
} from "./route.ts";
import { goneSignal } from "./runs.ts";

const path = "/api/v1/engine/statemanagement";
const parameters = { id: "The id of a state record." };

/** State records: list, read, delete, and what lies behind one. */
export const stateRoutes: readonly Route[] = [
  {
    method: "GET",
    paths: [path],
    summary: "Lists state records, by their ids; an output beyond 64 KiB is in the record itself alone.",
    query: {
      project: { description: "Only those of the project with this id.", schema: { type: "integer", minimum: 0 } },
      block: {
        description: "With project: only that of the block with this id, or `last` for the one that was stored last.",
        schema: { type: "string", pattern: "^([0-9]+|last)$" },
      },
      chain: { description: "With block: and those that lead to it.", schema: { type: "boolean", default: false } },
      stale: { description: "With project: only stale ones.", schema: { type: "boolean", default: false } },
      ...pageQuery,
    },
    answers: { "application/json": envelopeSchema({ type: "array", items: schemaRef("StateRecord") }) },
    errors: [400, 404],
    async handle({ service, caller, request, reply }) {
      const own = ["project", "block", "chain", "stale"];
      const page = pageOf(request, own);
      const { project, block, chain, stale } = queryOf(request, [...own, ...Object.keys(pageQuery)]);
      const id = wholeNumber("project", project);
      const which = {
        block: block?.at(-1) === "last" ? "last" : wholeNumber("block", block),
        chain: flag("chain", chain),
        stale: flag("stale", stale),
      } as const;
      if (which.block !== undefined && id === undefined) {
        throw new ArgsError("The query's block needs project: a block's id is its own in a project alone.", {
          path: "project",
        });
      }
      if (which.stale && id === undefined) {
        throw new ArgsError("The query's stale needs project.", { path: "project" });
      }
      return await sendList(reply, page, (part) => service.states(caller, id, { ...part, ...which }));
    },
  },
  {
    method: "DELETE",
    paths: [`${path}/:id`],
    summary: "Deletes a state record with its artifacts.",
    parameters,
    answers: { "application/json": envelopeSchema({ type: "string" }) },
    errors: [404, 409],
    async handle({ service, caller, request }) {
      const id = stateId(request);
      await service.deleteState(caller, id);
      return envelope(`State record ${id} is deleted.`);
    },
  },
  reading(
    "",
    "Reads a state record.",
    schemaRef("StateRecord"),
    ({ service, caller }, id) => service.state(caller, id),
    (record, { reply }) => sendRecord(reply, record),
  ),
  reading(
    "/view",
    "What the block of a state record shows: tables, texts and charts as plain data.",
    { type: "object", required: ["kind"], properties: { kind: { type: "string" } } },
    ({ service, caller, reply }, id) => service.view(caller, id, { signal: goneSignal(reply.raw) }),
  ),
  reading(
    "/explain",
    "What the block of a state record did with its data, and why one would, in plain words.",
    {
      type: "object",
      required: ["block", "title", "did", "why", "notices", "reading"],
      properties: {
        block: { type: "integer" },
        title: { type: "string" },
        did: { type: "array", items: { type: "string" } },
        why: { type: "string" },
        notices: { type: "array", items: { type: "string" } },
        found: { description: "What it found out where its arguments left that open, such as a file's delimiter." },
        reading: { type: "string", description: "How the table engine would read the numbers of its table now." },
      },
    },
    ({ service, caller }, id) => service.explain(caller, id),
  ),
  reading(
    "/sql",
    "The data behind a state record as SQL.",
    { type: "object", required: ["sql"], properties: { sql: { type: "string" } } },
    async ({ service, caller }, id) => ({ sql: await service.sql(caller, id) }),
  ),
  reading(
    "/request",
    "The request that made a state record, with the seeds that were drawn.",
    schemaRef("BlockRequest"),
    ({ service, caller }, id) => service.request(caller, id),
  ),
];

function reading<T>(
  suffix: string,
  summary: string,
  message: Parameters<typeof envelopeSchema>[0],
  read: (call: Call, id: number) => Promise<T>,
  answer: (found: T, call: Call) => unknown = envelope,
): Route {
  return {
    method: "GET",
    paths: [`${path}/:id${suffix}`],
    summary,
    parameters,
    answers: { "application/json": envelopeSchema(message) },
    errors: [404],
    handle: async (call) => answer(await read(call, stateId(call.request)), call),
  };
}
