import { hyperparameters } from "../../blocks/deep/networks.ts";
import { named, placeOf, rowsOf } from "./clusters.ts";
import { callLines, definePut, listLines, literal, NoEquivalent, type PythonStep, seen } from "./script.ts";

/** Says what a machine will be like; it is made where it is trained. */
export function rbm({ args, script }: PythonStep): string[] {
  script.built.set("rbm", args);
  return ["# It is made where it is trained."];
}

/** Trains a restricted Boltzmann machine: scikit-learn's, by the same draws as here. */
export function rbmTrain({ args, before, record, script }: PythonStep): string[] {
  const [name] = Object.keys(JSON.parse(record.output ?? "{}") as object);
  const { epochs, ...others } = args;
  const how = hyperparameters(script.built.get("rbm") ?? {}, others, { n_iter: epochs });
  const given = ["n_components", "learning_rate", "batch_size", "n_iter", "random_state"];
  const words = given.map((each) => `${each}=${literal(how[each])}`);
  script.lastTrained.set("rbm", name);
  script.features.set(name, before.x ?? []);
  const place = named(script, name);
  return [
    ...callLines(`${place} = ${script.from("sklearn.neural_network", "BernoulliRBM")}`, words),
    `${place}.fit(${seen(before, "x")})`,
  ];
}

/** Hidden activations of all rows, in the place of the features that a machine learnt from. */
export function rbmPredict(step: PythonStep): string[] {
  const { args, before, after, script } = step;
  const { machine, features } = lastMachine(step);
  const { subset } = rowsOf(step, args.test_data);
  const others = before.columns.map(({ name }) => name).filter((name) => !features.includes(name));
  const made = after.columns.map(({ name }) => name).filter((name) => !others.includes(name));
  const isPlain = made.every((name, k) => name === `h${k + 1}`) && made.length > 2;
  const isAll = before.x?.every((name) => features.includes(name)) ?? false;
  return [
    `names = list(${machine}.feature_names_in_)`,
    ...(isPlain ? [`made = [f"h{k}" for k in range(1, ${made.length + 1})]`] : listLines("made = ", made.map(literal))),
    `made = pd.DataFrame(${machine}.transform(df[names]), index=df.index, columns=made)`,
    ...(features.length > 1 ? ["df = df.drop(columns=names[1:])"] : []),
    `df = ${definePut(script)}(df, names[0], made)`,
    ...(isAll ? ["x = list(made.columns)"] : []),
    `y_pred = made${subset ? `.loc[${subset}]` : ""}`,
    "print(y_pred[:10])",
  ];
}

/** The pseudo-likelihood of rows, printed as one line of JSON. */
export function rbmEvaluate(step: PythonStep): string[] {
  const { args, before, script } = step;
  script.use("import json");
  script.use("import numpy as np");
  const { machine } = lastMachine(step);
  const { rows, on } = rowsOf(step, args.test_data ?? (before.split ? "x_test_url" : "x_value_url"));
  return [
    `judged = ${rows}[${machine}.feature_names_in_]`,
    "scores = {",
    `    "pseudo_likelihood": float(${machine}.score_samples(judged).mean()),`,
    '    "chance": -float(judged.shape[1] * np.log(2)),',
    `    "n": len(judged),`,
    `    "on": ${literal(on)},`,
    "}",
    "print(json.dumps(scores))",
  ];
}

/** The machine that is named, else the last one, and what it learnt from. */
function lastMachine({ args, script }: PythonStep) {
  const name = String(args.model_name ?? script.lastTrained.get("rbm"));
  const features = script.features.get(name);
  if (!features) throw new NoEquivalent("its machine is left out");
  return { machine: placeOf(name), features };
}
