import type { Link } from "../../support/lab.ts";

/**
 * Rows for classifiers that are often wrong, and the chain that trains naiveBayes on all of them.
 *
 * Reference values in the tests beside this file are those of scikit-learn 1.9.1 for these rows: kind is "yes" where
 * age + 4·size + noise > 65, else "no" below 40 and "maybe" above; of two classes "maybe" is "no". The model is
 * GaussianNB().fit(df[["age", "size"]], df.kind), asked for the same rows.
 */
export function rowsOf(classes: 2 | 3): string {
  const rows = Array.from({ length: 90 }, (_, k) => {
    const [age, size, noise] = [(k * 37) % 61, ((k * 53) % 29) / 7, (k * 29) % 31];
    const kind = age + 4 * size + noise > 65 ? "yes" : age < 40 || classes === 2 ? "no" : "maybe";
    return `${age},${size},${kind}`;
  });
  return `age,size,kind\n${rows.join("\n")}\n`;
}

export const trained: readonly Link[] = [["xy", { y: "kind" }], ["naiveBayes"]];
