import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ArgsError } from "../core/errors.ts";

const deepest = 64;

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
  if (depthOf(text) > deepest) {
    throw new ArgsError(`The body is nested deeper than ${deepest} levels.`, { code: "bad_json", expected: deepest });
  }
  try {
    // Reviving costs time on large bodies: done only where the forbidden key may hide, plain or escaped.
    return JSON.parse(text, /__|\\u005f/i.test(text) ? refusePrototypes : undefined);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it can't be parsed";
    throw new ArgsError(`The body is not valid JSON: ${reason}.`, { code: "bad_json" });
  }
}

/** As an own key it is harmless, yet it turns into a prototype in code that merges objects. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === "__proto__") throw new SyntaxError('the key "__proto__" is not allowed');
  return value;
}

/** How deep arrays and objects are nested; without recursion, since text from outside must not end the stack. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (inString) {
      if (letter === "\\") i++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === "[" || letter === "{") most = Math.max(most, ++depth);
    else if (letter === "]" || letter === "}") depth--;
  }
  return most;
}
