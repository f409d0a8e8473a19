import { ArgsError } from "../../core/errors.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";
import { allTrainers, type Trainer } from "../models/models.ts";

/** The kind of model that a helper's name or a function code means. */
export function trainerOf(model: string, who: string): Trainer {
  const all = allTrainers();
  const found = all.find(({ code, name }) => code === model || name === model);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw new ArgsError(
    `${who}: there is no model ${quoted(model)} to search.${didYouMean(model, names)} Models: ${listed(names, 30)}.`,
    { path: "model", got: model.slice(0, 80), expected: names },
  );
}
