import { NoEquivalent, type PythonStep } from "./script.ts";

/** How many rows that are learnt from each target has. */
export async function rowsByTarget({
  everyTarget,
}: Pick<PythonStep, "everyTarget">): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const cells of everyTarget()) {
    for (const cell of cells) counts.set(String(cell), (counts.get(String(cell)) ?? 0) + 1);
  }
  return counts;
}

/** Where rows are held out to end early, scikit-learn wants two of them, and of classes whose shares it keeps one of each. */
export async function refuseFewHeldOut(step: PythonStep, task: string): Promise<void> {
  const { block, args } = step;
  if (args.early_stopping !== true) return;
  const counts = await rowsByTarget(step);
  const rows = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const held = Math.ceil(Number(args.validation_fraction) * rows);
  const isNetwork = block.code === "BL_MLP";
  const isEven = task === "classification" && (!isNetwork || counts.size === 2);
  const isFew = isEven && (Math.min(held, rows - held) < counts.size || [...counts.values()].some((each) => each < 2));
  if (isFew) throw new NoEquivalent("scikit-learn holds out rows of each class, and there are too few");
  if (isNetwork && held < 2) throw new NoEquivalent("scikit-learn holds out two rows at least");
}
