import { describe, expect, it } from "vitest";
import { ArgsError, type BlocklabError } from "../../src/core/errors.ts";
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

describe("a size that JavaScript's own engine refuses", () => {
  const checked = { block: byCode("DP_CRR"), blockId: 1, args: {} } as unknown as Checked;
  const refused = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return explained(error, checked, never) as BlocklabError;
    }
    throw new Error("it was not refused");
  };

  it.each([
    ["an array", () => new Float64Array(2 ** 53)],
    ["a list", () => new Array(-1)],
    ["a buffer", () => new ArrayBuffer(Number.MAX_SAFE_INTEGER)],
    ["a text", () => "x".repeat(2 ** 30)],
  ])("is told with the block's name and what to do: %s", (_, work) => {
    const error = refused(work);
    expect([error.status, error.detail.code]).toEqual([422, "memory"]);
    expect(error.message).toMatch(
      /^correlations \(DP_CRR\): the block needs more memory.*Work on fewer rows or columns\.$/,
    );
  });

  it("is no excuse for a recursion without end", () => {
    const forever = (): number => 1 + forever();
    expect(refused(forever).status).toBe(500);
  });
});
