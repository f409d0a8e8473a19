import { InferenceSession, Tensor } from "onnxruntime-web";
import { describe, expect, it } from "vitest";
import type { OnnxValue } from "../../../src/core/onnx.ts";
import { CellWriter } from "../../../src/engines/onnx/cells.ts";
import { can } from "../../../src/engines/onnx/refused.ts";
import { SharedNodes } from "../../../src/engines/onnx/shared-nodes.ts";
import { typeOf } from "../../../src/plan/check.ts";
import { columnsRead } from "../../../src/plan/expr.ts";
import { onnxMessage } from "../../../src/service/onnx-file.ts";
import { type Answer, type Conformance, casesOf, conformance, fitted, near } from "../../plan/conformance.ts";

const noOverflow = "doubles go on beyond 2^63";
const noEmptyText = "an empty text is a missing one";

/** Where ONNX has an answer of its own; docs/models.md says so. */
const differs: Readonly<Record<string, string>> = {
  "whole numbers: a + b": noOverflow,
  "whole numbers: a * b": noOverflow,
  "whole numbers: -a": noOverflow,
  "whole numbers: abs(a)": noOverflow,
  "text: s == 'yes'": noEmptyText,
  "NUL letters: s == 'a\\0b'": "a NUL ends a text",
  "blocks' own: placeOf(s, ['', 'abc'])": noEmptyText,
  "blocks' own: placeOf(s, [])": noEmptyText,
};

/** The cases that ONNX has operators for, and whose columns can be inputs. */
function writable(given: Conformance) {
  const isInput = (name: string) => !["datetime", "tensor"].includes(given.columns[name]?.[0] ?? "tensor");
  return casesOf(given).filter(({ expr }) => can(expr).length === 0 && columnsRead(expr).every(isInput));
}

function listsOf({ lists, start }: typeof fitted): Float64Array[] {
  return start.slice(1).map((end, k) => Float64Array.from(lists.slice(start[k], end)));
}

async function answersTo({ columns }: Conformance, cases: ReturnType<typeof writable>) {
  const used = Object.entries(columns).filter(([, [type]]) => type !== "datetime" && type !== "tensor");
  const nodes = new SharedNodes();
  const inputs = used.map(
    ([name, [type]]): OnnxValue => ({ name, type: type === "string" ? "string" : "double", dims: ["rows", 1] }),
  );
  const writer = new CellWriter(nodes, {
    columns: new Map(used.map(([name]) => [name, name])),
    words: new Map(),
    like: used[0][0],
    lists: new Map([[fitted.artifact, listsOf(fitted)]]),
  });
  const outputs = cases.map(({ expr }, k): OnnxValue => {
    nodes.nodes.push({ op: "Identity", inputs: [writer.column(expr)], outputs: [`case ${k}`], attributes: {} });
    return { name: `case ${k}`, type: typeOf(expr) === "string" ? "string" : "double", dims: ["rows", 1] };
  });
  const graph = { inputs, nodes: nodes.nodes, constants: nodes.constants, outputs };
  const session = await InferenceSession.create(Buffer.concat(onnxMessage(graph, {}).parts), { logSeverityLevel: 3 });
  const feeds = used.map(([name, [type, cells]]) => {
    const data =
      type === "string"
        ? cells.map((cell) => String(cell ?? ""))
        : Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell)));
    return [name, new Tensor(type === "string" ? "string" : "float64", data as never, [cells.length, 1])];
  });
  const found = await session.run(Object.fromEntries(feeds));
  return cases.map(({ expr }, k) => {
    const cells = Array.from(found[`case ${k}`].data as ArrayLike<string | number>);
    const type = typeOf(expr);
    return cells.map(
      (cell): Answer => (cell === "" || Number.isNaN(cell) ? null : type === "boolean" ? cell === 1 : cell),
    );
  });
}

describe("expressions as ONNX", () => {
  it.each(Object.entries(conformance))("answer as the language has it: %s", async (group, given) => {
    const cases = writable(given);
    if (cases.length === 0) return;
    const answers = await answersTo(given, cases);
    for (const [k, { text, expected }] of cases.entries()) {
      const wanted = Array.isArray(expected)
        ? expected.map(asDouble)
        : answers[k].map(() => asDouble(expected as Answer));
      const expects = expect.soft(answers[k], `${group}: ${text}`);
      const want = near(wanted, answers[k]);
      if (`${group}: ${text}` in differs) expects.not.toEqual(want);
      else expects.toEqual(want);
    }
  });
});

/** Whole numbers beyond 2^53 are told as text of digits. */
function asDouble(want: Answer): Answer {
  return typeof want === "string" && /^-?\d{15,}$/.test(want) ? Number(want) : want;
}
