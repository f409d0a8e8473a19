import { inspect } from "node:util";
import type { Link } from "../client/link.ts";
import { ArgsError } from "../core/errors.ts";
import type { ModelFile } from "../core/model.ts";
import { count, quoted } from "../core/names.ts";
import { text, type View, viewOf } from "../core/view.ts";

/** How a model is taken elsewhere as ONNX. */
export interface OnnxOptions {
  /**
   * With what the chain does to columns before the model, so that the file takes rows as `input` read them: an input for
   * each column, under its name (default false: the model alone, whose input `x` is the features).
   */
  readonly preparation?: boolean;
}

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

  /** The bytes of an ONNX file: outputs `y_pred` and for classes `y_proba`. */
  onnx({ preparation = false }: OnnxOptions = {}): Promise<Uint8Array> {
    return this.#link.download(this.url, preparation ? "onnx-chain" : "onnx");
  }

  /** Writes the model to a file: ONNX when its name ends in .onnx, else JSON, which has no preparation. */
  async save(path: string, options: OnnxOptions = {}): Promise<void> {
    const { preparation = false } = options;
    const isOnnx = /\.onnx$/i.test(path);
    if (preparation && !isOnnx) {
      throw new ArgsError(
        `model.save: preparation goes into ONNX files alone, and ${quoted(path)} is none. End the name in .onnx.`,
        { path: "preparation", got: path },
      );
    }
    await this.#link.save(this.url, isOnnx ? (preparation ? "onnx-chain" : "onnx") : "json", path);
  }

  async [viewOf](): Promise<View> {
    const { features, targets, classes, trained } = await this.json();
    const what = `${targets.map((each) => each.name).join(", ")}${classes ? ` (${classes.length} classes)` : ""}`;
    return text(
      `Model ${this.name} (${this.code}): ${what} from ${count(features.length, "feature")}, trained on ${count(trained.rows, "row")}. ` +
        'Take it elsewhere with .json(), .onnx() or .save("model.onnx"), for raw rows with { preparation: true }.',
    );
  }

  [inspect.custom](): string {
    return `Model { ${this.name} (${this.code}) } — await .json(), .onnx(), .save("model.onnx")`;
  }
}
