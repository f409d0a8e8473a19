import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { ArgsError, NotFoundError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import type { FileOptions, Part, TableBatch } from "../service/service.ts";
import { isArtifactId } from "../store/files.ts";
import { batchesMediaType, fileFormats, formatIn, mediaTypes, negotiate, tableMediaType } from "./formats.ts";
import { type Call, pathParameter, queryOf, type Route, schemaRef, wholeNumber } from "./route.ts";
import { goneSignal } from "./runs.ts";
import { sendFile } from "./send-file.ts";

const binary = { type: "string", format: "binary" };

/** The data behind a state record's URLs. */
export const artifactRoutes: readonly Route[] = [
  {
    method: "GET",
    paths: ["/api/v1/artifacts/:id"],
    summary: "Reads an artifact: a table in the wanted format (CSV by default), or a model as JSON or ONNX.",
    parameters: { id: "The artifact's id; a state record's URLs end in it." },
    query: {
      format: {
        description:
          "Wins over the Accept header. Models: json, onnx (features in), or onnx-chain (raw rows in, prepared as by the chain).",
        schema: { type: "string", enum: fileFormats },
      },
      columns: {
        description: "Column names, separated by commas or as a JSON array; may be repeated.",
        schema: { type: "string" },
      },
      offset: { description: "Rows to leave out at the beginning.", schema: { type: "integer", minimum: 0 } },
      limit: { description: "Rows at most.", schema: { type: "integer", minimum: 0 } },
      sort: { description: "The column to sort by, missing cells last.", schema: { type: "string" } },
      descending: { description: "Sorts from the largest on.", schema: { type: "string", enum: ["true", "false"] } },
      formulas: {
        description: "In CSV: begins texts that a spreadsheet would run as a formula with an apostrophe.",
        schema: { type: "string", enum: ["escape"] },
      },
      search: { description: "Only rows that hold this text; case does not count.", schema: { type: "string" } },
    },
    answers: {
      [mediaTypes.csv[0]]: { type: "string" },
      [mediaTypes.json[0]]: {},
      [mediaTypes.parquet[0]]: binary,
      [mediaTypes.arrow[0]]: binary,
      [mediaTypes.npy[0]]: binary,
      [tableMediaType]: schemaRef("Table"),
      [batchesMediaType]: { type: "string" },
    },
    errors: [400, 404, 406, 416, 422],
    handle: answer,
  },
];

async function answer({ service, caller, request, reply }: Call): Promise<unknown> {
  const id = pathParameter(request, "id");
  if (!isArtifactId(id)) throw new NotFoundError(`There is no artifact ${quoted(id)}.`, { got: id });
  const query = queryOf(request, ["format", "columns", "offset", "limit", "sort", "descending", "search", "formulas"]);
  const part = partOf(query);
  const format = formatIn(query.format);
  const wanted = format ?? negotiate(request.headers.accept);
  if (wanted === "table") {
    const table = await service.table(caller, id, part, { signal: goneSignal(reply.raw) });
    reply.header("vary", "accept").type(tableMediaType);
    return JSON.stringify(table);
  }
  if (wanted === "batches") return await sendBatches(service.batches(caller, id, part), reply);
  if ((await service.artifactKind(caller, id)) === "json") {
    const form = format ?? "json";
    const forms = ["json", "onnx", "onnx-chain"];
    const isForm = forms.includes(form);
    if (!isForm || part) {
      throw new ArgsError(`The artifact ${quoted(id)} is a model: it is answered as JSON or ONNX, and whole.`, {
        code: "not_a_table",
        path: isForm ? "columns" : "format",
        expected: forms,
      });
    }
    return sendFile(request, reply, await service.file(caller, id, form), {
      name: `${id}.${form === "json" ? "json" : "onnx"}`,
      ranges: true,
    });
  }
  const file = await service.file(caller, id, wanted, part);
  return sendFile(request, reply, file, { name: `${id}.${wanted}`, ranges: part === undefined });
}

/** The first batch is asked for before the answer begins, so that a failure is told; a client that leaves ends the reading. */
async function sendBatches(batches: AsyncGenerator<TableBatch>, reply: FastifyReply): Promise<unknown> {
  const first = await batches.next();
  async function* lines(): AsyncGenerator<string> {
    try {
      for (let next = first, isFirst = true; !next.done; next = await batches.next(), isFirst = false) {
        if (isFirst) yield `${JSON.stringify(next.value.columns)}\n`;
        yield `${JSON.stringify(next.value.cells)}\n`;
      }
    } finally {
      await batches.return(undefined);
    }
  }
  reply.header("vary", "accept").type(batchesMediaType);
  return reply.send(Readable.from(lines()));
}

function partOf(query: Readonly<Record<string, string[]>>): (Part & FileOptions) | undefined {
  const columns = query.columns?.some((text) => text.trim() !== "") ? query.columns.flatMap(columnNames) : undefined;
  const offset = wholeNumber("offset", query.offset);
  const limit = wholeNumber("limit", query.limit);
  const sort = query.sort?.at(-1);
  const descending = trueOrFalse("descending", query.descending);
  const search = query.search?.at(-1);
  const formulas = formulasIn(query.formulas);
  const part = { columns, offset, limit, sort, descending, search, formulas };
  return Object.values(part).every((each) => each === undefined) ? undefined : part;
}

function formulasIn(values: readonly string[] | undefined): "escape" | undefined {
  const text = values?.at(-1);
  if (text === undefined || text === "escape") return text;
  throw new ArgsError(`The query's formulas must be escape, got ${quoted(text)}.`, { path: "formulas", got: text });
}

function trueOrFalse(name: string, values: readonly string[] | undefined): boolean | undefined {
  const text = values?.at(-1);
  if (text === undefined || text === "true" || text === "false")
    return text === undefined ? undefined : text === "true";
  throw new ArgsError(`The query's ${name} must be true or false, got ${quoted(text)}.`, { path: name, got: text });
}

/** Names separated by commas; as a JSON array where a name itself holds one. */
function columnNames(text: string): string[] {
  if (!text.startsWith("[")) return text.split(",").map((name) => name.trim());
  let names: unknown = null;
  try {
    names = JSON.parse(text);
  } catch {
    // The message below says what was expected.
  }
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  throw new ArgsError(`The query's columns must be names separated by commas, or a JSON array of names.`, {
    path: "columns",
    got: text,
  });
}
