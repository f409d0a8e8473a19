import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import generate, { astToString } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../src/core/record.ts";
import { routes } from "../../src/server/server.ts";
import { Served } from "../support/served.ts";

const service = new Served();
/** Inside the checkout, so that packages are found from there. */
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "openapi-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Operation = {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};
type Document = Readonly<Record<string, Json>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};
let document: Document;

beforeAll(async () => {
  document = (await (await service.fetch("/api/v1/openapi.json")).json()) as Document;
});

/** The document as one JSON Schema, of which parts can be asked for. */
function schemas(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document as object, "openapi");
  return ajv;
}

describe("the OpenAPI document", () => {
  test("is valid by OpenAPI's own schema", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe("3.1");
  });

  test("holds JSON Schemas that are valid by their own", () => {
    const ajv = schemas();
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(150);
    for (const name of names) {
      expect([name, ajv.validateSchema(document.components.schemas[name] as object), ajv.errors]).toEqual([
        name,
        true,
        null,
      ]);
      expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` }), name).not.toThrow();
    }
  });

  test("tells what is answered, in every route and in errors too", { timeout: 60_000 }, async () => {
    const ajv = schemas();
    const project = await service.ask("POST", "/api/v1/project", { project_name: "described" });
    const id = project.message.id as number;
    const upload = await service.upload("a,b\n1,2\n3,4\n5,7\n", "a.csv");
    const chain: readonly [string, object][] = [
      ["DP_1", { dburl: upload, x_boundaries: ["a"], y_boundaries: "b" }],
      ["ML_R_1", { model_name: "line" }],
      ["ML_R_1_P", { model_name: "line" }],
    ];
    let state = 0;
    for (const [k, [code, args]] of chain.entries()) {
      const made = await service.block(id, k + 1, k, code, args as never);
      expect(made.http, JSON.stringify(made)).toBe(200);
      state = made.message.id as number;
    }
    const record = await service.ask("GET", `/api/v1/engine/statemanagement/${state}`);
    const dataset = await service.ask("POST", "/api/v1/engine/dataset", { dataset_name: "d", dataset_url: upload });
    const ids: Readonly<Record<string, string>> = {
      "/api/v1/project/:app_id": project.message.app_id as string,
      "/api/v1/engine/statemanagement/:id": String(state),
      "/api/v1/engine/dataset/:id": String(dataset.message.id),
      "/api/v1/artifacts/:id": (record.message.dataset_url as string).split("/").at(-1) as string,
      "/api/v1/engine/upload/:id": upload.split("/").at(-1) as string,
    };
    const bodies: Readonly<Record<string, unknown>> = {
      "/api/v1/project": { project_name: "another" },
      "/api/v1/engine/start": { project_id: id, block_id: 9, parent_id: 1, function_code: "DP_DSC", args: {} },
      "/api/v1": { project_id: id, block_id: 9, parent_id: 1, function_code: "DL_RBM_T", args: {} },
      "/api/v1/engine/dataset": { dataset_name: "e", dataset_url: upload },
      "/api/v1/models/production": { flow_id: state, data: [{ a: 4 }] },
    };
    const order = { GET: 0, POST: 1, DELETE: 2 };
    const seen: string[] = [];
    for (const route of routes.toSorted((a, b) => order[a.method] - order[b.method])) {
      const [path] = route.paths;
      if (route.multipart) continue;
      const known = Object.entries(ids).find(([prefix]) => path.startsWith(prefix));
      const real = known ? path.replace(/:\w+/, known[1]) : path;
      const body = route.method === "POST" ? JSON.stringify(bodies[path]) : undefined;
      const headers = { accept: "application/json", "content-type": "application/json" };
      const init = { method: route.method, body, headers: route.method === "POST" ? headers : {} };
      for (const asked of known ? [real, path.replace(/:\w+/, "nothing-like-it")] : [real]) {
        const answer = await service.fetch(asked, init);
        const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")][route.method.toLowerCase()];
        const type = (answer.headers.get("content-type") ?? "").split(";")[0];
        const place = `${route.method} ${asked} ${answer.status} ${type}`;
        seen.push(place);
        expect(operation.responses[answer.status]?.content?.[type], place).toBeDefined();
        const text = await answer.text();
        if (type !== "application/json") continue;
        const pointer = [path.replace(/:(\w+)/g, "{$1}"), route.method.toLowerCase()].map(escaped).join("/");
        const schema = `openapi#/paths/${pointer}/responses/${answer.status}/content/${escaped(type)}/schema`;
        expect([place, ajv.validate({ $ref: schema }, JSON.parse(text)), ajv.errors]).toEqual([place, true, null]);
      }
    }
    expect(seen.filter((place) => place.includes(" 200 ")).length).toBeGreaterThan(15);
    expect(seen.filter((place) => place.includes(" 404 ")).length).toBeGreaterThan(8);
  });

  test("makes a client that type-checks and works", { timeout: 120_000 }, async () => {
    const types = await generate(structuredClone(document) as never, { defaultNonNullable: false });
    writeFileSync(join(folder, "paths.ts"), astToString(types));
    const client = join(folder, "client.ts");
    copyFileSync(fileURLToPath(new URL("generated-client.ts", import.meta.url)), client);
    const program = ts.createProgram([client], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    });
    const faults = ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0, file }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(faults).toEqual([]);
    const { drive } = (await import(client)) as {
      drive(url: string, key: string): Promise<Readonly<Record<string, unknown>>>;
    };
    expect(await drive((await service.serving).url, "served")).toEqual({
      accuracy: expect.toSatisfy((share: number) => share > 0.85),
      refused: "test_size",
      table: 3,
      states: 7,
      predicted: ["Adelie"],
      removed: "true",
    });
  });
});

/** A name as a step of a JSON pointer inside a URL. */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
