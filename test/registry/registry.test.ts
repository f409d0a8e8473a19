import { afterAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import * as blocks from "../../src/blocks/index.ts";
import type { Block } from "../../src/core/block.ts";
import { createSession } from "../../src/index.ts";
import { allBlocks, byCode, declared, helpOf, helpView, jsonSchema, validateArgs } from "../../src/registry/index.ts";
import { toText } from "../../src/render/index.ts";
import { Lab } from "../support/lab.ts";

const lab = new Lab();
/** One for all examples: what several of them do first is done once. */
const session = createSession({ home: `${lab.home}/examples` });
afterAll(() => session.close());

/** Names that a session or a chain has besides its helpers, and those JavaScript itself looks for. */
const reserved = [
  "then",
  "catch",
  "finally",
  "show",
  "help",
  "at",
  "branch",
  "predict",
  "metrics",
  "train",
  "evaluate",
  "project",
  "projects",
  "current",
  "blocks",
  "sql",
  "code",
  "link",
  "last",
  "close",
  "settled",
  "onProgress",
  "constructor",
  "follow",
];

it("has nothing but blocks at its door, as everything there is offered as a helper", () => {
  const others = Object.entries(blocks as Record<string, { kind?: unknown }>).filter(
    ([, { kind }]) => kind !== "block",
  );
  expect(others.map(([name]) => name)).toEqual([]);
});

describe("the registry", () => {
  it("has unique codes and names, and no reserved name", () => {
    const codes = allBlocks.flatMap((block) => [block.code, ...(block.codes ?? [])]);
    const names = allBlocks.map((block) => block.name);
    expect(codes).toHaveLength(new Set(codes).size);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.filter((name) => reserved.includes(name))).toEqual([]);
  });

  it.each(allBlocks.map((block) => [block.name, block] as const))(
    "%s is documented as it is declared",
    (_name, block: Block) => {
      const help = helpOf(block);
      expect(help.summary).not.toBe("");
      expect(help.summary.length).toBeLessThanOrEqual(110);
      for (const each of help.arguments) {
        expect(each.doc, each.name).not.toBe("");
        const { def } = (block.args[each.name] as z.ZodType)._zod as unknown as {
          def: { type: string; defaultValue?: unknown };
        };
        if (def.type === "default")
          expect(each.doc, each.name).toContain(`(default ${JSON.stringify(def.defaultValue)}`);
      }
      for (const target of Object.values({ ...block.aliases, ...block.tolerates }))
        expect(Object.keys(block.args)).toContain(target);
      expect(jsonSchema(block)).toMatchObject({ type: "object", additionalProperties: false });
      expect(toText(helpView(block))).toContain(block.code);
    },
  );

  it.each(declared.map((block) => [block.name, block] as const))(
    "the example of %s runs",
    async (_name, block: Block) => {
      const chain = new Function("session", `return ${block.example}`)(session) as Promise<{
        record: { function_code: string };
      }>;
      const { record } = await chain;
      expect([block, ...(block.derived ?? [])].map(({ code }) => code)).toContain(record.function_code);
    },
  );

  it.each(allBlocks.map((block) => [block.name, block] as const))(
    "%s refuses what it doesn't know, in one sentence",
    (_name, block: Block) => {
      const refusal = (args: unknown) => {
        try {
          validateArgs(block, args);
          return null;
        } catch (error) {
          return error as { status: number; message: string };
        }
      };
      for (const args of [{ zzz_unknown: 1 }, [], "text", 7]) {
        const error = refusal(args);
        expect(error?.status).toBe(400);
        expect(error?.message).toContain(block.code);
        expect(error?.message).not.toMatch(/\n|invalid_type|ZodError/);
      }
      for (const name of Object.keys(block.args)) {
        expect(refusal({ [name]: { __proto__: null, deep: [{}] } })?.status, name).toBe(400);
      }
    },
  );

  it("refuses arguments too deep to be stored", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(() => validateArgs(byCode("DP_STN"), { scalar: deep })).toThrow(
      "ndarray (DP_STN): args must not be nested more than 100 deep.",
    );
  });

  // Every form of list that there is.
  it.each(["DP_3", "DP_6", "DP_ADP", "DP_CSP", "DP_STN"])(
    "is soon done with long lists in any argument of %s",
    (code) => {
      const block = byCode(code);
      const n = 20_000;
      const lists: Record<string, unknown[]> = {
        rows: Array.from({ length: n }, (_, k) => [k, k + 1]),
        objects: Array.from({ length: n }, (_, k) => ({ index: k })),
        "a fault at the end": [...Array.from({ length: n }, (_, k) => k), ...Array.from({ length: n }, () => [[1]])],
      };
      for (const name of Object.keys(block.args)) {
        for (const [kind, list] of Object.entries(lists)) {
          // Processor time, for a busy machine; a complaint about every item took seconds.
          const isSoon = () => {
            const before = process.cpuUsage();
            try {
              validateArgs(block, { [name]: list });
            } catch (error) {
              expect(error, `${name}: ${kind}`).toMatchObject({ status: 400 });
            }
            return process.cpuUsage(before).user < 1e6;
          };
          expect(isSoon() || isSoon() || isSoon(), `${name}: ${kind}`).toBe(true);
        }
      }
    },
  );

  it("names the first faulty item of a long list, wherever it is", () => {
    const columns = [...Array.from({ length: 1000 }, (_, k) => `c${k}`), { a: 1 }, ...Array(5000).fill([1])];
    expect(() => validateArgs(byCode("DP_DRD"), { columns })).toThrow(
      'dropDuplicates (DP_DRD): columns[1000] must be a text, or a number, got {"a":1}.',
    );
    expect(validateArgs(byCode("DP_DRD"), { columns: columns.slice(0, 1000) }).columns).toHaveLength(1000);
    const points = [...Array.from({ length: 600 }, (_, k) => ({ index: k })), { indx: 1 }];
    expect(() => validateArgs(byCode("DP_3"), { xvalue: points })).toThrow(
      'encode (DP_3): xvalue[600] has no field indx. Did you mean "index"?',
    );
  });

  it("refuses names inside an argument that every object has", () => {
    expect(() => validateArgs(byCode("DP_3"), { xvalue: { constructor: 1, index: 0 } })).toThrow(
      "encode (DP_3): xvalue has no field constructor.",
    );
  });

  it("is as lenient as clients need", () => {
    const missing = byCode(" DP_2 ");
    expect(validateArgs(missing, { strategy: "mean", x_boundaries: ":, 0:2", fill_value: "" })).toEqual({
      strategy_value: "mean",
      boundaries: ":, 0:2",
    });
    expect(
      validateArgs(byCode("DP_4"), { test_size: "0.3", random_state: "42", shuffle: "false", stratify: null }),
    ).toEqual({ test_size: 0.3, random_state: 42, shuffle: false });
    expect(validateArgs(byCode("DP_DC"), { d_columns: ["0", 1] })).toEqual({ d_columns: ["0", 1] });
    expect(() => validateArgs(missing, { strategy: "mean", strategy_value: "mode" })).toThrow(/is given twice/);
    expect(() => byCode("DP_22")).toThrow(/function_code "DP_22" is unknown. Did you mean "DP_2"\?/);
  });
});
