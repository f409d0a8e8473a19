import type { Finished } from "../../core/block.ts";
import { type BlockExplain, plain } from "../../core/explanation.ts";
import { count, listed } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import type { Pipeline } from "./pipelines.ts";

/** A candidate as it stands in a search's output: the best first. */
export interface LeaderRow {
  readonly rank: number;
  readonly model: string;
  /** Mean and deviation of the score over the folds it was judged on; null where there is none. */
  readonly mean: number | null;
  readonly std: number | null;
  readonly folds: number;
  /** Rows that it learnt from in each. */
  readonly rows: number;
  /** Its calls, which one can append to the chain. */
  readonly chain: string;
  readonly failure?: string;
}

/** A model of what a search trained in the end. */
export interface FinalMember {
  readonly weight: number;
  readonly model: string;
  readonly chain: string;
}

/** What a model of it is made of, as a script writes it. */
export interface FoundMember extends Pick<Pipeline, "args" | "preparation"> {
  readonly model: string;
  readonly weight: number;
}

/** What a search keeps for its view. */
export interface AutoReport {
  readonly task: "regression" | "classification";
  readonly target: string;
  readonly classes: number;
  readonly features: number;
  readonly rows: number;
  readonly on: "train" | "all";
  readonly scoring: string;
  readonly folds: number;
  readonly mean: number;
  readonly std: number;
  readonly isCut: boolean;
  readonly members: readonly FinalMember[];
  readonly leaderboard: readonly LeaderRow[];
  /** What the members are made of, and the features that a preparation leaves out. */
  readonly made: { readonly members: readonly FoundMember[]; readonly dropped: readonly string[] };
}

/** Candidates that the table shows. */
const most = 15;

/** What a search shows: what it trained, and the leaderboard. */
export function autoView(name: string, report: AutoReport): View {
  const { target, classes, features, rows, on, scoring, folds, mean, std, members, leaderboard } = report;
  const kinds = classes > 0 ? ` (${classes} classes)` : "";
  const trained = count(rows, on === "train" ? "training row" : "row");
  const judged = leaderboard.filter((row) => row.mean !== null);
  const failed = new Map<string, number>();
  for (const { failure } of leaderboard) if (failure) failed.set(failure, (failed.get(failure) ?? 0) + 1);
  const cells = (row: LeaderRow): Cell[] => [row.rank, row.model, row.mean, row.std, row.folds, row.rows, row.chain];
  const table: View = {
    kind: "table",
    title: `${count(judged.length, "candidate")} by ${scoring}${judged.length > most ? `; the best ${most}` : ""}`,
    summary: true,
    columns: [
      { name: "rank", type: "integer" },
      { name: "model", type: "text" },
      { name: scoring, type: "number", digits: 4 },
      { name: "std", type: "number", digits: 4 },
      { name: "folds", type: "integer" },
      { name: "rows", type: "integer" },
      { name: "chain", type: "text" },
    ],
    rows: judged.slice(0, most).map(cells),
  };
  return stack(
    text(`Model ${name}: ${target}${kinds} from ${count(features, "feature")}, trained on ${trained}.`),
    text(`${membersText(members)}: ${scoring} ${plain(mean)} ± ${plain(std)} over ${count(folds, "fold")}.`),
    ...members.map(({ chain }) => text(`…${chain}`, "quiet")),
    table,
    ...[...failed].map(([reason, times]) => text(`${count(times, "candidate")} left out: ${reason}`, "quiet")),
  );
}

function membersText(members: readonly FinalMember[]): string {
  if (members.length === 1) return `The best is ${members[0].model}`;
  const said = members.map(({ weight, model }) => `${model} × ${plain(Number(weight.toPrecision(3)))}`);
  return `The best is a stack of ${said.join(", ")}`;
}

/** A search in words. */
export const explainAuto: BlockExplain = {
  why: "Which preparation and which model serve a table can only be tried. Each candidate is judged on rows that it has not learnt from, many on few rows and the promising ones on all, and the test rows stay untouched for the last word.",
  found({ report }: Finished) {
    const { task, made } = report as AutoReport;
    // A cast because lists that can't be changed are JSON as well.
    return { task, ...made } as unknown as Json;
  },
  did({ report }: Finished) {
    const { target, leaderboard, members, scoring, mean, folds, isCut, on } = report as AutoReport;
    const judged = leaderboard.filter((row) => row.mean !== null);
    const whole = judged.filter((row) => row.folds === folds);
    return [
      `Tried ${count(judged.length, "candidate")} to tell ${listed([target])}; ${plain(whole.length)} of them came to the last step, with all rows of ${count(folds, "fold")}.`,
      `${membersText(members)}, with ${scoring} ${plain(mean)} on rows held out.`,
      ...(members.length === 1 ? [`As a chain it is ${members[0].chain}.`] : []),
      ...(isCut
        ? ["Its time was over before all candidates had been judged; with a larger time_left it may find another."]
        : []),
      ...(on === "all" ? ["No rows were put aside, so its metrics will be those of rows it has seen."] : []),
    ];
  },
};
