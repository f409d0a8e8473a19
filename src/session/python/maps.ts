import { clusterFeatures } from "../../blocks/cluster/clustering.ts";
import { hyperparameters } from "../../blocks/deep/networks.ts";
import { somArgs } from "../../blocks/deep/som-model.ts";
import { named, placeOf, rowsOf } from "./clusters.ts";
import { callLines, literal, NoEquivalent, type PythonStep, seen } from "./script.ts";

/** Says what a map will be like; it is made where it is trained. */
export function som({ args, script }: PythonStep): string[] {
  script.built.set("som", args);
  return ["# It is made where it is trained."];
}

/** Trains a self-organizing map, by the same draws as here. */
export function somTrain({ args, before, record, script }: PythonStep): string[] {
  const [name] = Object.keys(JSON.parse(record.output ?? "{}") as object);
  const how = somArgs(hyperparameters(script.built.get("som") ?? {}, args));
  const { x, y, topology, sigma, learning_rate, epochs, random_state } = how;
  const given = { topology, sigma, learning_rate, epochs, random_state };
  const words = Object.entries(given).map(([key, value]) => `${key}=${literal(value)}`);
  script.lastTrained.set("som", name);
  script.use("import numpy as np");
  const place = named(script, name);
  const features = literal([...clusterFeatures(before)]);
  return [
    ...callLines(`${place} = ${script.define("Som", map)}`, [String(x), String(y), ...words]),
    `${place}.fit(${seen(before, features)})`,
  ];
}

/** The places of rows on a map: as columns of all, and with distances of those that are asked for. */
export function somPredict(step: PythonStep): string[] {
  const { args, before, after } = step;
  const name = lastMap(step);
  const { rows } = rowsOf(step, args.test_data);
  const features = `${name}.feature_names_in_`;
  const places = after.columns.slice(before.columns.length).map((column) => column.name);
  const row = args.row === undefined ? "" : `.iloc[[${literal(args.row)}]]`;
  return [
    `y_pred = ${name}.predict(${rows}[${features}]${row})`,
    `df[${literal(places)}] = ${name}.predict(df[${features}])[["som_x", "som_y"]]`,
    "print(y_pred[:10])",
  ];
}

/** How well a map lies among rows, printed as one line of JSON. */
export function somEvaluate(step: PythonStep): string[] {
  const { args, before, script } = step;
  script.use("import json");
  const name = lastMap(step);
  const { rows, on } = rowsOf(step, args.test_data ?? (before.split ? "x_test_url" : "x_value_url"));
  return [
    `scores = ${name}.judge(${rows}[${name}.feature_names_in_])`,
    `scores |= {"n": len(${rows}), "on": ${literal(on)}}`,
    "print(json.dumps(scores))",
  ];
}

function lastMap({ args, script }: PythonStep): string {
  const name = args.model_name ?? script.lastTrained.get("som");
  if (!script.trained.has(String(name))) throw new NoEquivalent("its map is left out");
  return placeOf(name);
}

const map = `class Som:
    """A self-organizing map: each row draws the unit nearest to it and those around, less and less far (Kohonen 2001)."""

    def __init__(self, x, y, topology, sigma, learning_rate, epochs, random_state):
        self.sigma, self.learning_rate, self.epochs, self.random_state = sigma, learning_rate, epochs, random_state
        self.units = np.array([(column, row) for column in range(x) for row in range(y)])
        self.places, self.beside = self.units.astype(float), 2.1
        if topology == "hexagonal":
            # A honeycomb, whose odd rows are half a unit further.
            self.places += self.units[:, [1]] % 2 * [0.5, 0]
            self.places[:, 1] *= np.sqrt(3) / 2
            self.beside = 1.1

    def fit(self, features):
        self.feature_names_in_ = features.columns
        rows = features.to_numpy(float)
        random = np.random.RandomState(self.random_state)
        self.weights = rows[random.randint(0, len(rows), len(self.units))]
        order = np.arange(len(rows))
        steps = self.epochs * len(rows)
        for epoch in range(self.epochs):
            random.shuffle(order)
            for t, row in enumerate(rows[order], epoch * len(rows)):
                fall = 1 / (1 + 2 * t / steps)
                best = ((row - self.weights) ** 2).sum(axis=1).argmin()
                squares = ((self.places - self.places[best]) ** 2).sum(axis=1)
                near = np.exp(-squares / (2 * (self.sigma * fall) ** 2))
                self.weights += self.learning_rate * fall * near[:, None] * (row - self.weights)
        return self

    def nearest(self, features):
        """Of each row the unit nearest to it and the second one, and how far the first is."""
        found = []
        for row in features.to_numpy(float):
            squares = ((row - self.weights) ** 2).sum(axis=1)
            order = squares.argsort(kind="stable")
            found.append((order[0], order[:2][-1], np.sqrt(squares[order[0]])))
        first, second, distance = map(np.array, zip(*found))
        return first, second, distance

    def predict(self, features):
        first, _, distance = self.nearest(features)
        made = pd.DataFrame(self.units[first], columns=["som_x", "som_y"], index=features.index)
        return made.assign(distance=distance)

    def judge(self, features):
        """The mean distance of rows from their units, and of how many the second nearest unit does not lie beside."""
        first, second, distance = self.nearest(features)
        squares = ((self.places[first] - self.places[second]) ** 2).sum(axis=1)
        return {
            "quantization_error": float(distance.mean()),
            "topographic_error": float((squares > self.beside).mean()),
        }`;
