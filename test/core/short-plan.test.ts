import { describe, expect, it } from "vitest";
import { call, column, value } from "../../src/plan/expr.ts";
import { addStep, type Output, type Relation, type Step } from "../../src/plan/node.ts";
import { shortened } from "../../src/plan/short-plan.ts";
import { Lab } from "../support/lab.ts";

const lab = new Lab();
const number = (name: string) => ({ name, type: "number" as const });
const passed = (name: string): Output => ({ column: number(name) });
const renamed = (name: string, from: string): Output => ({ column: number(name), expr: column(from) });
const more = (name: string, from = name): Output => ({
  column: number(name),
  expr: call("add", column(from, "number"), value(1)),
});

function steps(outputs: readonly (readonly Output[])[]): readonly Step[] {
  const none: Relation = { artifact: "", steps: [] };
  return outputs.reduce((plan, each, k) => addStep(plan, { block: k, name: "step", outputs: each }), none).steps;
}

const idle = Array.from({ length: 20 }, () => [passed("a"), passed("b")]);
const names = (step: Step) => step.outputs.map((output) => output.column.name);

describe("a long plan", () => {
  it("of few steps stays as it ran", () => {
    const few = steps(idle.slice(0, 16));
    expect(shortened(few)).toBe(few);
  });

  it("that only hands columns on is one step", () => {
    expect(shortened(steps(idle))).toHaveLength(1);
  });

  it("makes what does not read each other in one step, and what does one after the other", () => {
    const plan = steps([...idle, [more("a"), passed("b")], [passed("a"), more("b")], [more("a"), passed("b")]]);
    const short = shortened(plan);
    expect(short).toHaveLength(2);
    expect(short[0].outputs).toEqual([more("a"), more("b")]);
    expect(short[1].outputs).toEqual([more("a"), passed("b")]);
  });

  it("makes a column that goes on under two names once, and exchanges names", () => {
    const twice = shortened(steps([...idle, [more("a"), passed("b")], [renamed("c", "a"), renamed("d", "a")]]));
    expect(twice.map(names)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    const [swapped] = shortened(steps([...idle, [more("a"), passed("b")], [renamed("b", "a"), renamed("a", "b")]]));
    expect(swapped.outputs).toEqual([{ ...more("a"), column: number("b") }, renamed("a", "b")]);
  });

  it("keeps steps that leave rows out where they are", () => {
    const [first, second, ...rest] = steps([...idle, [more("a"), passed("b")]]);
    const short = shortened([first, { ...second, rows: 3 }, ...rest]);
    expect(short.map(({ rows }) => rows)).toEqual([undefined, 3, undefined]);
  });

  it("answers the same numbers as its blocks one by one", async () => {
    const { id } = await lab.project();
    const rows = Array.from({ length: 30 }, (_, i) => [
      i % 7 === 3 ? "" : i * 1.5,
      (i * 7) % 11,
      ["x", "y", "z"][i % 3],
    ]);
    await lab.block(id, 1, 0, [
      "input",
      { dburl: lab.file(`a,b,c\n${rows.map((row) => row.join(",")).join("\n")}\n`) },
    ]);
    await lab.block(id, 2, 1, ["missing", { strategy: "mean", columns: ["a"] }]);
    for (let k = 2; k < 40; k++) {
      const scaler = ["minmax", "standard", "robust", "maxabs"][k % 4];
      await lab.block(id, k + 1, k, ["scale", { scaler, columns: [["a"], ["b"], ["a", "b"]][k % 3] }]);
      if (k === 20) await lab.block(id, 21, 20, ["encode", { columns: ["c"], type: "onehot" }]);
    }
    // Whatever was done to them before, the last blocks have the last say: a column between its least and greatest.
    const end = await lab.block(id, 41, 40, ["scale", { scaler: "minmax", columns: ["a", "b"] }]);
    const filled = rows.map(([a]) => a).filter((a) => a !== "") as number[];
    const mean = filled.reduce((sum, a) => sum + a, 0) / filled.length;
    const scaled = (values: readonly number[]) => {
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return values.map((v) => (v - least) / (most - least));
    };
    const close = (found: readonly unknown[], wanted: readonly number[]) => {
      expect(found).toHaveLength(wanted.length);
      for (const [i, v] of wanted.entries()) expect(found[i] as number).toBeCloseTo(v, 10);
    };
    close(await lab.column(end, "a"), scaled(rows.map(([a]) => (a === "" ? mean : (a as number)))));
    close(await lab.column(end, "b"), scaled(rows.map(([, b]) => b as number)));
    close(
      await lab.column(end, "c_y"),
      rows.map(([, , c]) => (c === "y" ? 1 : 0)),
    );
  });
});
