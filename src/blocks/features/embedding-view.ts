import type { Finished } from "../../core/block.ts";
import { type BlockExplain, plain } from "../../core/explanation.ts";
import { count, listed } from "../../core/names.ts";
import { stack, type TableView, text, type View } from "../../core/view.ts";
import { type EmbeddingReport, laidWords } from "./embedding.ts";

/** A layout's picture, what to think of it, and the first rows. */
export function embeddingView(report: EmbeddingReport, head: TableView): View {
  const { trust, looked, said, columns } = report;
  return stack(
    text(`Laid out by ${laidWords(report)}. ${said}`),
    { kind: "chart", chart: report.chart },
    trust !== null &&
      text(
        `Trustworthiness ${plain(trust)} of 1 (5 neighbours of ${count(looked, "row")}): how far neighbours here are neighbours in truth. Distances between groups, and their sizes, mean little.`,
        "quiet",
      ),
    text(`The places stand in the columns ${listed(columns)}.`, "quiet"),
    head,
  );
}

/** A layout in words. */
export function explainEmbedding(why: string): BlockExplain {
  return {
    why,
    did({ report }: Finished) {
      const found = report as EmbeddingReport;
      return [
        `Laid out rows in the plane by ${laidWords(found)}; the new columns ${listed(found.columns)} say where.`,
        found.said,
        ...(found.trust === null
          ? []
          : [`Neighbours in the picture are neighbours in truth by ${plain(found.trust)} of 1 (trustworthiness).`]),
      ];
    },
  };
}
