import sharp from "sharp";

/** A PNG of one colour. */
export async function plainPng(width: number, height: number, colour: string): Promise<Buffer> {
  return await sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
}

/** A PNG of these grey values, row by row. */
export async function greyPng(rows: readonly (readonly number[])[]): Promise<Buffer> {
  const raw = { width: rows[0].length, height: rows.length, channels: 1 } as const;
  return await sharp(Buffer.from(rows.flat()), { raw }).png().toBuffer();
}

/** The header of a PNG that claims a size; its pixels never come. */
export function pngClaiming(png: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt32BE(width, 16);
  copy.writeUInt32BE(height, 20);
  return copy;
}
