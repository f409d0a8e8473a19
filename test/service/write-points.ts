/** What a running service writes with, by module; faults.ts dies or fails at each, and faults.slow.ts looks for others. */
export const writePoints = {
  "node:fs/promises": ["rename", "rm", "open", "writeFile", "copyFile"],
  "node:fs": ["createWriteStream"],
  "node:sqlite": ["exec", "run"],
} as const;

/** The statements of the table engine that write what lasts. */
export const writingSql = /^\s*COPY\b/i;
