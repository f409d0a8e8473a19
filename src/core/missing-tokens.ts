/** Texts that stand for a missing cell where a file, or a column of numbers, has no other form for one. */
export const missingTokens: readonly string[] = ["", "NA", "N/A", "NaN", "null", "NULL", "None", "#N/A"];
