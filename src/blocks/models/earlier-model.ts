import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { listed, quoted } from "../../core/names.ts";
import { noticeSeenRows, refuseOtherPreparation } from "./at-hand.ts";
import type { Predictor } from "./model-types.ts";
import type { Data } from "./training-rows.ts";

/**
 * The model of that name, as one whose training can go on with these rows.
 *
 * It must be of the same kind, task and features, learn the same target, and know the same classes and categories.
 */
export async function earlierModel(
  predictor: Predictor,
  name: string,
  frame: Frame,
  data: Data,
  task: string,
  context: BlockContext,
  who: string,
): Promise<ModelFile> {
  const { file } = await context.model(name);
  if (file.function_code !== predictor.code) {
    throw new ArgsError(
      `${who}: warm_start names ${quoted(name)}, which ${file.helper} (${file.function_code}) made. Name a model of ${predictor.name}.`,
      { path: "warm_start", got: file.function_code, expected: predictor.code },
    );
  }
  const refuse = (what: string, here: readonly unknown[], there: readonly unknown[]): void => {
    if (JSON.stringify(here) === JSON.stringify(there)) return;
    throw new DataError(
      `${who}: model ${quoted(name)} was trained with other ${what} (${listed(there.map(String))}) than there are here (${listed(here.map(String))}), so it can't go on.`,
      { path: "warm_start", got: here.slice(0, 50).map(String), expected: there.slice(0, 50).map(String) },
    );
  };
  const features = file.features.map((each) => each.name);
  const categories = "categories" in data ? (data.categories ?? {}) : {};
  refuse("features", data.x.names, features);
  refuse(
    "targets",
    frame.y ?? [],
    file.targets.map((each) => each.name),
  );
  refuse("tasks", [task], [file.task]);
  refuse("classes", data.classes.labels, file.classes ?? []);
  for (const feature of features) {
    refuse(`categories of ${quoted(feature)}`, categories[feature] ?? [], file.categories?.[feature] ?? []);
  }
  refuseOtherPreparation(frame, file, context, who);
  await noticeSeenRows(frame, file, frame.split ? "test" : "all", context, who);
  return file;
}
