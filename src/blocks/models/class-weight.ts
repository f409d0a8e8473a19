import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import type { ClassColumn } from "../../core/matrix.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";

/** "balanced", or a weight for each class by its label; classes that aren't named weigh 1. */
export function classWeight() {
  return z.union([z.literal("balanced"), z.record(z.string(), z.number().min(0))]);
}

/**
 * The weight of every row that a class weight means; undefined when there is none.
 *
 * "balanced" weighs a class n / (classes · its rows), as scikit-learn's compute_class_weight.
 */
export function rowWeights(
  wanted: "balanced" | Readonly<Record<string, number>> | undefined,
  { labels, codes }: ClassColumn,
  who: string,
): Float64Array | undefined {
  if (wanted === undefined) return undefined;
  const counts = new Array<number>(labels.length).fill(0);
  for (const code of codes) counts[code]++;
  const weights = classWeights(wanted, labels, counts, who) as readonly number[];
  return Float64Array.from(codes, (code) => weights[code]);
}

/** The weight of each class, by how many rows each has; undefined when there is none. */
export function classWeights(
  wanted: Parameters<typeof rowWeights>[0],
  labels: ClassColumn["labels"],
  counts: readonly number[],
  who: string,
): readonly number[] | undefined {
  if (wanted === undefined) return undefined;
  const weights = wanted === "balanced" ? balanced(counts) : named(wanted, labels.map(String), who);
  if (counts.every((rows, k) => rows === 0 || weights[k] === 0)) {
    throw new ArgsError(`${who}: class_weight leaves no row with a weight above 0.`, {
      path: "class_weight",
      got: wanted,
    });
  }
  return weights;
}

function balanced(counts: readonly number[]): number[] {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => rows / (counts.length * count));
}

function named(wanted: Readonly<Record<string, number>>, labels: readonly string[], who: string): number[] {
  const unknown = Object.keys(wanted).find((label) => !labels.includes(label));
  if (unknown !== undefined) {
    throw new ArgsError(
      `${who}: class_weight names ${quoted(unknown)}, which is not a class.${didYouMean(unknown, labels)} Classes: ${listed(labels)}.`,
      { path: "class_weight", got: unknown, expected: labels.slice(0, 50) },
    );
  }
  return labels.map((label) => (Object.hasOwn(wanted, label) ? wanted[label] : 1));
}
