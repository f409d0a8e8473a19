import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ArgsError, BlocklabError } from "../core/errors.ts";

const deepest = 64;
/** Reading takes a microsecond for each text, list and object, and next to nothing for a number. */
const mostParts = 200_000;
/** Blocks work through as many numbers in a moment. */
const mostItems = 2_000_000;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route reads a multipart body itself, as it comes in. */
    multipart?: boolean;
  }
}

/** Reads JSON bodies and nothing else; an empty one counts as none. Routes for uploads get theirs unread. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, async (_: unknown, text: string) =>
    text.trim() === "" ? undefined : parseBody(text),
  );
  app.addContentTypeParser("multipart/form-data", async (request: FastifyRequest, _: IncomingMessage) => {
    if (!request.routeOptions.config.multipart)
      throw Object.assign(new Error(), { code: "FST_ERR_CTP_INVALID_MEDIA_TYPE" });
    return undefined;
  });
}

function parseBody(text: string): unknown {
  const { depth, parts, items } = sizeOf(text);
  if (depth > deepest) {
    throw new ArgsError(`The body is nested deeper than ${deepest} levels.`, { code: "bad_json", expected: deepest });
  }
  if (parts > mostParts) {
    throw new BlocklabError(
      413,
      `The body holds more than ${mostParts.toLocaleString("en-US")} texts, lists and objects. Send large data as a file, or as lists of numbers.`,
      { code: "too_large", expected: mostParts, hint: "POST /api/v1/engine/upload keeps a file." },
    );
  }
  if (items > mostItems) {
    throw new BlocklabError(
      413,
      `The body holds more than ${mostItems.toLocaleString("en-US")} values. Send large data as a file.`,
      { code: "too_large", expected: mostItems, hint: "POST /api/v1/engine/upload keeps a file." },
    );
  }
  const value = parsed(text);
  // Few bodies can hold the forbidden key at all, plain or escaped.
  if (/__|\\u005f/i.test(text)) refusePrototypes(value);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it can't be parsed";
    throw new ArgsError(`The body is not valid JSON: ${reason}.`, { code: "bad_json" });
  }
}

/** As an own key it is harmless, yet it turns into a prototype in code that merges objects. */
function refusePrototypes(value: unknown): void {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop() as object | null;
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, "__proto__")) {
      throw new ArgsError('The body is not valid JSON: the key "__proto__" is not allowed.', { code: "bad_json" });
    }
    for (const inner of Object.values(next)) if (typeof inner === "object") pending.push(inner);
  }
}

/** How deep lists and objects are nested, and how many of them and of texts there are; without recursion or a copy. */
function sizeOf(text: string): { readonly depth: number; readonly parts: number; readonly items: number } {
  let level = 0;
  let depth = 0;
  let parts = 0;
  let items = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    if (isInText) {
      if (letter === backslash) i++;
      else if (letter === quote) isInText = false;
    } else if (letter === quote) {
      isInText = true;
      parts++;
    } else if (letter === openList || letter === openObject) {
      parts++;
      depth = Math.max(depth, ++level);
    } else if (letter === comma) items++;
    else if (letter === closeList || letter === closeObject) level--;
  }
  return { depth, parts, items };
}

const [quote, backslash, openList, closeList, openObject, closeObject, comma] = [...'"\\[]{},'].map((each) =>
  each.charCodeAt(0),
);
