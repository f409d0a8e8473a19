import { expect, it } from "vitest";
import { type ModelFile, modelText, readModel, textBytes } from "../../src/core/model.ts";

const written = (file: object) => [...modelText(file)].join("");
const read = (text: string) => readModel(Buffer.from(text));
const model = (parameters: unknown) => ({
  format: "blocklab-model",
  model_name: 'a "base64":"xx" name, ü',
  classes: ['"base64":"', "b"],
  args: { C: 1, left_out: undefined },
  parameters,
});

it("reads back what it wrote, typed arrays of any length among it", () => {
  const parameters = {
    short: Float64Array.of(1.5, -2, 1e-300),
    codes: Int32Array.of(-1, 7),
    long: Float64Array.from({ length: 500_001 }, (_, k) => Math.sin(k)),
    longCodes: Int32Array.from({ length: 4097 }, (_, k) => k * 7919 - 5),
    empty: new Float64Array(0),
    nested: [{ k: 3, names: ["x", null] }],
  };
  const back = read(written(model(parameters)));
  // Vitest tells arrays over shared memory from others.
  const { long, longCodes, ...others } = back.parameters as typeof parameters;
  const { long: _, longCodes: codes, ...expected } = parameters;
  expect(Buffer.from(long.buffer).equals(Buffer.from(parameters.long.buffer))).toBe(true);
  expect([...longCodes]).toEqual([...codes]);
  expect({ ...others, empty: [...others.empty] }).toEqual({ ...expected, empty: [] });
  expect(back).toMatchObject({ model_name: 'a "base64":"xx" name, ü', classes: ['"base64":"', "b"], args: { C: 1 } });
});

it("is JSON that any program can read", () => {
  const { parameters } = JSON.parse(written(model({ a: Int32Array.of(1, 2), b: new Float64Array(5000).fill(0.5) })));
  expect(parameters.a).toEqual({ dtype: "int32", data: [1, 2] });
  const bytes = Buffer.from(parameters.b.base64, "base64");
  expect([bytes.length, bytes.readDoubleLE(39_992)]).toEqual([40_000, 0.5]);
});

it("keeps what JSON can't say: NaN and infinity", () => {
  const { parameters } = read(written(model({ odd: Float64Array.of(NaN, -Infinity, 1) }))) as ModelFile;
  expect((parameters as { odd: Float64Array }).odd).toEqual(Float64Array.of(NaN, -Infinity, 1));
});

it("puts long arrays into shared memory, and tells about how much text they make", () => {
  const parameters = { long: new Float64Array(9000), list: [new Int32Array(6000)] };
  const text = written(model(parameters));
  expect(Math.abs(textBytes(parameters) - text.length)).toBeLessThan(400);
  const { long } = read(text).parameters as typeof parameters;
  expect(long.buffer).toBeInstanceOf(SharedArrayBuffer);
});
