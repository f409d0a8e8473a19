/** More rows than this are no picture for a terminal. */
const mostRows = 4_096;

/** The encoder writes four columns at a time, and would fill up what is missing. */
const columnStep = 4;

/**
 * A PNG as sixels: the escape codes that draw it, `width` pixels wide or a little less, in 256 colours.
 *
 * What is transparent becomes white, as charts expect of the paper they are on. The colours are chosen by sharp's
 * quantizer, which comes closer than the encoder's own. The format: DEC, VT330/VT340 Programmer Reference Manual,
 * volume 2, chapter 14.
 */
export async function toSixel(png: Uint8Array, width: number): Promise<string> {
  const [{ default: sharp }, { FINALIZER, introducer, sixelEncode }] = await Promise.all([
    import("sharp"),
    import("sixel"),
  ]);
  const columns = Math.max(columnStep, Math.floor(width / columnStep) * columnStep);
  const fitted = await sharp(png)
    .flatten({ background: "white" })
    .resize({ width: columns, height: mostRows, fit: "inside" })
    .toBuffer({ resolveWithObject: true });
  // A picture that is too high has become narrower, by any number of columns.
  const missing = (columnStep - (fitted.info.width % columnStep)) % columnStep;
  const painted = await sharp(fitted.data)
    .extend({ right: missing, background: "white" })
    .png({ palette: true, colours: 256, dither: 0 })
    .toBuffer();
  const { data, info } = await sharp(painted).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const colours = new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4));
  return `${introducer(1)}${sixelEncode(data, info.width, info.height, [...colours])}${FINALIZER}`;
}
