import { describe, expect, it } from "vitest";
import { ArgsError } from "../../src/core/errors.ts";
import { byCode } from "../../src/registry/index.ts";
import { explained } from "../../src/service/failures.ts";
import type { Checked } from "../../src/service/request.ts";

const never = new AbortController().signal;
const detailOf = (code: string, args: Record<string, unknown>, path?: string) => {
  // Only block and arguments tell in whose name an error speaks.
  const checked = { block: byCode(code), blockId: 1, args } as unknown as Checked;
  return (explained(new ArgsError("no.", path ? { path } : {}), checked, never) as ArgsError).detail;
};

describe("a refusal that leaves its details out", () => {
  it("says which argument it is about, what came, and what it takes by its help", () => {
    expect(detailOf("DP_4", { test_size: 7 })).toEqual({
      code: "bad_arguments",
      block: "DP_4",
      path: "test_size",
      got: "7",
      expected: expect.stringMatching(/test/i),
    });
    expect(detailOf("DP_FSP", {})).toMatchObject({
      path: "args",
      got: "[]",
      expected: expect.stringMatching(/^arguments of xy: .*x_boundaries/),
    });
    expect(detailOf("DP_PIE", {}, "dataset")).toMatchObject({ got: "nothing" });
  });

  it("repeats no secret, whole or cut", () => {
    for (const password of ["hunter2", "hunter2/".repeat(30), 'hunter2"@']) {
      const dburl = `postgres://ann:${password}@host/db`;
      expect(JSON.stringify(detailOf("DP_1", { dburl, dbpassword: password }, "dburl"))).not.toContain("hunter2");
      expect(JSON.stringify(detailOf("DP_1", { dburl, dbpassword: password }, "dbpassword"))).not.toContain("hunter2");
    }
  });
});
