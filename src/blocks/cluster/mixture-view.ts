import type { Chart } from "../../core/chart.ts";
import type { Cell, TableView } from "../../core/view.ts";
import type { Criteria, Mixture } from "../../numerics/cluster/mixture.ts";

/** A number as sentences have it. */
export function short(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString("en-US", { maximumSignificantDigits: 6 });
}

/** Features whose deviations are shown, and components. */
const mostFeatures = 8;
const mostComponents = 50;

/** The components' shares of the rows, and the standard deviation of each feature. */
export function componentsView(mixture: Mixture, features: readonly string[]): TableView {
  const names = features.slice(0, mostFeatures);
  const shown = mixture.weights.subarray(0, mostComponents);
  return {
    kind: "table",
    title: `shares and standard deviations${names.length < features.length ? ` of the first ${mostFeatures} features` : ""}`,
    summary: true,
    columns: [
      { name: "cluster", type: "integer" },
      { name: "share", type: "number" },
      ...names.map((name) => ({ name, type: "number" as const })),
    ],
    rows: Array.from(shown, (weight, c): Cell[] => [
      c,
      weight,
      ...names.map((_, j) => Math.sqrt(varianceOf(mixture, c, j, features.length))),
    ]),
    ...(shown.length < mixture.weights.length ? { total: mixture.weights.length } : {}),
  };
}

function varianceOf({ type, covariances }: Mixture, c: number, j: number, d: number): number {
  if (type === "full") return covariances[(c * d + j) * d + j];
  if (type === "tied") return covariances[j * d + j];
  return covariances[type === "diag" ? c * d + j : c];
}

/** BIC and AIC of several numbers of components; a line stands at the one that was chosen. */
export function criteriaChart(
  tried: readonly (Criteria & { readonly k: number })[],
  chosen: number,
  rows: number,
): Chart {
  const x = tried.map(({ k }) => k);
  const all = tried.flatMap(({ aic, bic }) => [aic, bic]);
  return {
    kind: "lines",
    title: "information criteria of several numbers of components; the least BIC is chosen",
    x: { title: "components", type: "number" },
    y: { title: "criterion", type: "number" },
    series: [
      { name: "BIC", x, y: tried.map(({ bic }) => bic) },
      { name: "AIC", x, y: tried.map(({ aic }) => aic) },
    ],
    colour: "criterion",
    rows,
    reference: { from: [chosen, Math.min(...all)], to: [chosen, Math.max(...all)] },
  };
}
