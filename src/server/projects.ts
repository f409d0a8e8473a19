import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { ProjectRecord } from "../core/record.ts";
import { pageOf, pageQuery, sendList } from "./lists.ts";
import {
  type Envelope,
  envelope,
  envelopeSchema,
  objectBody,
  pathParameter,
  queryOf,
  type Route,
  schemaRef,
} from "./route.ts";

const paths = ["/api/v1/project", "/api/v1/engine/project"] as const;
const onePaths = ["/api/v1/project/:app_id", "/api/v1/engine/project/:app_id"] as const;
const parameters = { app_id: "The project's app_id, a UUID." };
const answer = { allOf: [schemaRef("Project"), envelopeSchema(schemaRef("Project"))] };

/** Projects: create, list, read, delete. */
export const projectRoutes: readonly Route[] = [
  {
    method: "POST",
    paths,
    summary: "Creates a project.",
    body: {
      type: "object",
      required: ["project_name"],
      properties: {
        project_name: { type: "string", description: "Unique among the key's projects." },
        project_description: { type: ["string", "null"] },
      },
    },
    answers: { "application/json": answer },
    errors: [400, 403],
    async handle({ service, caller, request }) {
      const body = objectBody(request);
      const name = textField(body, "project_name");
      if (name === undefined) {
        throw new ArgsError("A project needs a project_name (text).", { path: "project_name", expected: "text" });
      }
      return bothWays(await service.createProject(caller, name, textField(body, "project_description")));
    },
  },
  {
    method: "GET",
    paths,
    summary: "Lists the key's projects.",
    answers: { "application/json": envelopeSchema({ type: "array", items: schemaRef("Project") }) },
    query: { name: { description: "Only the one of this name.", schema: { type: "string" } }, ...pageQuery },
    errors: [400],
    async handle({ service, caller, request, reply }) {
      const page = pageOf(request, ["name"]);
      const name = queryOf(request, ["name", ...Object.keys(pageQuery)]).name?.at(-1);
      return await sendList(reply, page, (part) => service.projects(caller, part, name));
    },
  },
  {
    method: "GET",
    paths: onePaths,
    summary: "Reads a project.",
    parameters,
    answers: { "application/json": answer },
    errors: [404],
    handle: async ({ service, caller, request }) =>
      bothWays(await service.project(caller, pathParameter(request, "app_id"))),
  },
  {
    method: "DELETE",
    paths: onePaths,
    summary: "Deletes a project with its state records, models and artifacts.",
    parameters,
    answers: { "application/json": envelopeSchema({ type: "string" }) },
    errors: [404, 409],
    async handle({ service, caller, request }) {
      const appId = pathParameter(request, "app_id");
      await service.deleteProject(caller, appId);
      return envelope(`Project ${appId} is deleted.`);
    },
  },
];

/** The interface answers a project bare where all else comes in an envelope; clients of either kind find it. */
function bothWays(project: ProjectRecord): ProjectRecord & Envelope<ProjectRecord> {
  return { ...project, ...envelope(project) };
}

function textField(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  const got = JSON.stringify(value);
  throw new ArgsError(`${name} must be text, got ${quoted(got)}.`, { path: name, got: value, expected: "text" });
}
