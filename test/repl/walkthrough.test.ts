import { expect, it } from "vitest";
import { declared } from "../../src/registry/index.ts";
import { notebookCells } from "../support/notebooks.ts";

it("shows every block in some notebook", () => {
  const code = notebookCells.join("\n");
  const missing = declared.filter(({ name }) => !new RegExp(`\\.${name}\\(`).test(code)).map(({ name }) => name);
  expect(missing).toEqual([]);
});
