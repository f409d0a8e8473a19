import { count } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { stack, text, type View } from "../../core/view.ts";
import { type Validation, validationView } from "./cross-validate.ts";
import { type GridResult, gridView } from "./grid-search.ts";

/** Numbers that say how much each feature does; `names` where they are not the features' own. */
export interface Weights {
  readonly title: string;
  readonly values: readonly number[];
  readonly names?: readonly string[];
}

/** What a trained model reports for its view. */
export interface ModelReport {
  readonly rows: number;
  readonly on: "train" | "all";
  readonly features: readonly string[];
  readonly target: string;
  readonly classes: readonly unknown[];
  readonly weights: Weights | null;
  readonly shown: View | null;
  /** What the fit chose itself, such as the strength of a penalty. */
  readonly found: Readonly<Record<string, Json>> | null;
  readonly validation: Validation | null;
  readonly search: GridResult | null;
}

/** What a trained model shows: its words, what was searched and cross-validated, and its numbers. */
export function modelView(name: string, report: ModelReport): View {
  const rows = `${count(report.rows, report.on === "train" ? "training row" : "row")}`;
  const kinds = report.classes.length > 0 ? ` (${report.classes.length} classes)` : "";
  const words = `Model ${name}: ${report.target}${kinds} from ${count(report.features.length, "feature")}, trained on ${rows}.`;
  const search = report.search && gridView(report.search);
  const validation = report.validation && validationView(report.validation, report.on);
  if (!report.weights || report.weights.values.length < 2) return stack(text(words), search, validation, report.shown);
  const names = report.weights.names ?? report.features;
  const bars = report.weights.values
    .map((value, k) => ({ label: names[k], value }))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, 15);
  const title = names.length > 15 ? `${report.weights.title}, the 15 largest` : report.weights.title;
  return stack(text(words), search, validation, report.shown, {
    kind: "chart",
    chart: { kind: "bars", title, value: report.weights.title, bars },
  });
}
