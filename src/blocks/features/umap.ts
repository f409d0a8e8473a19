import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { umapRows } from "../../numerics/embed/umap.ts";
import {
  byComponents,
  type EmbeddingReport,
  embedded,
  embeddingArgs,
  nameEmbedding,
  neighboursOf,
  refuseTooMany,
  rowsToLay,
} from "./embedding.ts";
import { embeddingView, explainEmbedding } from "./embedding-view.ts";

const who = "umap (BL_UMAP)";
/** Rows of which more steps are needed, and how many. */
const manyRows = 10_000;

nameEmbedding("umap");

/**
 * BL_UMAP. Lays rows out in a picture, near ones near each other: UMAP, as umap-learn's UMAP.
 *
 * X are the features; without roles, all columns of numbers. Scale them first. The table gets two columns, `umap1` and
 * `umap2`, which are no features: they are missing in test rows, which it does not look at, and in new ones. Distances are
 * Euclidean; rows begin at their first two principal components. The same layout for the same seed on any machine's threads.
 */
export const umap = defineBlock({
  code: "BL_UMAP",
  name: "umap",
  args: {
    /** Neighbours that each row looks at, itself among them: few show detail, many the whole; 2 or more (default 15). */
    n_neighbors: z.int().min(2).max(1000).default(15),
    /** How near rows may come to each other in the picture, 0 to spread (default 0.1). */
    min_dist: z.number().min(0).default(0.1),
    /** How far groups spread (default 1). */
    spread: z.number().positive().default(1),
    /** Passes over the graph (default: 500, of more than 10,000 rows 200). */
    n_epochs: z.int().min(1).max(100_000).optional(),
    /** How far the first step goes (default 1). */
    learning_rate: z.number().positive().default(1),
    /** Rows drawn at random that push a row away, for each neighbour that pulls (default 5). */
    negative_sample_rate: z.int().min(0).max(100).default(5),
    /** How much they push (default 1). */
    repulsion_strength: z.number().min(0).default(1),
    /** Where rows begin: by their first two principal components, or at "random" (default "pca"). */
    init: z.literal(["pca", "random"]).default("pca"),
    ...embeddingArgs,
  },
  positional: ["n_neighbors"],
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().umap()',
  explain: explainEmbedding(
    "Rows of many columns can't be drawn; this links each row with its neighbours and lays that graph out in the plane. It is quicker than t-SNE and keeps somewhat more of how groups lie to each other; still, distances between them are no measure.",
  ),
  async run(frame, args, context) {
    if (args.min_dist > args.spread) {
      throw new ArgsError(`${who}: min_dist must be at most spread (${args.spread}), got ${args.min_dist}.`, {
        path: "min_dist",
        got: args.min_dist,
        expected: `0 to ${args.spread}`,
      });
    }
    const laid = await rowsToLay(frame, context, who);
    const { x } = laid;
    refuseTooMany(args.n_neighbors - 1, x.n, "n_neighbors", who);
    const neighbours = await neighboursOf(x, Math.min(x.n - 1, args.n_neighbors - 1), context);
    const start = args.init === "pca" ? await byComponents(x, 1, context) : null;
    const epochs = args.n_epochs ?? (x.n > manyRows ? 200 : 500);
    const { places, edges } = await context.compute(
      umapRows,
      {
        neighbours,
        start,
        minDist: args.min_dist,
        spread: args.spread,
        epochs,
        learningRate: args.learning_rate,
        negatives: args.negative_sample_rate,
        repulsion: args.repulsion_strength,
        seed: args.random_state,
      },
      "UMAP",
    );
    const numbers = { n_epochs: epochs, edges };
    const said = `A graph of ${edges.toLocaleString("en-US")} edges between neighbours, laid out in ${epochs.toLocaleString("en-US")} passes.`;
    const about = { method: "umap", title: `UMAP, ${args.n_neighbors} neighbours`, color: args.color, numbers, said };
    return await embedded(frame, laid, places, about, context);
  },
  async view({ after, report }, read) {
    const found = report as EmbeddingReport;
    return embeddingView(found, await read.head(after, { named: found.columns }));
  },
});
