import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { plain } from "../../core/explanation.ts";
import { tsneRows } from "../../numerics/embed/tsne.ts";
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

const who = "tsne (BL_TSNE)";

nameEmbedding("tsne");

/**
 * BL_TSNE. Lays rows out in a picture, near ones near each other: t-SNE, as scikit-learn's TSNE.
 *
 * X are the features; without roles, all columns of numbers. Scale them first. The table gets two columns, `tsne1` and
 * `tsne2`, which are no features: they are missing in test rows, which it does not look at, and in new ones, which it can't
 * place. The method is Barnes and Hut's, of Euclidean distances; the same layout for the same seed on any machine's threads.
 */
export const tsne = defineBlock({
  code: "BL_TSNE",
  name: "tsne",
  args: {
    /** About how many neighbours each row looks at, 1 or more and below the number of rows (default 30). */
    perplexity: z.number().min(1).default(30),
    /** How much tighter groups are in the first 250 steps (default 12). */
    early_exaggeration: z.number().min(1).default(12),
    /** How far a step goes; "auto" is rows / early_exaggeration / 4, 50 at least (default "auto"). */
    learning_rate: z.union([z.literal("auto"), z.number().positive()]).default("auto"),
    /** Steps at most, 250 or more (default 1000). */
    max_iter: z.int().min(250).max(100_000).default(1000),
    /** Steps without progress after which it ends; looked at every 50 (default 300). */
    n_iter_without_progress: z.int().min(0).default(300),
    /** Ends where the gradient is no longer than this (default 1e-7). */
    min_grad_norm: z.number().min(0).default(1e-7),
    /** Where rows begin: by their first two principal components, or at "random" (default "pca"). */
    init: z.literal(["pca", "random"]).default("pca"),
    /** How wide a cell of far rows may look to count as one row, 0 to 1; 0 is exact and slow (default 0.5). */
    angle: z.number().min(0).max(1).default(0.5),
    ...embeddingArgs,
  },
  positional: ["perplexity"],
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().tsne()',
  explain: explainEmbedding(
    "Rows of many columns can't be drawn; this finds places in the plane where near rows stay near, and groups show that nobody named. What is far apart means little, and neither do sizes of groups; try another perplexity before believing one.",
  ),
  async run(frame, args, context) {
    const laid = await rowsToLay(frame, context, who);
    const { x } = laid;
    refuseTooMany(args.perplexity, x.n, "perplexity", who);
    const neighbours = await neighboursOf(x, Math.min(x.n - 1, Math.floor(3 * args.perplexity + 1)), context);
    const start = args.init === "pca" ? await byComponents(x, 1e-4, context) : null;
    const { places, divergence, iterations } = await context.compute(
      tsneRows,
      {
        neighbours,
        start,
        perplexity: args.perplexity,
        exaggeration: args.early_exaggeration,
        learningRate:
          args.learning_rate === "auto" ? Math.max(x.n / args.early_exaggeration / 4, 50) : args.learning_rate,
        maxIter: args.max_iter,
        patience: args.n_iter_without_progress,
        shortest: args.min_grad_norm,
        angle: args.angle,
        seed: args.random_state,
      },
      "t-SNE",
    );
    const numbers = { kl_divergence: divergence, n_iter: iterations };
    const said = `After ${iterations.toLocaleString("en-US")} steps a divergence of ${plain(divergence)} is left.`;
    const about = {
      method: "tsne",
      title: `t-SNE, perplexity ${plain(args.perplexity)}`,
      color: args.color,
      numbers,
      said,
    };
    return await embedded(frame, laid, places, about, context);
  },
  async view({ after, report }, read) {
    const found = report as EmbeddingReport;
    return embeddingView(found, await read.head(after, { named: found.columns }));
  },
});
