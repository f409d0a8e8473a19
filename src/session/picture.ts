import { writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import { saveFile } from "../client/save-file.ts";
import type { Chart } from "../core/chart.ts";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { toVegaLite, type VegaLiteSpec } from "../core/vega-lite.ts";
import { stack, type View, viewOf } from "../core/view.ts";
import { print } from "./print.ts";

/** The kinds of file that a picture can be written as. */
export const pictureFormats = ["svg", "png", "html", "json"] as const;

/** One of `pictureFormats`. */
export type PictureFormat = (typeof pictureFormats)[number];

/** Draws charts as a file of a kind; "svg" and "png" take one chart. */
export type Draw = (charts: readonly Chart[], format: PictureFormat) => Promise<string | Uint8Array>;

let draw: Draw | null = null;

/** Says how pictures are drawn; called once by whoever knows how. */
export function setDraw(drawer: Draw): void {
  draw = drawer;
}

/** The picture of a plot, a model's metrics and the like; `await result.picture.save("sales.svg")`. */
export class Picture {
  readonly #view: () => Promise<View>;
  readonly #whose: string;

  /** `whose` says in messages what was looked at, such as "block 3 (describe)". */
  constructor(view: () => Promise<View>, whose: string) {
    this.#view = view;
    this.#whose = whose;
  }

  /**
   * Writes the picture to a file: .svg, .png (twice as large, for sharp screens), .html (a page that loads nothing), or
   * .json (the Vega-Lite specification). Several charts become one page; else sales.svg, sales-2.svg and so on.
   *
   * Answers the files that it wrote.
   */
  async save(file: string): Promise<string[]> {
    const format = formatOf(file);
    const charts = await this.#charts();
    const parts = format === "html" ? [charts] : charts.map((chart) => [chart]);
    const files: string[] = [];
    for (const [k, part] of parts.entries()) {
      const path = k === 0 ? file : file.replace(/(?=\.[^.]*$)/, `-${k + 1}`);
      const content = await this.#drawn(part, format);
      await saveFile(path, (beside) => writeFile(beside, content));
      files.push(path);
    }
    return files;
  }

  /** The picture as SVG; of several charts the first. */
  async svg(): Promise<string> {
    return String(await this.#drawn((await this.#charts()).slice(0, 1), "svg"));
  }

  /** The bytes of a PNG, twice as large for sharp screens; of several charts the first. */
  async png(): Promise<Uint8Array> {
    return (await this.#drawn((await this.#charts()).slice(0, 1), "png")) as Uint8Array;
  }

  /** The Vega-Lite specification with the numbers in it; of several charts the first. */
  async spec(): Promise<VegaLiteSpec> {
    return toVegaLite((await this.#charts())[0]);
  }

  /** Shows it. */
  show(): Promise<void> {
    return print(this);
  }

  async [viewOf](): Promise<View> {
    return stack(...(await this.#charts()).map((chart) => ({ kind: "chart", chart }) as const));
  }

  [inspect.custom](): string {
    return 'Picture { … } — await .save("picture.svg"), .svg(), .png(), .spec()';
  }

  async #charts(): Promise<Chart[]> {
    const found = chartsIn(await this.#view());
    if (found.length > 0) return found;
    throw new ArgsError(
      `picture: ${this.#whose} has no picture; scatter, line, histogram and their kind do, and the metrics of models.`,
      { path: "picture" },
    );
  }

  async #drawn(charts: readonly Chart[], format: PictureFormat): Promise<string | Uint8Array> {
    if (!draw) throw new Error("nobody said how pictures are drawn");
    return await draw(charts, format);
  }
}

function chartsIn(view: View): Chart[] {
  if (view.kind === "chart") return [view.chart];
  return view.kind === "stack" ? view.views.flatMap(chartsIn) : [];
}

function formatOf(file: string): PictureFormat {
  const ending = typeof file === "string" ? /\.(\w+)$/.exec(file)?.[1].toLowerCase() : undefined;
  const found = pictureFormats.find((format) => format === ending);
  if (found) return found;
  throw new ArgsError(
    `save: a picture is written as ${pictureFormats.map((each) => `.${each}`).join(", ")}, and ${quoted(String(file))} ends in none of them.`,
    { path: "file", got: String(file).slice(0, 80), expected: [...pictureFormats] },
  );
}
