import { AccessError } from "../core/errors.ts";
import type { Service } from "../service/index.ts";
import { openApi } from "./openapi.ts";
import { envelope, envelopeSchema, type Route } from "./route.ts";
import { anyObject } from "./schemas.ts";

const words = envelopeSchema({ type: "string" });

/** The paths that need no key: is it alive, is it ready, its counters, its own description. */
export function openRoutes(describe: () => readonly Route[]): readonly Route[] {
  const documents = new WeakMap<Service, unknown>();
  return [
    {
      method: "GET",
      paths: ["/api/v1/openapi.json"],
      open: true,
      summary: "This document.",
      answers: { "application/json": anyObject },
      async handle({ service }) {
        const document = documents.get(service) ?? openApi(describe(), service.functions());
        documents.set(service, document);
        return document;
      },
    },
    {
      method: "GET",
      paths: ["/healthz"],
      open: true,
      summary: "Answers while the process lives.",
      answers: { "application/json": words },
      handle: async () => envelope("alive"),
    },
    {
      method: "GET",
      paths: ["/readyz"],
      open: true,
      summary: "Answers while blocks can be run; 503 while the service stops, or when its database is damaged.",
      answers: { "application/json": words },
      errors: [503],
      async handle({ service }) {
        await service.ready();
        return envelope(`ready: ${service.functions().length} function codes`);
      },
    },
    {
      method: "GET",
      paths: ["/metrics"],
      open: true,
      summary: "Counters in Prometheus' text format, for this machine alone.",
      answers: { "text/plain": { type: "string" } },
      errors: [403],
      async handle({ addresses, metrics, request, reply, service }) {
        if (!addresses.isLocal(request)) {
          throw new AccessError(403, "The counters are answered on the service's own machine alone.");
        }
        reply.type("text/plain; version=0.0.4; charset=utf-8");
        return metrics.text(service.load());
      },
    },
  ];
}
