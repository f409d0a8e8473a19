/** Hundredths of the size of letters that each character from the blank to "~" takes in DejaVu Sans. */
const widths = [
  32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
  84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61,
  69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59,
  82, 59, 59, 52, 64, 34, 64, 84,
];

/**
 * Pixels that a text of letters without serifs takes, by DejaVu Sans: the common fonts are as wide or narrower.
 *
 * Nothing is drawn here, so no font is asked; who draws the picture later may have another one.
 */
export function sansWidth(text: string, size: number, isBold = false): number {
  let hundredths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    // From the signs of Chinese on, a character is as wide as it is high.
    hundredths += widths[code - 32] ?? (code < 0x2e80 ? 70 : 104);
  }
  return (hundredths * size * (isBold ? 1.12 : 1)) / 100;
}
