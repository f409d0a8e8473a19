import { byCode, validateArgs } from "../../registry/index.ts";
import { model, modelCodes } from "./models.ts";
import { NoEquivalent, type PythonWriter } from "./script.ts";

/** Trains the best that a search found, which is a model of the kind that it searched. */
export const search: PythonWriter = (step) => {
  const { block, args, record } = step;
  const name = String(args.model_name ?? block.name);
  const output = JSON.parse(record.output ?? "{}") as Record<string, { readonly function_code: string }>;
  const searched = byCode(output[name].function_code);
  if (!modelCodes.includes(searched.code)) throw new NoEquivalent(`scikit-learn has no model as ${searched.name}`);
  const own = validateArgs(searched, args.fixed ?? {});
  return model({ ...step, block: searched, args: { ...own, model_name: name } });
};
