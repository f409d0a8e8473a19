import { ArgsError } from "../../core/errors.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";
import { allTrainers, type Trainer, whyUnsearched } from "../models/models.ts";

/** The kind of model that a helper's name or a function code means. */
export function trainerOf(model: string, who: string): Trainer {
  const all = allTrainers();
  const found = all.find(({ code, codes, name }) => [code, ...codes, name].includes(model));
  if (found) return found;
  const why = whyUnsearched(model);
  if (why)
    throw new ArgsError(`${who}: ${quoted(model)} can't be searched for: ${why}.`, { path: "model", got: model });
  const names = all.map(({ name }) => name);
  throw new ArgsError(
    `${who}: there is no model ${quoted(model)} to search.${didYouMean(model, names)} Models: ${listed(names, 30)}.`,
    { path: "model", got: model.slice(0, 80), expected: names },
  );
}

/** Arguments that models take for a search of their own, which stand beside those of the model here. */
const ofSearches = ["model_name", "cv", "grid", "scoring", "max_fits"];

/** Refuses what belongs to the search among the arguments of the model. */
export function refuseSearchArgs(
  path: "fixed" | "space",
  names: readonly string[],
  { name }: Trainer,
  who: string,
): void {
  const taken = names.find((each) => ofSearches.includes(each));
  if (taken === undefined) return;
  throw new ArgsError(`${who}: ${taken} stands beside ${path}, not in it, which is for the arguments of ${name}.`, {
    path: `${path}.${taken}`,
    got: taken,
  });
}
