import { expect, it } from "vitest";
import { notebooks } from "../support/notebooks.ts";
import { sessionTypes } from "../support/session-types.ts";

it("takes every notebook's cells", { timeout: 120_000 }, () => {
  const types = sessionTypes();
  for (const { file, cells } of notebooks) expect(types.fault(cells.join("\n;")), file).toBeNull();
});
