import type { BlockContext } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { replaceColumns } from "../../core/scope.ts";
import { col, file, join, sql } from "../../core/sql.ts";
import type { Rbm } from "../../numerics/networks/rbm-room.ts";
import { hiddenRbm } from "../../numerics/networks/rbm-score.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { Output } from "../../plan/node.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/** Fewer rows than this are not worth a worker of their own. */
const leastRows = 512;

/** Hidden probabilities of rows, shared out over the workers; the same numbers on any number of them. */
export async function hiddenOf(rbm: Rbm, x: Matrix, context: BlockContext): Promise<Matrix> {
  return await computeRows(context, hiddenRbm, { rbm, x: matrixOf(x) }, "hidden activations", leastRows);
}

/** What a machine makes of a frame. */
export interface Activated {
  readonly frame: Frame;
  /** The new columns, h1 first. */
  readonly names: readonly string[];
}

/**
 * The frame with hidden activations in the place of the features they come from.
 *
 * The rows at hand are written as a table; new rows take a plan that multiplies in SQL, with the weights in a file.
 */
export async function withHidden(
  frame: Frame,
  features: readonly string[],
  rbm: Rbm,
  hidden: Matrix,
  learnt: readonly string[],
  context: BlockContext,
): Promise<Activated> {
  const others = frame.columns.map(({ name }) => name).filter((name) => !features.includes(name));
  const wanted = Array.from({ length: rbm.hidden }, (_, k) => `h${k + 1}`);
  const names = freshNames(wanted, others);
  const [input, activations] = freshNames(["rbm_input", "rbm_hidden"], [...others, ...names]);
  const weights = await writeWeights(rbm, context);
  const vector = (name: string, length: number) => ({ name, type: "tensor", shape: [length] }) as const;
  // The bias comes first, so the input begins with a 1.
  const numbers = features.map((name) => sql`CAST(${col(name)} AS DOUBLE)`);
  const gathered: Output = {
    column: vector(input, features.length + 1),
    expr: sql`[CAST(1 AS DOUBLE), ${join(numbers)}]`,
  };
  const rows = sql`SELECT list("w" ORDER BY "j") AS "w", "k" FROM read_parquet(${file(weights)}) GROUP BY "k"`;
  const each = sql`1 / (1 + exp(-list_dot_product(${col(input)}, "unit")))`;
  const multiplied: Output = {
    column: vector(activations, rbm.hidden),
    expr: sql`CASE WHEN list_count(${col(input)}) = ${features.length + 1} THEN list_transform((SELECT list("w" ORDER BY "k") FROM (${rows})), lambda "unit": ${each}) END`,
  };
  const taken = names.map((name, k): Output => {
    return { column: { name, type: "number" }, expr: sql`list_extract(${col(activations)}, ${k + 1})` };
  });
  const first = new Map(features.map((name, j) => [name, j === 0 ? [gathered] : []]));
  const packed = replaceColumns(frame, context, first);
  const mapped = replaceColumns(packed, context, new Map([[input, [multiplied]]]));
  const after = replaceColumns(mapped, context, new Map([[activations, taken]]), learnt);
  const columns = names.map((name, k) => ({
    column: { name, type: "number" } as const,
    values: hidden.data.subarray(k * hidden.n, (k + 1) * hidden.n),
  }));
  const artifact = await context.tables.writeTable(
    frame.relation,
    { columns: after.columns.map(({ name }) => name) },
    columns,
  );
  return { frame: { ...after, relation: { artifact, steps: [] } }, names };
}

/** The weights as a table of unit `k`, input `j` (0 is the bias) and weight `w`. */
async function writeWeights({ hidden, visible: d, weights, hiddenBias }: Rbm, context: BlockContext): Promise<string> {
  const n = hidden * (d + 1);
  const [k, j] = [new Int32Array(n), new Int32Array(n)];
  const w = new Float64Array(n);
  for (let unit = 0, at = 0; unit < hidden; unit++) {
    for (let input = 0; input <= d; input++, at++) {
      k[at] = unit;
      j[at] = input;
      w[at] = input === 0 ? hiddenBias[unit] : weights[unit * d + input - 1];
    }
  }
  const integer = (name: string, values: Int32Array) =>
    ({ column: { name, type: "number", integer: true }, values }) as const;
  return await context.tables.writeColumns([
    integer("k", k),
    integer("j", j),
    { column: { name: "w", type: "number" }, values: w },
  ]);
}
