import { count } from "../../core/names.ts";
import type { TreeNode, TreeView } from "../../core/view.ts";
import type { Trees } from "../../numerics/trees/trees.ts";

/** A tree of up to this many leaves is shown whole; of a larger one the first levels. */
const mostLeaves = 16;
const firstLevels = 3;

/**
 * One tree to look at: its questions, and at the leaves what it answers for how many training rows.
 *
 * Needs trees grown with details. Of a large tree the first three levels are shown.
 */
export function treeView(trees: Trees, features: readonly string[], classes: readonly string[]): TreeView {
  const leaves = leavesBelow(trees);
  const depth = depthOf(trees);
  const isWhole = leaves[0] <= mostLeaves;
  const size = `${count(leaves[0], "leaf", "leaves")}, ${count(depth, "level")} of questions`;
  const root = nodeOf({ trees, features, classes, leaves, levels: isWhole ? depth : firstLevels }, 0, 0);
  return {
    kind: "tree",
    title: isWhole ? `tree of ${size}` : `first ${firstLevels} levels of a tree of ${size}`,
    root,
  };
}

interface Shown {
  readonly trees: Trees;
  readonly features: readonly string[];
  readonly classes: readonly string[];
  readonly leaves: Int32Array;
  readonly levels: number;
}

function nodeOf(shown: Shown, node: number, level: number): TreeNode {
  const { trees, features, leaves } = shown;
  const rows = count(trees.nSamples[node], "row");
  const feature = trees.feature[node];
  if (feature < 0) return answerOf(shown, node, rows);
  if (level === shown.levels) {
    return { label: "…", note: `${leaves[node].toLocaleString("en-US")} leaves for ${rows}` };
  }
  return {
    label: features[feature],
    rest: ` ≤ ${short(trees.threshold[node])}`,
    branches: [
      { when: "yes", then: nodeOf(shown, trees.left[node], level + 1) },
      { when: "no", then: nodeOf(shown, trees.right[node], level + 1) },
    ],
  };
}

/** The number, or the likeliest class and its share where it is not alone. */
function answerOf({ trees, classes }: Shown, node: number, rows: string): TreeNode {
  const values = trees.value.subarray(node * trees.width, (node + 1) * trees.width);
  if (trees.task === "regression") return { label: short(values[0]), note: rows };
  const best = values.reduce((most, value, k) => (value > values[most] ? k : most), 0);
  const share = values[best];
  return { label: classes[best], note: share < 1 ? `${Number((100 * share).toPrecision(3))}% of ${rows}` : rows };
}

function short(value: number): string {
  return String(Number(value.toPrecision(5)));
}

/** How many leaves lie below each node. Children come after their parents. */
function leavesBelow({ feature, left, right }: Trees): Int32Array {
  const leaves = new Int32Array(feature.length);
  for (let node = feature.length - 1; node >= 0; node--) {
    leaves[node] = feature[node] < 0 ? 1 : leaves[left[node]] + leaves[right[node]];
  }
  return leaves;
}

/** Questions on the longest way down. */
function depthOf({ feature, left, right }: Trees): number {
  const level = new Int32Array(feature.length);
  let most = 0;
  for (let node = 0; node < feature.length; node++) {
    most = Math.max(most, level[node]);
    if (feature[node] >= 0) level[left[node]] = level[right[node]] = level[node] + 1;
  }
  return most;
}
