import type { Subset } from "../../core/frame.ts";
import type { TreesAsked, TreesGrown } from "../../core/tables.ts";
import { askDealt } from "../../engines/spark/asked.ts";
import type { Relation } from "../../plan/node.ts";
import {
  assembled,
  type Estimator,
  localRows,
  type RunOptions,
  type SparkClient,
  select,
  transformed,
  vectorOf,
} from "../../spark/index.ts";
import type { ClusterSession } from "./session.ts";

/** Grows trees by Spark's ML library on some of a plan's rows; the server forgets them once they are read. */
export async function growTrees<T>(
  session: ClusterSession,
  relation: Relation,
  subset: Subset,
  asked: TreesAsked,
  read: (grown: TreesGrown) => Promise<T>,
): Promise<T> {
  const names = asked.features.map((_, k) => `f${k}`);
  return await session.learn(
    [relation],
    (tables) => askDealt(relation, asked, tables, subset),
    async (client, rows, options) => {
      const models: string[] = [];
      try {
        const forest = await client.fit(estimatorOf(asked), assembled(rows, names, "features"), options);
        models.push(forest);
        const { string: text = "" } = await client.fetch(forest, "toDebugString", options);
        const importances = vectorOf(await client.fetch(forest, "featureImportances", options), names.length);
        return await read({
          text,
          importances,
          async weights(points) {
            const trees = await client.parts(forest, "trees", options);
            models.push(...trees);
            const found: Float64Array[] = [];
            for (const [t, tree] of trees.entries()) {
              session.progress("trees read", t, trees.length);
              found.push(await weightsAt(client, tree, names, points[t], options));
            }
            return found;
          },
        });
      } finally {
        // The session ends with the block, and with it what is left.
        if (!options.signal?.aborted) await client.forget(models).catch(() => undefined);
      }
    },
  );
}

function estimatorOf(asked: TreesAsked): Estimator {
  if (asked.boosting) {
    const { rate, bins } = asked.boosting;
    return {
      name: `org.apache.spark.ml.${asked.isClasses ? "classification.GBTClassifier" : "regression.GBTRegressor"}`,
      parameters: {
        maxIter: { integer: asked.trees },
        maxDepth: { integer: asked.depth },
        minInstancesPerNode: { integer: asked.leastRows },
        maxBins: { integer: bins },
        stepSize: { double: rate },
        seed: { long: BigInt(asked.seed) },
      },
    };
  }
  const kind = asked.isClasses ? "classification.RandomForestClassifier" : "regression.RandomForestRegressor";
  return {
    name: `org.apache.spark.ml.${kind}`,
    parameters: {
      numTrees: { integer: asked.trees },
      maxDepth: { integer: asked.depth },
      minInstancesPerNode: { integer: asked.leastRows },
      featureSubsetStrategy: { string: String(asked.triedFeatures) },
      bootstrap: { boolean: asked.isDrawn },
      ...(asked.isClasses ? { impurity: { string: asked.criterion } } : {}),
      seed: { long: BigInt(asked.seed) },
    },
  };
}

/** How much each class weighs in the leaves of a tree where some rows end, which stand one after the other. */
async function weightsAt(
  client: SparkClient,
  tree: string,
  names: readonly string[],
  points: Float64Array,
  options: RunOptions,
): Promise<Float64Array> {
  const { tableFromArrays, tableToIPC } = await import("apache-arrow");
  const d = names.length;
  const n = points.length / d;
  const place = Int32Array.from({ length: n }, (_, i) => i);
  const columns = names.map(
    (name, j) => [name, Float64Array.from({ length: n }, (_, i) => points[i * d + j])] as const,
  );
  const local = localRows(tableToIPC(tableFromArrays({ ...Object.fromEntries(columns), place }), "stream"));
  const asked = select(transformed(assembled(local, names, "features"), tree), ["place", "rawPrediction"]);
  const found: number[][] = [];
  for await (const batch of client.rows(asked, options)) {
    for (const row of batch) {
      const { values } = row.rawPrediction as { readonly values: Iterable<number> };
      found[Number(row.place)] = [...values];
    }
  }
  return Float64Array.from(found.flat());
}
