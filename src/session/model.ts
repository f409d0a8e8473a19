import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import type { ModelFile } from "../core/model.ts";
import { count } from "../core/names.ts";
import { text, type View, viewOf } from "../core/view.ts";

/** A trained model, to be taken elsewhere. */
export class Model {
  /** The name by which predict() and metrics() find it. */
  readonly name: string;
  /** The function code of the block that trained it. */
  readonly code: string;
  /** The artifact's URL. */
  readonly url: string;
  readonly #link: Link;

  constructor(link: Link, name: string, code: string, url: string) {
    this.#link = link;
    this.name = name;
    this.code = code;
    this.url = url;
  }

  /** The model as JSON: features, classes, arguments and parameters, as docs/models.md describes them. */
  async json(): Promise<ModelFile> {
    return JSON.parse(new TextDecoder().decode(await this.#link.download(this.url, "json"))) as ModelFile;
  }

  /** The bytes of an ONNX file: input `x`, outputs `y_pred` and for classes `y_proba`. */
  onnx(): Promise<Uint8Array> {
    return this.#link.download(this.url, "onnx");
  }

  /** Writes the model to a file: ONNX when its name ends in .onnx, else JSON. */
  async save(path: string): Promise<void> {
    await this.#link.save(this.url, /\.onnx$/i.test(path) ? "onnx" : "json", path);
  }

  async [viewOf](): Promise<View> {
    const { features, targets, classes, trained } = await this.json();
    const what = `${targets.map((each) => each.name).join(", ")}${classes ? ` (${classes.length} classes)` : ""}`;
    return text(
      `Model ${this.name} (${this.code}): ${what} from ${count(features.length, "feature")}, trained on ${count(trained.rows, "row")}. ` +
        'Take it elsewhere with .json(), .onnx() or .save("model.onnx").',
    );
  }

  [inspect.custom](): string {
    return `Model { ${this.name} (${this.code}) } — await .json(), .onnx(), .save("model.onnx")`;
  }
}
