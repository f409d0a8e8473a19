import { readFileSync } from "node:fs";

/**
 * 1,797 handwritten digits of 8 × 8 pixels, 0 to 16, with the digit behind them.
 *
 * Optical Recognition of Handwritten Digits by E. Alpaydin and C. Kaynak, UCI Machine Learning Repository (CC BY 4.0),
 * its test part; sample:digits.
 */
export const digits = readFileSync(new URL("../../../samples/digits.csv", import.meta.url), "utf8");

/** The digits, and each moved by a pixel to either side: nudge_dataset() of scikit-learn's example. */
export function nudged(): string {
  const [header, ...lines] = digits.trim().split("\n");
  const rows = lines.map((line) => line.split(","));
  const moves = [
    [0, 0],
    [0, 1],
    [0, -1],
    [1, 0],
    [-1, 0],
  ];
  const moved = moves.flatMap(([down, right]) =>
    rows.map((row) => {
      const pixels = Array.from({ length: 64 }, (_, k) => {
        const [i, j] = [Math.floor(k / 8) + down, (k % 8) + right];
        return i < 0 || j < 0 || i > 7 || j > 7 ? "0" : row[8 * i + j];
      });
      return [...pixels, row[64]].join(",");
    }),
  );
  return [header, ...moved].join("\n");
}
