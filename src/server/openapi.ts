import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { Json } from "../core/record.ts";
import type { FunctionEntry } from "../service/service.ts";
import { type Route, schemaRef } from "./route.ts";
import { fixedSchemas } from "./schemas.ts";

/** The OpenAPI 3.1 document: paths from the routes, block requests from the function codes. */
export function openApi(routes: readonly Route[], functions: readonly FunctionEntry[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.paths[0].replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "blocklab",
      version: packageVersion(),
      description: "Builds data-processing and machine-learning pipelines out of blocks that belong to a project.",
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-SVC-KEY" } },
      schemas: { ...fixedSchemas, ...requestSchemas(functions) },
    },
  };
}

function operation(route: Route): Json {
  const statuses = [...new Set([...(route.open ? [] : [401]), ...(route.errors ?? []), ...common(route), 500])];
  const failures = statuses.map((status) => [
    String(status),
    { description: STATUS_CODES[status] ?? "Error", content: { "application/json": { schema: schemaRef("Error") } } },
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.open ? { security: [] } : {}),
    parameters: [
      ...Object.entries(route.parameters ?? {}).map(([name, description]) => ({
        name,
        in: "path",
        required: true,
        description,
        schema: { type: "string" },
      })),
      ...Object.entries(route.query ?? {}).map(([name, { description, schema }]) => ({
        name,
        in: "query",
        description,
        schema,
      })),
    ],
    ...(route.body ? { requestBody: { required: true, content: { [bodyType(route)]: { schema: route.body } } } } : {}),
    responses: {
      200: {
        description: "Done.",
        content: Object.fromEntries(Object.entries(route.answers).map(([type, schema]) => [type, { schema }])),
      },
      ...Object.fromEntries(failures),
    },
  };
}

function bodyType(route: Route): string {
  return route.multipart ? "multipart/form-data" : "application/json";
}

function common(route: Route): number[] {
  return route.body ? [413, 415] : [];
}

/** Such as `get_engine_statemanagement_id_view`: stable, and a name in any language. */
function operationId(route: Route): string {
  const words = route.paths[0].replace(/^\/api\/v1\//, "").match(/\w+/g) ?? [];
  return [route.method.toLowerCase(), ...words].join("_");
}

/** One request per function code, told apart by it. */
function requestSchemas(functions: readonly FunctionEntry[]): Record<string, Json> {
  const schemas: Record<string, Json> = {};
  const mapping: Record<string, string> = {};
  for (const entry of functions) {
    const args = `Args_${entry.function_code}`;
    const request = `Request_${entry.function_code}`;
    schemas[args] = rebased(withoutDialect(entry.args), `#/components/schemas/${args}`);
    schemas[request] = {
      allOf: [
        schemaRef("RequestEnvelope"),
        {
          type: "object",
          title: entry.name,
          description: [entry.summary, entry.description].filter(Boolean).join("\n\n"),
          properties: { function_code: { type: "string", const: entry.function_code }, args: schemaRef(args) },
        },
      ],
    };
    mapping[entry.function_code] = `#/components/schemas/${request}`;
  }
  schemas.BlockRequest =
    functions.length === 0
      ? schemaRef("RequestEnvelope")
      : {
          oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
          discriminator: { propertyName: "function_code", mapping },
        };
  return schemas;
}

function withoutDialect(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$schema"));
}

/** A schema's references to its own parts, rewritten for the place it stands at now. */
function rebased(schema: Json | undefined, base: string): Json {
  if (Array.isArray(schema)) return schema.map((part) => rebased(part, base));
  if (typeof schema !== "object" || schema === null) return schema ?? null;
  const parts = Object.entries(schema).map(([key, value]) => {
    const isReference = key === "$ref" && typeof value === "string" && value.startsWith("#");
    return [key, isReference ? `${base}${value.slice(1)}` : rebased(value, base)];
  });
  return Object.fromEntries(parts);
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
