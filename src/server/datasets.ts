import { NotFoundError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { pageOf, pageQuery, sendList } from "./lists.ts";
import { envelope, envelopeSchema, objectBody, pathParameter, type Route, schemaRef } from "./route.ts";

const paths = ["/api/v1/engine/dataset", "/api/v1/engine/datasets"] as const;
const onePaths = ["/api/v1/engine/dataset/:id", "/api/v1/engine/datasets/:id"] as const;
const parameters = { id: "The id of a data set." };
const text = (description: string) => ({ type: ["string", "null"], description });

/** Named data sets: what is where, under a name. */
export const datasetRoutes: readonly Route[] = [
  {
    method: "POST",
    paths,
    summary: "Names a data set.",
    body: {
      type: "object",
      required: ["dataset_name", "dataset_url"],
      properties: {
        dataset_name: { type: "string", description: "Unique among the key's data sets; also as name." },
        dataset_description: text("Also as description."),
        dataset_type: text('What it is, such as "csv".'),
        dataset_url: { type: "string", description: "A URL that serves as a dburl, such as an uploaded file's." },
      },
    },
    answers: { "application/json": envelopeSchema(schemaRef("Dataset")) },
    errors: [400, 403],
    handle: async ({ service, caller, request }) =>
      envelope(await service.library.createDataset(caller, objectBody(request))),
  },
  {
    method: "GET",
    paths,
    summary: "Lists the key's data sets.",
    answers: { "application/json": envelopeSchema({ type: "array", items: schemaRef("Dataset") }) },
    query: pageQuery,
    errors: [400],
    handle: async ({ service, caller, request, reply }) =>
      await sendList(reply, pageOf(request), (part) => service.library.datasets(caller, part)),
  },
  {
    method: "GET",
    paths: onePaths,
    summary: "Reads a data set's entry.",
    parameters,
    answers: { "application/json": envelopeSchema(schemaRef("Dataset")) },
    errors: [404],
    handle: async ({ service, caller, request }) =>
      envelope(await service.library.dataset(caller, idOf(pathParameter(request, "id")))),
  },
  {
    method: "DELETE",
    paths: onePaths,
    summary: "Deletes a data set's entry, not the file behind its URL.",
    parameters,
    answers: { "application/json": envelopeSchema({ type: "string" }) },
    errors: [404],
    async handle({ service, caller, request }) {
      const id = idOf(pathParameter(request, "id"));
      await service.library.deleteDataset(caller, id);
      return envelope(`Data set ${id} is deleted.`);
    },
  },
];

function idOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new NotFoundError(`There is no data set ${quoted(text.slice(0, 40))}; its id is a whole number.`);
}
