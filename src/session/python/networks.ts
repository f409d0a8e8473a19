import { shapeOf, stackOf } from "../../blocks/deep/ann-layers.ts";
import { type AnnArgs, annArgs, annTraining, lossOf, optimizerOf } from "../../blocks/deep/ann-model.ts";
import { metrics, predict } from "./judge.ts";
import { keep } from "./models.ts";
import { callLines, literal, type PythonStep, type Script, seen, target } from "./script.ts";

type Activation = ReturnType<typeof shapeOf>["activations"][number];
type Loss = ReturnType<typeof lossOf>;
type Optimizer = ReturnType<typeof optimizerOf>;

const who = "ann (DL_ANN_S_I)";

/** Says what a network will be made of; it is made where it is trained. */
export function ann({ args, script }: PythonStep): string[] {
  script.built.set("ann", args);
  return ["# It is made where it is trained."];
}

/** Trains a network of fully joined layers, by the same draws as here. */
export function annTrain(step: PythonStep): string[] {
  const { args, record, script } = step;
  const [name] = Object.keys(JSON.parse(record.output ?? "{}") as object);
  const { how } = annTraining(script.built.get("ann") ?? {}, args);
  const left = args.cv === undefined ? [] : ["# The cross-validation is left out; the network is the same."];
  return [...left, ...networkLines(name, how, step)];
}

/** Trains the best network that a search found. */
export function annSearched(name: string, given: object, step: PythonStep): string[] {
  return [
    "# The search refits every step for each fold; here is the best of its combinations.",
    ...networkLines(name, annArgs(given), step),
  ];
}

/** A prediction of the network that is named, else of the last one. */
export function annPredict(step: PythonStep): string[] {
  return predict(ofLast(step));
}

/** The metrics of the network that is named, else of the last one. */
export function annEvaluate(step: PythonStep): string[] {
  return metrics(ofLast(step));
}

function ofLast(step: PythonStep): PythonStep {
  const last = step.script.lastTrained.get("ann");
  return { ...step, args: { ...step.args, model_name: step.args.model_name ?? last } };
}

function networkLines(name: string, how: AnnArgs, step: PythonStep): string[] {
  const { before, found, script } = step;
  const { classes } = found as { readonly classes: number };
  const { activations, sizes, dropout } = shapeOf(stackOf(how.layer_list, who), before.x?.length ?? 0, classes, who);
  const layers = activations.map((activation, k) => {
    const share = dropout[k + 1] > 0 ? [shareText(dropout[k + 1])] : [];
    return `(${[sizes[k + 1], defineActivation(activation, script), ...share].join(", ")})`;
  });
  const { epochs, batch_size, validation_split, patience, random_state } = how;
  const given = [
    `[${layers.join(", ")}]`,
    defineLoss(lossOf(how.loss, classes, who), sizes[sizes.length - 1], script),
    defineOptimizer(optimizerOf(how), script),
    `epochs=${epochs}`,
    `batch_size=${batch_size}`,
    ...(validation_split > 0 ? [`validation_split=${literal(validation_split)}`] : []),
    ...(patience === undefined ? [] : [`patience=${patience}`]),
    ...(dropout[0] > 0 ? [`dropout=${shareText(dropout[0])}`] : []),
    `random_state=${random_state}`,
  ];
  keep(name, script);
  script.lastTrained.set("ann", name);
  script.use("import numpy as np");
  script.define("Network", network);
  const kind = classes > 0 ? script.define("NetworkOfClasses", networkOfClasses) : "Network";
  const place = `models[${literal(name)}]`;
  return [...callLines(`${place} = ${kind}`, given), `${place}.fit(${seen(before, "x")}, ${target(step)})`];
}

/** A share as a person writes it, without the rounding of one less what is left. */
function shareText(share: number): string {
  return String(Number(share.toPrecision(15)));
}

/** What each activation makes of z, and its slope there. */
const activationLines: Readonly<Record<Activation, readonly string[]>> = {
  identity: ["return z, np.ones_like(z)"],
  logistic: ["made = (1 + np.tanh(z / 2)) / 2", "return made, made * (1 - made)"],
  tanh: ["made = np.tanh(z)", "return made, 1 - made**2"],
  relu: ["return np.maximum(z, 0), np.where(z > 0, 1.0, 0.0)"],
  leaky_relu: ["return np.where(z < 0, 0.2 * z, z), np.where(z < 0, 0.2, 1.0)"],
  elu: ["made = np.where(z < 0, np.expm1(np.minimum(z, 0)), z)", "return made, np.where(z < 0, made + 1, 1.0)"],
  selu: [
    "scale, alpha = 1.0507009873554805, 1.6732632423543772",
    "made = scale * np.where(z < 0, alpha * np.expm1(np.minimum(z, 0)), z)",
    "return made, np.where(z < 0, made + scale * alpha, scale)",
  ],
  softplus: ["made = np.logaddexp(0, z)", "return made, -np.expm1(-made)"],
  softsign: ["made = z / (1 + np.abs(z))", "return made, (1 - np.abs(made)) ** 2"],
  softmax: [
    "made = np.exp(z - z.max(axis=1, keepdims=True))",
    "# The loss of classes has its slope already.",
    "return made / made.sum(axis=1, keepdims=True), np.ones_like(z)",
  ],
};

function defineActivation(name: Activation, script: Script): string {
  const lines = ['"""What units make of what they receive, and its slope."""', ...activationLines[name]];
  return script.define(name, `def ${name}(z):\n${lines.map((line) => `    ${line}`).join("\n")}`);
}

/** The mean loss of rows, and its slope by what the last units received. */
function defineLoss(loss: Loss, outputs: number, script: Script): string {
  if (loss === "log") {
    return outputs === 1
      ? defined("binary_cross_entropy", ["told = np.where(truth == 1, made, 1 - made)", ...logLoss])
      : defined("cross_entropy", ["told = (made * truth).sum(axis=1)", ...logLoss]);
  }
  const [name, lines] = lossLines[loss];
  return defined(name, ["off = made - truth", ...lines]);

  function defined(own: string, body: readonly string[]): string {
    const all = ['"""The mean loss of rows, and its slope by what the last units received."""', ...body];
    return script.define(own, `def ${own}(made, slope, truth):\n${all.map((line) => `    ${line}`).join("\n")}`);
  }
}

const logLoss = [
  "least = np.finfo(float).eps",
  "return -np.log(told.clip(least, 1 - least)).mean(), (made - truth) / len(truth)",
];

const lossLines: Readonly<Record<Exclude<Loss, "log">, readonly [name: string, lines: readonly string[]]>> = {
  squares: ["squares", ["return (off**2).mean(), 2 * off * slope / len(truth)"]],
  half_squares: ["half_squares", ["return (off**2).mean() / 2, off * slope / len(truth)"]],
  absolute: ["absolute", ["return np.abs(off).mean(), np.sign(off) * slope / len(truth)"]],
  huber: [
    "huber",
    [
      "loss = np.where(np.abs(off) > 1, np.abs(off) - 0.5, off**2 / 2)",
      "return loss.mean(), off.clip(-1, 1) * slope / len(truth)",
    ],
  ],
};

function defineOptimizer(optimizer: Optimizer, script: Script): string {
  const { kind, rate } = optimizer;
  script.define(kind, optimizers[kind]);
  return `lambda: ${kind}(${kind === "sgd" ? `${rate}, ${optimizer.momentum}` : rate})`;
}

const optimizers: Readonly<Record<Optimizer["kind"], string>> = {
  adam: `def adam(rate):
    """How far weights go: by the mean of their slopes over the root of the mean of squares (Kingma and Ba 2015)."""
    first, second, t = 0, 0, 0

    def step(slopes):
        nonlocal first, second, t
        t += 1
        first = 0.9 * first + (1 - 0.9) * slopes
        second = 0.999 * second + (1 - 0.999) * slopes**2
        return rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * first / (np.sqrt(second) + 1e-7)

    return step`,
  sgd: `def sgd(rate, momentum):
    """How far weights go: by their slopes, and on as they went before."""
    speed = 0

    def step(slopes):
        nonlocal speed
        speed = momentum * speed + rate * slopes
        return speed

    return step`,
  rmsprop: `def rmsprop(rate):
    """How far weights go: by their slopes over the root of the mean of squares (Tieleman and Hinton 2012)."""
    second = 0

    def step(slopes):
        nonlocal second
        second = 0.9 * second + (1 - 0.9) * slopes**2
        return rate * slopes / np.sqrt(second + 1e-7)

    return step`,
};

const network = `class Network:
    """Fully joined layers: units, what these make of what they receive, and the share of them that a step leaves out."""

    def __init__(
        self, layers, loss, step, epochs, batch_size, validation_split=0, patience=None, dropout=0, random_state=0
    ):
        self.layers = [(*layer, 0)[:3] for layer in layers]
        self.shares = [dropout] + [share for _, _, share in self.layers]
        self.loss, self.step, self.epochs, self.batch_size = loss, step, epochs, batch_size
        self.validation_split, self.patience, self.random_state = validation_split, patience, random_state

    def fit(self, features, truth):
        x, y = features.to_numpy(float), self.wanted(truth)
        random = np.random.RandomState(self.random_state)
        order = random.permutation(len(x))
        share = self.validation_split
        n = max(1, min(len(x) - 1, int(len(x) * share + 0.5))) if share > 0 and len(x) > 1 else 0
        held, rows = order[:n], order[n:]
        sizes = [x.shape[1]] + [units for units, _, _ in self.layers]
        self.weights = []
        for shape in zip(sizes, sizes[1:]):
            most = np.sqrt(6 / sum(shape))
            self.weights.append(random.uniform(-most, most, shape))
        self.biases = [np.zeros(units) for units in sizes[1:]]
        parameters = self.weights + self.biases
        steps = [self.step() for _ in parameters]
        self.losses, best, epoch_kept, kept = [], np.inf, 0, None
        for epoch in range(1, self.epochs + 1):
            random.shuffle(rows)
            total = 0
            for part in np.split(rows, range(self.batch_size, len(rows), self.batch_size)):
                loss, slopes = self.slopes(x[part], y[part], random)
                total += loss * len(part)
                for each, step, own in zip(parameters, steps, slopes):
                    each -= step(own)
            now = self.loss(*self.values(x[held])[-1], y[held])[0] if n > 0 else total / len(rows)
            self.losses.append(now)
            if self.patience is None:
                continue
            if now < best:
                best, epoch_kept, kept = now, epoch, [each.copy() for each in parameters]
            elif epoch - epoch_kept >= self.patience:
                break
        if kept is not None:
            self.weights, self.biases = kept[: len(self.layers)], kept[len(self.layers) :]
        return self

    def wanted(self, truth):
        return truth.to_numpy(float).reshape(-1, 1)

    def values(self, rows, random=None):
        """Of each layer, the features first, its values and their slopes; with random, units are left out."""
        made = [(rows, np.ones_like(rows))]
        for k, share in enumerate(self.shares):
            if k > 0:
                made.append(self.layers[k - 1][1](made[-1][0] @ self.weights[k - 1] + self.biases[k - 1]))
            if random is not None and share > 0:
                mask = (random.random_sample(made[-1][0].shape) >= share) / (1 - share)
                made[-1] = tuple(each * mask for each in made[-1])
        return made

    def slopes(self, rows, truth, random):
        """The mean loss of rows, and its slopes by all weights and biases."""
        made = self.values(rows, random)
        loss, error = self.loss(*made[-1], truth)
        weights, biases = [], []
        for k in reversed(range(len(self.layers))):
            weights.insert(0, made[k][0].T @ error)
            biases.insert(0, error.sum(axis=0))
            error = error @ self.weights[k].T * made[k][1]
        return loss, weights + biases

    def predict(self, features):
        return self.values(features.to_numpy(float))[-1][0][:, 0]`;

const networkOfClasses = `class NetworkOfClasses(Network):
    """A network that answers how likely classes are: by a unit for each, or of two by one for the second."""

    def wanted(self, truth):
        self.classes_, codes = np.unique(truth.to_numpy(), return_inverse=True)
        return codes.reshape(-1, 1) if self.layers[-1][0] == 1 else np.eye(len(self.classes_))[codes]

    def predict_proba(self, features):
        shares = self.values(features.to_numpy(float))[-1][0]
        return np.hstack([1 - shares, shares]) if shares.shape[1] == 1 else shares

    def predict(self, features):
        return self.classes_[self.predict_proba(features).argmax(axis=1)]`;
