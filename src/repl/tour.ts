import { type Bench, runOne, type Sinks } from "./lines.ts";

/** A short tour on sample data: what a newcomer would type first. */
export const tour: readonly { readonly say: string; readonly cell: string }[] = [
  {
    say: "Read a table. Each call is one block, and shows what it did.",
    cell: 'await session.input("sample:penguins")',
  },
  { say: "Look at it.", cell: 'await session.scatter("flipper_length_mm", "body_mass_g", { color: "species" })' },
  {
    say: "Say what to predict, and set test rows aside before anything is learnt.",
    cell: 'await session.xy({ y: "species" }).split({ test_size: 0.2, random_state: 42 })',
  },
  {
    say: "Fill and encode: fitted on training rows alone.",
    cell: 'await session.missing("mean").missing("mode").encode({ columns: ["island", "sex"] })',
  },
  {
    say: "Train a forest, and judge it on rows it has never seen.",
    cell: "await session.forestClassifier().metrics()",
  },
];

/** Runs the tour, printing each line before its result; answers the exit status. */
export async function runTour(bench: Bench, sinks: Sinks): Promise<number> {
  for (const { say, cell } of tour) {
    sinks.out(`\n// ${say}\n> ${cell}\n`);
    if (!(await runOne(cell, bench, sinks))) return 1;
  }
  sinks.out("\nIn a terminal, npm start opens the prompt: type help() there.\n");
  return 0;
}
