/** A picture in sixels, drawn: red, green and blue of each pixel, in bytes; -1 where nothing was drawn. */
export interface Drawn {
  readonly width: number;
  readonly height: number;
  /** How many colours it speaks of. */
  readonly colours: number;
  at(x: number, y: number): readonly [number, number, number];
}

/**
 * Draws sixels, as the terminal would, to see what an encoder made.
 *
 * DEC, VT330/VT340 Programmer Reference Manual, volume 2, chapter 14: `"` raster attributes, `#` colours in percent,
 * `!` repetition, `$` back to the left, `-` the next six rows, and each letter from `?` on six pixels, the lowest bit on top.
 */
export function drawSixels(text: string): Drawn {
  const body = /^\u001bP[\d;]*q"1;1;(\d+);(\d+)([^\u001b]*)\u001b\\$/.exec(text);
  if (!body) throw new Error("these are no sixels");
  const [width, height] = [Number(body[1]), Number(body[2])];
  const pixels = new Int16Array(width * height * 3).fill(-1);
  const colours = new Map<number, readonly number[]>();
  let [x, row, times] = [0, 0, 1];
  let colour: readonly number[] = [0, 0, 0];
  for (const [token] of body[3].matchAll(/#\d+(?:;2;\d+;\d+;\d+)?|!\d+|[?-~$-]/g)) {
    if (token.startsWith("#")) {
      const [register, , ...percents] = token.slice(1).split(";").map(Number);
      if (percents.length > 0)
        colours.set(
          register,
          percents.map((percent) => Math.round(percent * 2.55)),
        );
      colour = colours.get(register) ?? colour;
    } else if (token.startsWith("!")) times = Number(token.slice(1));
    else if (token === "$") x = 0;
    else if (token === "-") [x, row] = [0, row + 6];
    else {
      const bits = token.charCodeAt(0) - 63;
      for (; times > 0; times--, x++)
        for (let k = 0; k < 6; k++)
          if (bits & (1 << k) && row + k < height) pixels.set(colour, ((row + k) * width + x) * 3);
      times = 1;
    }
  }
  const at = (px: number, py: number) => {
    const k = (py * width + px) * 3;
    return [pixels[k], pixels[k + 1], pixels[k + 2]] as const;
  };
  return { width, height, colours: colours.size, at };
}
