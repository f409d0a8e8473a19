import { annCode } from "../../blocks/deep/ann-model.ts";
import { byCode, validateArgs } from "../../registry/index.ts";
import { model, modelCodes } from "./models.ts";
import { annSearched } from "./networks.ts";
import { NoEquivalent, type PythonWriter } from "./script.ts";

/** What a search's output says of its model. */
interface Searched {
  readonly function_code: string;
  readonly grid?: { readonly best?: object };
}

/** Trains the best that a search found, which is a model of the kind that it searched. */
export const search: PythonWriter = (step) => {
  const { block, args, record } = step;
  const name = String(args.model_name ?? block.name);
  const output = JSON.parse(record.output ?? "{}") as Record<string, Searched>;
  const { function_code, grid } = output[name];
  const searched = byCode(function_code);
  if (searched.code === annCode) return annSearched(name, { ...(args.fixed ?? {}), ...grid?.best }, step);
  if (!modelCodes.includes(searched.code)) throw new NoEquivalent(`scikit-learn has no model as ${searched.name}`);
  const own = validateArgs(searched, args.fixed ?? {});
  return model({ ...step, block: searched, args: { ...own, model_name: name } });
};
