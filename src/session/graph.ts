import { inspect } from "node:util";
import { count } from "../core/names.ts";
import type { StateRecord } from "../core/record.ts";
import { type GraphNode, text, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import { modelsIn } from "./models.ts";
import { print } from "./print.ts";

/** A project's blocks and how they hang together; shows itself as a drawing, in a terminal as a tree. */
export class Graph {
  /** The blocks, each behind the one it builds on. */
  readonly nodes: readonly GraphNode[];

  constructor(nodes: readonly GraphNode[]) {
    this.nodes = nodes;
  }

  /** The graph as Mermaid source, for a README or a wiki that draws it. */
  mermaid(): string {
    const lines = this.nodes.map((node) => {
      const notes = [...node.notes, ...(node.stale ? ["stale"] : [])].map((note) => `<br/>${mermaidText(note)}`);
      return `  b${node.id}["${mermaidText(`${node.id} ${node.label}`)}${notes.join("")}"]`;
    });
    const known = new Set(this.nodes.map(({ id }) => id));
    const arrows = this.nodes.flatMap(({ id, parent }) => (known.has(parent) ? [`  b${parent} --> b${id}`] : []));
    const here = this.nodes.flatMap(({ id, here: isHere }) => (isHere ? [`  style b${id} stroke-width:3px`] : []));
    const stale = this.nodes.flatMap((node) => (node.stale ? [`  style b${node.id} stroke-dasharray:4 3`] : []));
    return `${["flowchart TD", ...lines, ...arrows, ...here, ...stale].join("\n")}\n`;
  }

  /** Shows the drawing. */
  show(): Promise<void> {
    return print(this);
  }

  [viewOf](): View {
    if (this.nodes.length === 0) return text('No block yet. Start with session.input("sample:penguins").');
    return { kind: "graph", nodes: this.nodes };
  }

  [inspect.custom](): string {
    return `Graph { ${count(this.nodes.length, "block")} } — .show() to see it, .mermaid() for its source`;
  }
}

/** How the graph is drawn. */
export interface GraphOptions {
  /** Say how long each block took in this session; false where a notebook's outputs are to stay the same (default true). */
  readonly times?: boolean;
}

/** The graph of a project's blocks; `times` are milliseconds by the id of a state record, where they are known. */
export function graphOf(states: readonly StateRecord[], last: number, times: ReadonlyMap<number, number>): Graph {
  const nodes: GraphNode[] = [];
  const walk = (parent: number) => {
    for (const state of states.filter((each) => each.parent_id === parent)) {
      nodes.push(nodeOf(state, last, times.get(state.id)));
      walk(state.block_id);
    }
  };
  // What a deleted block left behind stands at the root, too.
  const known = new Set(states.map(({ block_id }) => block_id));
  for (const root of new Set(states.map(({ parent_id }) => parent_id))) if (!known.has(root)) walk(root);
  return new Graph(nodes);
}

function nodeOf(state: StateRecord, last: number, ms: number | undefined): GraphNode {
  const { name, code } = byCode(state.function_code);
  // A model that has its helper's name says nothing new.
  const models = modelsIn(state).map((model) => (model.name === name ? "model" : `model ${model.name}`));
  return {
    id: state.block_id,
    parent: state.parent_id,
    label: `${name} (${code})`,
    notes: [...models, ...(ms === undefined ? [] : [duration(ms)])],
    ...(models.length > 0 ? { model: true } : {}),
    ...(state.stale ? { stale: true } : {}),
    ...(state.block_id === last ? { here: true } : {}),
  };
}

/** Milliseconds as people say them. */
export function duration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(2)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Mermaid takes letters by number; all that it could read as its own language is given so. */
function mermaidText(words: string): string {
  return words.replace(/[^\p{L}\p{N} .,_-]/gu, (letter) => `#${letter.codePointAt(0)};`);
}
