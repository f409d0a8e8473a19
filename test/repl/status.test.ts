import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import type { Link } from "../../src/client/link.ts";
import { Status } from "../../src/repl/status.ts";
import { Session } from "../../src/session/index.ts";

describe("the status line", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-status-"));
  let link: Link;
  let asked: string[] = [];
  let session: Session;
  let other: Session;
  let status: Status;

  beforeAll(async () => {
    link = await embeddedLink({ home });
    const counted = new Proxy(link, {
      get(target, name: keyof Link) {
        const member = target[name];
        if (typeof member !== "function") return member;
        return (...words: unknown[]) => {
          asked.push(name);
          return Reflect.apply(member, target, words);
        };
      },
    });
    session = new Session(async () => counted);
    other = new Session(async () => link);
    status = new Status(session);
  });
  afterAll(async () => {
    await link.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** The line, and what was asked of the service for it. */
  async function told(): Promise<{ line: string; asked: string[] }> {
    asked = [];
    return { line: (await status.parts()).join(" · "), asked };
  }

  it("tells a block that has just run from its record and the sizes of its tables", async () => {
    await told();
    const chain = session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.25 });
    await chain.missing("mean").missing("mode").encode().treeClassifier();
    expect(await told()).toEqual({
      line: "default · block 7 · 344 × 10 · split 258 + 86 · model treeClassifier · local",
      asked: ["table", "table", "table"],
    });
  });

  it("asks for one record after a cell without a block, and knows the sizes", async () => {
    const { line, asked } = await told();
    expect(line).toMatch(/block 7 · 344 × 10 · split 258 \+ 86 · model treeClassifier/);
    expect(asked).toEqual(["state"]);
  });

  it("follows the session to an earlier block and back", async () => {
    await session.at(3);
    expect((await told()).line).toBe("default · block 3 · 344 × 7 · split 258 + 86 · local");
    await session.at(1);
    expect((await told()).line).toBe("default · block 1 · 344 × 7 · local");
    await session.at(7);
    expect(await told()).toMatchObject({ line: expect.stringContaining("model treeClassifier"), asked: ["state"] });
  });

  it("sees what another session replaced", async () => {
    const project = (await session.current()).id;
    const replace = (block_id: number, parent_id: number, function_code: string, args: object) =>
      link.run({ project_id: project, block_id, parent_id, function_code, args: { ...args } });
    await replace(3, 2, "DP_4", { test_size: 0.5 });
    expect((await told()).line).toMatch(/block 7, stale · 344 × 10 · split 258 \+ 86/);
    await replace(7, 3, "DP_2", { strategy_value: "mean" });
    expect((await told()).line).toBe("default · block 7 · 344 × 7 · split 172 + 172 · local");
  });

  it("finds the model of a chain that another session made", async () => {
    await other.project("theirs");
    await other
      .input("sample:penguins")
      .xy({ y: "body_mass_g" })
      .missing("drop")
      .encode()
      .linear({ model_name: "mass" });
    await session.project("theirs");
    expect((await told()).line).toMatch(/^theirs · block 5 · .* · model linear · local$/);
    await session.project("empty");
    expect((await told()).line).toBe("empty · no block yet · local");
  });
});
