import type { OnnxAttribute, OnnxTensor } from "../../core/onnx.ts";
import { OnnxNodes } from "../../core/onnx-nodes.ts";

/** Operators and constants of which equal ones are written once: the bits of a code all begin with the same look-up. */
export class SharedNodes extends OnnxNodes {
  readonly #known = new Map<string, readonly string[]>();

  override add(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>> = {},
  ): string {
    return this.#once(JSON.stringify([op, inputs, attributes]), () => [super.add(op, inputs, attributes)])[0];
  }

  override ml(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>>,
    count = 1,
  ): readonly string[] {
    return this.#once(JSON.stringify(["ml", op, inputs, attributes]), () => super.ml(op, inputs, attributes, count));
  }

  override constant(values: OnnxTensor["values"], dims: readonly number[] = [values.length]): string {
    const kind = ArrayBuffer.isView(values) ? values.constructor.name : typeof values[0];
    // As texts, since JSON has no NaN.
    const key = JSON.stringify(["constant", kind, dims, Array.from(values, String)]);
    return this.#once(key, () => [super.constant(values, dims)])[0];
  }

  #once(key: string, make: () => readonly string[]): readonly string[] {
    const names = this.#known.get(key) ?? make();
    this.#known.set(key, names);
    return names;
  }
}
