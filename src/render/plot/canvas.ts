import type { Pen } from "../pen.ts";

/** Bit of a braille dot by its row (0 to 3) and column (0 or 1) in the cell. */
const dots = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

/**
 * A raster of terminal cells with 2 × 4 braille dots each (or one star, where braille may not be used).
 *
 * A cell takes the colour of the series with most points in it.
 */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #bits: Uint8Array;
  readonly #votes = new Map<number, Map<number, number>>();
  readonly #under: string[];

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#bits = new Uint8Array(width * height);
    this.#under = new Array<string>(width * height).fill(" ");
  }

  /** Puts a point at (x, y), each from 0 to 1; y grows upwards. */
  point(x: number, y: number, series: number): void {
    const column = Math.round(x * (this.width * 2 - 1));
    const row = Math.round((1 - y) * (this.height * 4 - 1));
    if (column < 0 || row < 0 || column >= this.width * 2 || row >= this.height * 4) return;
    const cell = (row >> 2) * this.width + (column >> 1);
    this.#bits[cell] |= dots[row & 3][column & 1];
    const votes = this.#votes.get(cell) ?? new Map<number, number>();
    votes.set(series, (votes.get(series) ?? 0) + 1);
    this.#votes.set(cell, votes);
  }

  /** Writes a letter that shows where no point lies. */
  under(column: number, row: number, letter: string): void {
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return;
    this.#under[row * this.width + column] = letter;
  }

  /** Puts a finished character over all else, such as a piece of a line. */
  over(column: number, row: number, letter: string, series: number): void {
    this.under(column, row, letter);
    const cell = row * this.width + column;
    this.#bits[cell] = 0;
    this.#votes.set(cell, new Map([[series, 1]]));
  }

  /** The raster as lines of `width` columns. */
  lines(pen: Pen, paint: (series: number, words: string) => string): string[] {
    return Array.from({ length: this.height }, (_, row) => {
      let line = "";
      for (let column = 0; column < this.width; column++) {
        const cell = row * this.width + column;
        const votes = this.#votes.get(cell);
        const bits = this.#bits[cell];
        const letter = bits === 0 ? this.#under[cell] : pen.pick(String.fromCharCode(0x2800 + bits), "*");
        line += votes ? paint(winner(votes), letter) : letter === " " ? " " : pen.quiet(letter);
      }
      return line;
    });
  }
}

function winner(votes: ReadonlyMap<number, number>): number {
  return [...votes].reduce((best, vote) => (vote[1] > best[1] ? vote : best))[0];
}
