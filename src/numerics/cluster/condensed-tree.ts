import { checkCancelled, type Hooks, quiet } from "../types.ts";
import type { TreeEdges } from "./reachability.ts";

/** Which of the nested clusters count: those that last longest ("eom", excess of mass), or the innermost ("leaf"). */
export type Selection = "eom" | "leaf";

/** What `densityClusters` needs to know. */
export type DensityClustersInput = {
  readonly edges: TreeEdges;
  /** Rows that a cluster has at least, from 2 on. */
  readonly least: number;
  readonly selection: Selection;
  /** Clusters that part nearer than this stay together; 0 for none. */
  readonly epsilon: number;
  /** May all rows be one cluster? */
  readonly single: boolean;
};

/** Clusters of rows, and what they are like. */
export type DensityClusters = {
  /** The cluster of each row, -1 for noise. */
  readonly labels: Int32Array;
  /** How firmly each row is in its cluster: 0 to 1, 0 for noise. */
  readonly strengths: Float64Array;
  /** The distance at which each cluster parted from the others; infinite for all rows. */
  readonly births: Float64Array;
  /** The density at which each cluster's last rows leave, one over their distance. */
  readonly deaths: Float64Array;
  /** How long each cluster lasts, by densities, summed over its rows. */
  readonly stabilities: Float64Array;
};

/**
 * HDBSCAN's clusters of a spanning tree, as scikit-learn's HDBSCAN selects and numbers them.
 *
 * The tree is cut edge by edge, the longest first: a part of fewer than `least` rows leaves its cluster, two parts of as
 * many are clusters of their own. O(n). Source: Campello, Moulavi and Sander (2013); for epsilon Malzer and Baum (2020).
 */
export function densityClusters(input: DensityClustersInput, hooks: Hooks = quiet): DensityClusters {
  const tree = condense(input.edges, input.least, hooks);
  const chosen = choose(tree, input);
  const clusters = chosen.flatMap((is, cluster) => (is ? [cluster] : []));
  const number = new Int32Array(tree.parent.length).fill(-1);
  for (const [label, cluster] of clusters.entries()) number[cluster] = label;
  // A cluster comes behind its parent, which it inherits from.
  for (let c = 1; c < number.length; c++) if (number[c] === -1) number[c] = number[tree.parent[c]!]!;
  const labels = tree.cluster.map((cluster) => number[cluster]!);
  if (chosen[0]) {
    // Of all rows as one cluster those are noise that leave it early.
    const enough = clusters.length > 1 ? Infinity : input.epsilon > 0 ? 1 / input.epsilon : tree.last[0]!;
    for (const [i, label] of labels.entries()) if (label === 0 && !(tree.left[i]! >= enough)) labels[i] = -1;
  }
  const deaths = Float64Array.from(clusters, (cluster) => tree.last[cluster]!);
  const strengths = Float64Array.from(labels, (label, i) => {
    if (label < 0) return 0;
    const [left, death] = [tree.left[i]!, deaths[label]!];
    return death === 0 || left === Infinity ? 1 : Math.min(left, death) / death;
  });
  return {
    labels,
    strengths,
    births: Float64Array.from(clusters, (cluster) => 1 / tree.birth[cluster]!),
    deaths,
    stabilities: Float64Array.from(clusters, (cluster) => tree.stability[cluster]!),
  };
}

/** Clusters within clusters: 0 is all rows, and others come behind the one that they are part of. */
interface Condensed {
  readonly parent: number[];
  /** The density, one over a distance, at which each cluster began. */
  readonly birth: number[];
  readonly children: number[][];
  /** The greatest density at which anything left each cluster. */
  readonly last: number[];
  readonly stability: number[];
  /** The innermost cluster that each row was in, and the density at which it left that. */
  readonly cluster: Int32Array;
  readonly left: Float64Array;
}

function condense({ ends, lengths }: TreeEdges, least: number, hooks: Hooks): Condensed {
  const n = lengths.length + 1;
  const joins = joinsOf(ends, n);
  const size = (node: number) => (node < n ? 1 : joins.size[node - n]!);
  const tree: Condensed = {
    ...{ parent: [-1], birth: [0], children: [[]], last: [0], stability: [0] },
    cluster: new Int32Array(n),
    left: new Float64Array(n),
  };
  const leave = (cluster: number, rows: number, density: number) => {
    tree.last[cluster] = Math.max(tree.last[cluster]!, density);
    tree.stability[cluster]! += (density - tree.birth[cluster]!) * rows;
  };
  /** All rows below a node leave a cluster. */
  const dissolve = (from: number, cluster: number, density: number) => {
    const nodes = [from];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (node >= n) nodes.push(joins.pairs[2 * (node - n)]!, joins.pairs[2 * (node - n) + 1]!);
      else {
        tree.cluster[node] = cluster;
        tree.left[node] = density;
        leave(cluster, 1, density);
      }
    }
  };
  // Level by level, which is how clusters are numbered.
  const [queue, clusters] = [[2 * n - 2], [0]];
  for (let at = 0; at < queue.length; at++) {
    if (at % 1024 === 0) checkCancelled(hooks);
    const [node, cluster] = [queue[at]! - n, clusters[at]!];
    const density = lengths[node]! > 0 ? 1 / lengths[node]! : Infinity;
    const two = [joins.pairs[2 * node]!, joins.pairs[2 * node + 1]!];
    const isSplit = two.every((child) => size(child) >= least);
    for (const child of two) {
      if (isSplit) {
        leave(cluster, size(child), density);
        const own = tree.parent.push(cluster) - 1;
        tree.birth.push(density);
        tree.children.push([]);
        tree.last.push(0);
        tree.stability.push(0);
        tree.children[cluster]!.push(own);
        queue.push(child);
        clusters.push(own);
      } else if (size(child) >= least) {
        queue.push(child);
        clusters.push(cluster);
      } else dissolve(child, cluster, density);
    }
  }
  return tree;
}

/** The parts that each edge joins, the shortest first: rows are 0…n−1, the t-th joined ones n + t. */
function joinsOf(ends: Int32Array, n: number): { readonly pairs: Int32Array; readonly size: Int32Array } {
  const above = new Int32Array(2 * n - 1).map((_, i) => i);
  const top = (from: number): number => {
    let node = from;
    while (above[node] !== node) {
      above[node] = above[above[node]!]!;
      node = above[node]!;
    }
    return node;
  };
  const pairs = new Int32Array(2 * (n - 1));
  const size = new Int32Array(n - 1);
  for (let t = 0; t < n - 1; t++) {
    for (const k of [2 * t, 2 * t + 1]) {
      const part = top(ends[k]!);
      pairs[k] = part;
      size[t]! += part < n ? 1 : size[part - n]!;
      above[part] = n + t;
    }
  }
  return { pairs, size };
}

/** Which clusters count. */
function choose(tree: Condensed, { selection, epsilon, single }: DensityClustersInput): boolean[] {
  const { children } = tree;
  const isSplit = children[0]!.length > 0;
  const isChosen = selection === "eom" ? longest(tree, single) : children.map((own) => isSplit && own.length === 0);
  if (epsilon === 0 || !isSplit || isChosen[0]) return isChosen;
  const out = children.map(() => false);
  for (const [cluster, is] of isChosen.entries()) if (is) out[grown(tree, cluster, epsilon, single)] = true;
  return out;
}

/** Those that last longer than what is within them, taken together. */
function longest({ children, stability }: Condensed, single: boolean): boolean[] {
  const isChosen = children.map(() => true);
  const best = stability.slice();
  if (!single) isChosen[0] = false;
  for (let c = children.length - 1; c >= (single ? 0 : 1); c--) {
    const within = children[c]!.reduce((sum, child) => sum + best[child]!, 0);
    if (within > best[c]!) {
      isChosen[c] = false;
      best[c] = within;
    } else {
      const inner = children[c]!.slice();
      for (let child = inner.pop(); child !== undefined; child = inner.pop()) {
        isChosen[child] = false;
        inner.push(...children[child]!);
      }
    }
  }
  return isChosen;
}

/** The cluster, or the innermost one around it that parted at epsilon or farther. */
function grown({ parent, birth }: Condensed, cluster: number, epsilon: number, single: boolean): number {
  if (1 / birth[cluster]! >= epsilon) return cluster;
  let c = cluster;
  do {
    const outer = parent[c]!;
    if (outer === 0) return single ? 0 : c;
    c = outer;
  } while (1 / birth[c]! <= epsilon);
  return c;
}
