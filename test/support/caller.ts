import type { Caller } from "../../src/service/service.ts";

/** A caller whose artifact URLs are short. */
export const someone: Caller = {
  owner: "someone",
  url: (artifact) => `test:${artifact}`,
  artifactIn: (url) => (url.startsWith("test:") ? url.slice(5) : null),
};
