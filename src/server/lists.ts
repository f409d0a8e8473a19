import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Page } from "../service/service.ts";
import { type QueryParameter, queryOf, wholeNumber } from "./route.ts";

/** Entries that are read and written at once. */
const pageLength = 50;

/** Query parameters of every list. */
export const pageQuery: Readonly<Record<string, QueryParameter>> = {
  limit: { description: "Entries at most (all when absent).", schema: { type: "integer", minimum: 0 } },
  offset: { description: "Entries to leave out at the beginning.", schema: { type: "integer", minimum: 0 } },
  after: {
    description: "Leaves out all up to the entry with this id: the last one of the page before.",
    schema: { type: "integer", minimum: 0 },
  },
};

/** Which part of a list a request wants, where its query knows other names too. */
export function pageOf(request: FastifyRequest, others: readonly string[] = []): Page {
  const query = queryOf(request, [...others, ...Object.keys(pageQuery)]);
  return {
    limit: wholeNumber("limit", query.limit),
    offset: wholeNumber("offset", query.offset),
    after: wholeNumber("after", query.after),
  };
}

/** Sends a list in an envelope, page by page, so that a long one neither fills the memory nor keeps others waiting. */
export async function sendList(
  reply: FastifyReply,
  { limit = Number.POSITIVE_INFINITY, ...from }: Page,
  read: (page: Page) => Promise<readonly { readonly id: number }[]>,
): Promise<unknown> {
  // Read before the answer begins, so that what is wrong with the request is told by its status.
  let items = await read({ ...from, limit: Math.min(pageLength, limit) });
  async function* text() {
    yield '{"status":"true","message":[';
    for (let sent = 0; items.length > 0; ) {
      yield `${sent > 0 ? "," : ""}${JSON.stringify(items).slice(1, -1)}`;
      sent += items.length;
      if (items.length < pageLength || sent >= limit) break;
      items = await read({ after: items[items.length - 1].id, limit: Math.min(pageLength, limit - sent) });
    }
    yield "]}";
  }
  return await reply.type("application/json; charset=utf-8").send(Readable.from(text(), { objectMode: false }));
}
