import { BlocklabError, CancelledError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { multipartFile } from "./multipart.ts";
import { type Call, envelope, envelopeSchema, pathParameter, queryOf, type Route, wholeNumber } from "./route.ts";
import { goneSignal } from "./runs.ts";
import { sendFile } from "./send-file.ts";

const path = "/api/v1/engine/upload";
const parameters = { id: "The id at the end of an uploaded file's URL." };

/** Files that clients send, to be read by input (DP_1). */
export const uploadRoutes: readonly Route[] = [
  {
    method: "POST",
    paths: [path],
    summary: "Keeps a file; the URL in the answer serves as a dburl.",
    multipart: true,
    query: {
      project: {
        description: "The project whose blocks alone read the file; it goes when none of them does any more.",
        schema: { type: "integer", minimum: 1 },
      },
    },
    body: {
      type: "object",
      required: ["file"],
      properties: { file: { type: "string", format: "binary", description: "The file, with its name." } },
    },
    answers: {
      "application/json": envelopeSchema({
        type: "object",
        required: ["url", "name", "bytes"],
        properties: {
          url: { type: "string", format: "uri" },
          name: { type: "string" },
          bytes: { type: "integer" },
        },
      }),
    },
    errors: [400, 404],
    handle: async (call) => envelope(await keep(call)),
  },
  {
    method: "GET",
    paths: [`${path}/:id`],
    summary: "Reads an uploaded file back.",
    parameters,
    answers: { "application/octet-stream": { type: "string", format: "binary" } },
    errors: [404, 416],
    async handle({ service, caller, request, reply }) {
      const file = await service.library.uploaded(caller, pathParameter(request, "id"));
      return sendFile(request, reply, file, { name: file.name, ranges: true });
    },
  },
  {
    method: "DELETE",
    paths: [`${path}/:id`],
    summary: "Deletes an uploaded file; blocks that read it keep what they read.",
    parameters,
    answers: { "application/json": envelopeSchema({ type: "string" }) },
    errors: [404],
    async handle({ service, caller, request }) {
      await service.library.deleteUpload(caller, pathParameter(request, "id"));
      return envelope("The uploaded file is deleted.");
    },
  },
];

async function keep({ service, caller, request, reply, runs, uploadLimit }: Call) {
  const type = request.headers["content-type"] ?? "none";
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new BlocklabError(415, `An upload must be multipart/form-data with a boundary, got ${quoted(type)}.`, {
      code: "media_type",
      got: type,
      expected: "multipart/form-data",
    });
  }
  const project = wholeNumber("project", queryOf(request, ["project"]).project);
  try {
    return await runs.track(caller.owner, goneSignal(reply.raw), async (signal) => {
      const file = await multipartFile(request.raw, type);
      const kept = await service.library.upload(caller, { ...file, project }, { mostBytes: uploadLimit, signal });
      return { url: caller.uploads?.url(kept.id), name: kept.name, bytes: kept.bytes };
    });
  } catch (error) {
    // What the client still sends is not waited for.
    reply.header("connection", "close");
    if (request.raw.aborted) throw new CancelledError("The upload was broken off; nothing of it was stored.");
    throw error;
  }
}
