import type { SpecChart } from "./chart.ts";
import { type VegaLiteSpec, whole } from "./vega-base.ts";

/** A picture that somebody described, in the house's colours where it says no others. */
export function ownSpec({ title, subtitle, parts }: SpecChart): VegaLiteSpec {
  const house = whole(title, subtitle, {});
  const { config, ...own } = parts;
  return { ...house, ...own, $schema: house.$schema, config: merged(house.config, config) };
}

function merged(house: VegaLiteSpec[string], own: VegaLiteSpec[string]): VegaLiteSpec[string] {
  if (!isObject(house) || !isObject(own)) return own ?? house;
  const all: { [key: string]: VegaLiteSpec[string] } = { ...house };
  for (const [key, value] of Object.entries(own)) all[key] = merged(house[key], value);
  return all;
}

function isObject(value: VegaLiteSpec[string]): value is VegaLiteSpec {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
