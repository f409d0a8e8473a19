import type { Json } from "../core/record.ts";

const id = { type: "integer" };
const blockId = { ...id, description: "Absent for a new block, which takes the next id of the project." };
const url = { type: "string", format: "uri" };
/** Any fields; said aloud, or generated clients read an object of which nothing is told as an empty one. */
export const anyObject = { type: "object", additionalProperties: true };
const urlOrNull = { type: ["string", "null"], format: "uri" };

/** The OpenAPI schemas that are the same whatever blocks there are. */
export const fixedSchemas: Readonly<Record<string, Json>> = {
  Project: {
    type: "object",
    required: ["id", "app_id", "project_name", "project_description", "project_compiled_models", "created_at"],
    properties: {
      id,
      app_id: { type: "string", format: "uuid" },
      project_name: { type: "string" },
      project_description: { type: "string" },
      project_compiled_models: { type: "null" },
      created_at: { type: "string", format: "date-time", description: "UTC, with microseconds." },
    },
  },
  Dataset: {
    type: "object",
    required: ["id", "dataset_name", "dataset_description", "dataset_type", "dataset_url", "created_at"],
    properties: {
      id,
      dataset_name: { type: "string" },
      dataset_description: { type: "string" },
      dataset_type: { type: "string" },
      dataset_url: { type: "string" },
      created_at: { type: "string", format: "date-time", description: "UTC, with microseconds." },
    },
  },
  StateRecord: {
    type: "object",
    required: ["id", "project", "block_id", "parent_id", "function_code", "dataset_url", "x_value_url", "y_value_url"],
    properties: {
      id,
      project: id,
      block_id: id,
      parent_id: id,
      function_code: { type: "string" },
      dataset_url: urlOrNull,
      x_value_url: { ...urlOrNull, description: "Null until columns are chosen as features." },
      y_value_url: { ...urlOrNull, description: "Null until columns are chosen as targets." },
      x_train_url: { ...url, description: "With the other three: present once there is a split." },
      y_train_url: url,
      x_test_url: url,
      y_test_url: url,
      output: { type: "string", description: "JSON text of an inspection, a model, a prediction, or a plot." },
      output_bytes: {
        type: "integer",
        description: "In lists, in place of an output beyond 64 KiB: its size. The record itself has it.",
      },
      function_action: { type: "integer", description: "How many columns DP_6 dropped." },
      notices: { type: "array", items: { type: "string" } },
      stale: { type: "boolean", description: "A block before this one was replaced; run this one again." },
    },
  },
  RequestEnvelope: {
    type: "object",
    required: ["project_id", "function_code"],
    properties: {
      project_id: id,
      block_id: blockId,
      parent_id: { type: ["integer", "null"], description: "Null, 0 or absent for a block that starts a chain." },
      function_code: { type: "string" },
      args: anyObject,
    },
  },
  TrainingRequest: {
    type: "object",
    required: ["project_id", "parent_id", "function_code"],
    description: "A block request whose arguments may also stand beside args.",
    properties: {
      project_id: id,
      block_id: blockId,
      parent_id: { ...id, description: "The block that built the network, or one after it." },
      function_code: { type: "string", description: "A training code, such as DL_RBM_T." },
      model_name: { type: "string", description: "The name the model is saved under." },
      hyp_params: { ...anyObject, description: "What the network was built with, changed." },
      epochs: { type: "integer", description: "Passes over the training rows." },
      args: anyObject,
    },
  },
  Function: {
    type: "object",
    required: ["function_code", "name", "family", "summary", "description", "example", "aliases", "args"],
    properties: {
      function_code: { type: "string" },
      name: { type: "string" },
      family: { type: "string" },
      summary: { type: "string" },
      description: { type: "string" },
      example: { type: "string" },
      aliases: { type: "object", additionalProperties: { type: "string" } },
      args: { ...anyObject, description: "JSON Schema of the arguments." },
    },
  },
  Table: {
    type: "object",
    required: ["columns", "rows", "total"],
    properties: {
      columns: {
        type: "array",
        items: {
          type: "object",
          required: ["name", "type"],
          properties: {
            name: { type: "string" },
            type: { enum: ["number", "boolean", "string", "datetime", "category", "tensor"] },
            integer: { type: "boolean" },
            shape: { type: "array", items: { type: "integer" } },
          },
        },
      },
      rows: { type: "array", items: { type: "array", items: { type: ["string", "number", "boolean", "null"] } } },
      total: { type: "integer", description: "Rows of the whole table." },
    },
  },
  Error: {
    type: "object",
    required: ["status", "message", "error"],
    properties: {
      status: { type: "string", const: "false" },
      message: { type: "string", description: "One sentence that is enough for a person." },
      error: {
        type: "object",
        properties: {
          code: { type: "string" },
          block: { type: "string" },
          path: { type: "string", description: "The argument that is wrong." },
          got: {},
          expected: {},
          hint: { type: "string" },
        },
      },
    },
  },
};
