import type { FoundMember } from "../../blocks/search/auto-view.ts";
import { column } from "../../core/frame.ts";
import { byName, validateArgs } from "../../registry/index.ts";
import { estimatorText, filledFeatures, keep, remarkOf } from "./models.ts";
import { literal, NoEquivalent, type PythonStep, type PythonWriter, type Script, seen, target } from "./script.ts";

/** What a search chose, as its explanation tells. */
interface Found {
  readonly task: "regression" | "classification";
  readonly members: readonly FoundMember[];
  readonly dropped: readonly string[];
}

/** Features by what must be done to them. */
interface Features {
  readonly numbers: readonly string[];
  readonly truths: readonly string[];
  readonly texts: readonly string[];
}

/** Trains the best that a search found: a model behind its preparation, or several that are weighed together. */
export const auto: PythonWriter = async (step) => {
  const { block, args, before, script } = step;
  const { task, members, dropped } = step.found as unknown as Found;
  const machine = members.find(({ model }) => model === "kernelSvm");
  if (members.length > 1 && machine) {
    throw new NoEquivalent(
      "its stack weighs the probabilities of a support vector machine, which come from draws of their own",
    );
  }
  const features = featuresOf(step);
  const made = members.map((member) => memberLines(member, { ...step, found: { task } }, features, dropped));
  const remarks = [...new Set(made.map(({ remark }) => remark))].filter((each) => typeof each === "string");
  const name = String(args.model_name ?? block.name);
  keep(name, script);
  const isRaw = members.some(({ model, preparation }) => model === "boost" && !preparation);
  const fit = `fit(${isRaw ? await filledFeatures(step) : seen(before, "x")}, ${target(step)})`;
  const isAlone = members.length === 1;
  return [
    `# The search refits every step for each fold and candidate; here is ${isAlone ? "the best" : "the stack, with the weights that rows held out gave it"}.`,
    ...remarks.map((remark) => `# ${remark[0].toUpperCase()}${remark.slice(1)}`),
    ...(isAlone
      ? [`models[${literal(name)}] = ${made[0].text}.${fit}`]
      : [
          `models[${literal(name)}] = ${defineStack(script)}([`,
          ...made.map(({ text }, k) => `    (${literal(members[k].weight)}, ${text}),`),
          `]).${fit}`,
        ]),
  ];
};

function featuresOf({ before }: PythonStep): Features {
  const all = (before.x ?? []).map((name) => column(before, name));
  const named = (types: readonly string[]) => all.filter(({ type }) => types.includes(type)).map(({ name }) => name);
  return { numbers: named(["number"]), truths: named(["boolean"]), texts: named(["string", "category"]) };
}

function memberLines(
  { model, args, preparation }: FoundMember,
  step: PythonStep,
  { numbers, truths, texts }: Features,
  dropped: readonly string[],
): { readonly text: string; readonly remark: string | null | undefined } {
  const { script } = step;
  const block = byName(model);
  if (!block) throw new NoEquivalent(`there is no ${model} any more`);
  const own = { ...step, block, args: validateArgs(block, args) };
  const parts: string[] = [];
  const kept = (names: readonly string[]) => names.filter((name) => !dropped.includes(name));
  if (truths.length > 0 || texts.length > 0) {
    script.use("import numpy as np");
    script.from("sklearn.preprocessing", "FunctionTransformer");
    script.define("plain", plain);
    parts.push(`FunctionTransformer(plain, kw_args=dict(truths=${literal(truths)}, texts=${literal(texts)}))`);
  }
  if (preparation) {
    script.from("sklearn.compose", "ColumnTransformer");
    script.from("sklearn.impute", "SimpleImputer");
    const common = 'SimpleImputer(strategy="most_frequent")';
    const columns = [
      part("numbers", `SimpleImputer(strategy=${literal(preparation.fill)})`, kept(numbers)),
      part("truths", common, kept(truths)),
      part("texts", kept(texts).length > 0 ? `${pipeline(script, [common, encoder(script)])}` : "", kept(texts)),
    ];
    parts.push(`ColumnTransformer([${columns.flat().join(", ")}])`);
    if (preparation.scaled) parts.push(`${script.from("sklearn.preprocessing", "StandardScaler")}()`);
  }
  parts.push(estimatorText(block.code, own.args, own));
  return { text: pipeline(script, parts), remark: remarkOf(own) };
}

function part(name: string, made: string, columns: readonly string[]): string[] {
  return columns.length > 0 ? [`(${literal(name)}, ${made}, ${literal(columns)})`] : [];
}

function encoder(script: Script): string {
  return `${script.from("sklearn.preprocessing", "OneHotEncoder")}(handle_unknown="ignore", sparse_output=False)`;
}

function pipeline(script: Script, parts: readonly string[]): string {
  return parts.length === 1 ? parts[0] : `${script.from("sklearn.pipeline", "make_pipeline")}(${parts.join(", ")})`;
}

const plain = `def plain(table, truths, texts):
    """Truths as 1 and 0, and NaN for what is missing, as scikit-learn takes it."""
    made = {name: table[name].map({True: 1.0, False: 0.0}).astype(float) for name in truths}
    made |= {name: table[name].astype(object).where(table[name].notna(), np.nan) for name in texts}
    return table.assign(**made)`;

function defineStack(script: Script): string {
  script.use("import numpy as np");
  return script.define(
    "Stack",
    `class Stack:
    """Models whose answers are weighed and added up; of classes the likeliest, of equals the first."""

    def __init__(self, members):
        self.members = members

    def fit(self, features, truth):
        for _, model in self.members:
            model.fit(features, truth)
        self.classes_ = getattr(self.members[0][1], "classes_", None)
        return self

    def predict_proba(self, features):
        return sum(weight * model.predict_proba(features) for weight, model in self.members)

    def predict(self, features):
        if self.classes_ is None:
            return sum(weight * model.predict(features) for weight, model in self.members)
        return self.classes_[np.argmax(self.predict_proba(features), axis=1)]`,
  );
}
