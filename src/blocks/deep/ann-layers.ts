import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import { count, didYouMean, quoted } from "../../core/names.ts";
import type { Activation, Layers } from "../../numerics/networks/layers.ts";

/** Layers in one list; more are a mistake. */
const mostLayers = 100;
const mostUnits = 100_000;
/** More weights than this take minutes for each pass over a large table. */
const mostWeights = 20_000_000;

/** One layer: its units, or what it is. */
export const layerList = z
  .array(
    z.union([
      z.number(),
      z.strictObject({
        type: z.string().max(100).optional(),
        units: z.number().optional(),
        activation: z.string().max(100).optional(),
        rate: z.number().optional(),
      }),
    ]),
  )
  .min(1)
  .max(mostLayers);

/** A list of layers as it was given. */
export type LayerList = z.output<typeof layerList>;

/** Our names of the activations that Keras has, and their own. */
const activations: Readonly<Record<string, Activation | "softmax">> = {
  linear: "identity",
  identity: "identity",
  relu: "relu",
  sigmoid: "logistic",
  logistic: "logistic",
  tanh: "tanh",
  softmax: "softmax",
  leaky_relu: "leaky_relu",
  elu: "elu",
  selu: "selu",
  softplus: "softplus",
  softsign: "softsign",
};

const shown: Partial<Record<Activation | "softmax", string>> = { identity: "linear", logistic: "sigmoid" };

interface Dense {
  readonly units: number;
  readonly activation: Activation | "softmax";
  /** It was said what it makes of what it receives. */
  readonly isSaid: boolean;
  /** Share of its units that a step leaves out. */
  readonly dropout: number;
}

/** A list of layers as it is meant. */
export interface Stack {
  /** Share of the features that a step leaves out. */
  readonly dropout: number;
  readonly layers: readonly Dense[];
}

/** Reads a list of layers; nonsense is told by the number of the layer, from 1. */
export function stackOf(list: LayerList, who: string): Stack {
  let dropout = 0;
  const layers: Dense[] = [];
  for (const [k, given] of list.entries()) {
    const layer = typeof given === "number" ? { units: given } : given;
    const at = `layer ${k + 1}`;
    const refuse = (words: string, got: unknown, expected: unknown) => {
      throw new ArgsError(`${who}: ${at} of layer_list ${words}`, { path: "layer_list", got, expected } as never);
    };
    const type = typeOf(layer, refuse);
    const last = layers[layers.length - 1];
    if (type === "dense") {
      const { units } = layer;
      if (!(Number.isInteger(units) && units! >= 1 && units! <= mostUnits)) {
        const words = `must have between 1 and ${mostUnits.toLocaleString("en-US")} units, a whole number, got ${units ?? "none"}.`;
        refuse(words, units, `1 to ${mostUnits}`);
      }
      const activation = activationOf(layer.activation ?? "relu", refuse);
      layers.push({
        units: units!,
        activation,
        isSaid: layer.activation !== undefined,
        dropout: shareOf(layer.rate ?? 0, refuse),
      });
    } else if (type === "dropout") {
      const share = shareOf(layer.rate, refuse);
      if (last) layers[layers.length - 1] = { ...last, dropout: 1 - (1 - last.dropout) * (1 - share) };
      else dropout = 1 - (1 - dropout) * (1 - share);
    } else {
      if (!last || last.dropout > 0 || (last.isSaid && last.activation !== "identity")) {
        refuse(
          'is an activation, which must stand right behind a dense layer that has none or "linear".',
          type,
          "dense",
        );
      }
      layers[layers.length - 1] = {
        ...last!,
        activation: activationOf(layer.activation, refuse),
        isSaid: true,
      };
    }
  }
  const soft = layers.findIndex(({ activation }, k) => activation === "softmax" && k < layers.length - 1);
  if (soft >= 0) {
    throw new ArgsError(
      `${who}: "softmax" makes shares of classes, so it stands in the last layer of layer_list alone.`,
      {
        path: "layer_list",
        got: "softmax",
      },
    );
  }
  return { dropout, layers };
}

type Refuse = (words: string, got: unknown, expected: unknown) => void;

const types = ["dense", "dropout", "activation"] as const;

function typeOf(layer: Exclude<LayerList[number], number>, refuse: Refuse): (typeof types)[number] {
  if (layer.type === undefined) {
    if (layer.units !== undefined) return "dense";
    return layer.rate !== undefined ? "dropout" : layer.activation !== undefined ? "activation" : "dense";
  }
  const found = types.find((type) => type === layer.type!.trim().toLowerCase());
  const words = `is of the unknown type ${quoted(layer.type)}.${didYouMean(layer.type, types)} Types: ${types.join(", ")}.`;
  if (!found) refuse(words, layer.type, types);
  return found!;
}

function activationOf(given: string | undefined, refuse: Refuse): Activation | "softmax" {
  const name = (given ?? "").trim().toLowerCase();
  const known = Object.keys(activations);
  if (!Object.hasOwn(activations, name)) {
    refuse(
      `has the unknown activation ${quoted(given ?? "")}.${didYouMean(name, known)} Activations: ${known.join(", ")}.`,
      given,
      known,
    );
  }
  return activations[name]!;
}

function shareOf(rate: number | undefined, refuse: Refuse): number {
  if (!(rate !== undefined && rate >= 0 && rate < 1)) {
    refuse(
      `must leave out a share of the units from 0 to below 1 as its rate, got ${rate ?? "none"}.`,
      rate,
      "0 to below 1",
    );
  }
  return rate!;
}

/** Layers as the numerics take them: features first, outputs last. */
export interface Shape {
  readonly sizes: readonly number[];
  readonly activations: Layers["activations"];
  readonly dropout: readonly number[];
}

/** The whole network: where the last layer of the list can't answer for the target, one that can is added. */
export function shapeOf({ dropout, layers }: Stack, features: number, classes: number, who: string): Shape {
  const last = layers[layers.length - 1];
  if (last?.activation === "softmax" && last.units !== classes) {
    const words = classes === 0 ? "the target is numbers" : `the target has ${count(classes, "class", "classes")}`;
    throw new ArgsError(
      `${who}: the last layer of layer_list has ${count(last.units, "softmax unit")}, but ${words}; leave it out, and the right one is added.`,
      { path: "layer_list", got: last.units, expected: classes },
    );
  }
  const isAnswer =
    last !== undefined &&
    last.dropout === 0 &&
    (last.activation === "softmax" ||
      (last.units === 1 && last.isSaid && (classes === 0 || (classes === 2 && last.activation === "logistic"))));
  const added = { units: classes > 2 ? classes : 1, activation: answerOf(classes), dropout: 0 };
  const all = isAnswer ? layers : [...layers, added];
  const sizes = [features, ...all.map(({ units }) => units)];
  const weights = sizes.slice(1).reduce((sum, units, k) => sum + (sizes[k]! + 1) * units, 0);
  if (weights > mostWeights) {
    throw new ArgsError(
      `${who}: layers of ${sizes.slice(0, 12).join(", ")}${sizes.length > 12 ? " …" : ""} units have ${weights.toLocaleString("en-US")} weights, more than ${mostWeights.toLocaleString("en-US")}. Take fewer units in layer_list, or fewer features with pca (DP_PCA).`,
      { path: "layer_list", got: weights, expected: `at most ${mostWeights} weights` },
    );
  }
  return {
    sizes,
    activations: all.map(({ activation }) => activation),
    dropout: [dropout, ...all.map((each) => each.dropout)],
  };
}

function answerOf(classes: number): Activation | "softmax" {
  return classes === 0 ? "identity" : classes === 2 ? "logistic" : "softmax";
}

/** Layers in words: "4 → 16 relu → 3 softmax". */
export function layersText({
  sizes,
  activations,
}: Pick<Layers, "activations"> & { readonly sizes: ArrayLike<number> }): string {
  const parts = activations.map((activation, k) => `${sizes[k + 1]} ${shown[activation] ?? activation}`);
  return [sizes[0], ...parts].join(" → ");
}

/** A list of layers in words: "16 relu, dropout 0.1 → 3 softmax". */
export function layersInWords({ dropout, layers }: Stack): string {
  const left = (share: number) => (share > 0 ? `, dropout ${Number(share.toPrecision(3))}` : "");
  const parts = layers.map((each) => `${each.units} ${shown[each.activation] ?? each.activation}${left(each.dropout)}`);
  const first = dropout > 0 ? [`dropout ${Number(dropout.toPrecision(3))}`] : [];
  return [...first, ...parts].join(" → ");
}
