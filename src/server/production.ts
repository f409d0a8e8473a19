import { ArgsError } from "../core/errors.ts";
import { envelope, envelopeSchema, objectBody, type Route } from "./route.ts";
import { goneSignal } from "./runs.ts";
import { anyObject } from "./schemas.ts";

/** A fitted chain put to work on new rows. */
export const productionRoutes: readonly Route[] = [
  {
    method: "POST",
    paths: ["/api/v1/models/production"],
    summary: "Predicts for new raw rows with a prediction block's whole fitted chain; stores nothing.",
    body: {
      type: "object",
      required: ["flow_id", "data"],
      properties: {
        flow_id: { type: "integer", description: "The id of a prediction block's state record." },
        data: {
          description: "Rows as objects, one row, or columns as lists; as they were before the chain's first step.",
          oneOf: [{ type: "array", items: anyObject }, anyObject],
        },
      },
    },
    answers: {
      "application/json": envelopeSchema({
        type: "object",
        required: ["y_pred"],
        properties: {
          y_pred: {
            type: "array",
            description: "A prediction per row; a list of hidden activations per row for DL_RBM_P.",
          },
          y_proba: { type: "array", items: anyObject, description: "For classes: the share of each." },
          rows: {
            type: "array",
            items: anyObject,
            description:
              "Where the prediction block has row_id or columns: each row's number and columns, and its y_pred.",
          },
          notices: {
            type: "array",
            items: { type: "string" },
            description: "What is worth knowing of the rows, such as a category that was not learnt.",
          },
        },
      }),
    },
    errors: [400, 404, 422],
    async handle({ service, caller, request, reply, runs }) {
      const { flow_id: flow, data } = objectBody(request);
      const id = typeof flow === "string" && /^\d{1,15}$/.test(flow) ? Number(flow) : flow;
      if (typeof id !== "number" || !Number.isSafeInteger(id)) {
        throw new ArgsError("flow_id must be the id of a prediction block's state record, a whole number.", {
          path: "flow_id",
          got: flow === undefined ? null : String(flow).slice(0, 60),
        });
      }
      return envelope(
        await runs.track(caller.owner, goneSignal(reply.raw), (signal) =>
          service.produce(caller, id, data, { signal }),
        ),
      );
    },
  },
];
