/** The sections of a document that have code, each with its lines in order. */
export function sectionsOf(text: string): { title: string; lines: string[] }[];

/** Runs all of a document's code; answers a sentence for each section that fails, with the line. */
export function failingLines(
  path: string,
  text: string,
  workshop: { fresh(): Promise<void>; runAll(code: string, names: object): Promise<void> },
): Promise<string[]>;
