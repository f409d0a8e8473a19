import { type Column, cell } from "./column.ts";
import { columnsRead, type Expr, isOfOneRow, looksAlong, partsOf } from "./expr.ts";
import { type Output, type Relation, rowsLeft, type Step } from "./node.ts";
import { isNumeric } from "./types.ts";

/** The columns before the node that an output reads. */
export function sourcesOf({ column, expr, entry, own, match }: Output): string[] {
  if (entry) return [entry.terms, entry.weights];
  if (own && "atHand" in own) return columnsRead(own.atHand);
  if (match) return match.on.map((pair) => pair.column);
  const read = expr ? columnsRead(expr) : [column.name];
  return own && "place" in own ? [...new Set([...read, ...columnsRead(own.place)])] : read;
}

/** The column before the node that an output passes on as it is, under whatever name; null where something is made of it. */
export function passedOn({ column, expr, entry, own, match }: Output): string | null {
  if (entry || own || match) return null;
  if (!expr) return column.name;
  if ("column" in expr) return expr.column;
  const [only, ...more] = "parts" in expr ? expr.parts : [];
  return only && more.length === 0 && "column" in only ? only.column : null;
}

/** Does a node need the rows' numbers, to make these of its columns or to leave rows out? */
export function usesRow({ kept }: Pick<Step, "kept">, outputs: readonly Output[]): boolean {
  const needsRow = ({ expr, own, match }: Output) => own || match || (expr && looksAlong(expr));
  const isKeptByRow =
    kept !== undefined && (kept.where === undefined || kept.list !== undefined || looksAlong(kept.where));
  return isKeptByRow || outputs.some(needsRow);
}

/**
 * The nodes as they apply to a table that may lack columns: outputs that can't be computed are left out.
 *
 * Used for new rows, which come without targets.
 */
export function stepsFor(steps: readonly Step[], present: readonly string[]): Step[] {
  let have = new Set(present);
  return steps.map((step) => {
    const outputs = step.outputs.filter((output) => sourcesOf(output).every((name) => have.has(name)));
    const unseen = step.unseen?.filter(({ column }) => have.has(column));
    have = new Set(outputs.map((output) => output.column.name));
    return { ...step, outputs, ...(unseen ? { unseen } : {}) };
  });
}

/** The nodes with those of their outputs alone that lead to the wanted columns (null: all); what they read of the file. */
export function leadingTo(
  steps: readonly Step[],
  wanted: ReadonlySet<string> | null,
): { readonly steps: readonly Step[]; readonly read: ReadonlySet<string> | null } {
  let need = wanted;
  const pruned: Step[] = [];
  for (const step of steps.toReversed()) {
    const within: ReadonlySet<string> | null = need;
    const read = within ? step.outputs.filter(({ column }) => within.has(column.name)) : step.outputs;
    // A table has one column at least, though nothing but its rows may be asked for.
    const outputs = read.length > 0 ? read : step.outputs.slice(0, 1);
    pruned.push({ ...step, outputs });
    const where = step.kept?.list === undefined ? step.kept?.where : undefined;
    need = within && new Set([...outputs.flatMap(sourcesOf), ...(where ? columnsRead(where) : [])]);
  }
  return { steps: pruned.reverse(), read: need };
}

/** A column of a plan, behind which of its nodes (-1: in its file), and what it is called in the end. */
export interface Carried {
  readonly column: Column;
  readonly behind: number;
  readonly as: string;
}

/** The plan with some columns alone, as they were behind one of its nodes, past those that change them or leave them out. */
export function carriedOn(
  relation: Relation,
  wanted: readonly Carried[],
  block: { id: number; name: string },
): Relation {
  // A name of its own on the way, for the column that is made of it may have the same.
  const hidden = (k: number) => `__carried_${k}`;
  const steps = relation.steps.map((step, node): Step => {
    const more = wanted.flatMap(({ column, behind }, k): Output[] => {
      if (behind >= node) return [];
      const carried = { ...column, name: hidden(k) };
      return [behind === node - 1 ? { column: carried, expr: cell(column) } : { column: carried }];
    });
    return more.length > 0 ? { ...step, outputs: [...step.outputs, ...more] } : step;
  });
  const last = steps.length - 1;
  const outputs = wanted.map(({ column, behind, as }, k): Output => {
    const expr = cell(behind === last ? column : { ...column, name: hidden(k) });
    return { column: { ...column, name: as }, expr };
  });
  return { ...relation, steps: [...steps, { block: block.id, name: block.name, outputs }] };
}

/** A file's own column, with a number in place of missing ones where there is one. */
export interface OwnColumn {
  readonly name: string;
  readonly filled: number | null;
}

/** The file's own column behind each of a plan's, passed on as it is or filled; null where the plan makes it, or leaves out rows. */
export function filledColumns(relation: Relation, names: readonly string[]): readonly (OwnColumn | null)[] {
  if (rowsLeft(relation) !== null) return names.map(() => null);
  return tracedBack(relation, names, (output, { filled }) => {
    // Where an earlier node filled a column nothing is missing later.
    const own = filledOf(output);
    if (own) return own;
    const passed = passedOn(output);
    return passed === null ? null : { name: passed, filled };
  });
}

/** The file's own column that a plan passes on under each of these names, of the rows that it leaves; null where it makes it. */
export function passedColumns(relation: Relation, names: readonly string[]): readonly (string | null)[] {
  const passed = tracedBack(relation, names, (output, column) => {
    const name = passedOn(output);
    return name === null ? null : { ...column, name };
  });
  return passed.map((column) => column?.name ?? null);
}

const named = new WeakMap<Step, ReadonlyMap<string, Output>>();

/** A node's outputs by their names; the columns of wide tables are followed back one by one. */
export function outputsOf(step: Step): ReadonlyMap<string, Output> {
  const known = named.get(step);
  if (known) return known;
  const outputs = new Map(step.outputs.map((output) => [output.column.name, output]));
  named.set(step, outputs);
  return outputs;
}

/** The column whose numbers an output has, and the number in place of missing ones. */
function filledOf({ expr, own }: Output): OwnColumn | null {
  if (own || !expr || !("call" in expr) || expr.call !== "coalesce" || expr.args.length !== 2) return null;
  const [from, other] = expr.args;
  const isNumber = "column" in from && isNumeric(from.type ?? "missing") && "value" in other;
  return isNumber ? { name: from.column, filled: Number(other.value) } : null;
}

/** Follows columns back through a plan's nodes to its file: what each was before a node; null once `before` finds none. */
function tracedBack(
  relation: Relation,
  names: readonly string[],
  before: (output: Output, column: OwnColumn) => OwnColumn | null,
): readonly (OwnColumn | null)[] {
  let own: readonly (OwnColumn | null)[] = names.map((name) => ({ name, filled: null }));
  for (const step of relation.steps.toReversed()) {
    const outputs = outputsOf(step);
    own = own.map((each) => {
      const output = each && outputs.get(each.name);
      return output ? before(output, each) : null;
    });
  }
  return own;
}

/** The file's own columns that a plan passes on as they are under these names, all rows of them; null where it makes one of them. */
export function ownColumns(relation: Relation, names: readonly string[]): readonly string[] | null {
  const own = filledColumns(relation, names).flatMap((each) => (each?.filled === null ? [each.name] : []));
  return own.length === names.length ? own : null;
}

/**
 * The file's own column behind each of a plan's, where the plan makes each cell of that column's cell in the same row and
 * of nothing else; null where it takes more, or leaves out rows.
 */
export function soleSources(relation: Relation, names: readonly string[]): readonly (string | null)[] {
  if (rowsLeft(relation) !== null) return names.map(() => null);
  const sources = tracedBack(relation, names, (output, column) => {
    const name = soleSource(output);
    return name === null ? null : { ...column, name };
  });
  return sources.map((source) => source?.name ?? null);
}

function soleSource(output: Output): string | null {
  const passed = passedOn(output);
  if (passed !== null) return passed;
  // What lies beside a table, and windows, tell of other rows as well.
  if (!output.expr || output.own || !isOfOneRow(output.expr)) return null;
  // A block gathers columns in a list of its own, which nobody else knows by name.
  if (readsList(output.expr)) return null;
  const [only, ...more] = columnsRead(output.expr);
  return only === undefined || more.length > 0 ? null : only;
}

function readsList(expr: Expr): boolean {
  return [...partsOf(expr)].some((part) => "column" in part && part.type === "tensor");
}

/**
 * The one column of which all of these are made, cell by cell, as far back as `begins` lets it: its name, and behind
 * which node it is so called (-1: in the file); null where they come of several.
 *
 * Its rows may have been others: nodes that leave rows out change no cell.
 */
export function sharedOrigin(
  { steps }: Relation,
  names: readonly string[],
  begins: (step: Step) => boolean,
): { readonly behind: number; readonly name: string } | null {
  let sources = new Set(names);
  let found = sources.size === 1 ? { behind: steps.length - 1, name: names[0] } : null;
  for (let at = steps.length - 1; at >= 0 && !begins(steps[at]); at--) {
    const outputs = outputsOf(steps[at]);
    const before = [...sources].map((name) => {
      const output = outputs.get(name);
      return output ? soleSource(output) : null;
    });
    const known = before.filter((name) => name !== null);
    if (known.length < before.length) break;
    sources = new Set(known);
    if (sources.size === 1) found = { behind: at - 1, name: known[0] };
  }
  return found;
}

/** The nodes behind one of a plan's that make these columns of one column, for rows that have that column alone. */
export function makingOf({ steps }: Relation, behind: number, names: readonly string[]): Step[] {
  return leadingTo(steps.slice(behind + 1), new Set(names)).steps.map(({ block, name, outputs }) => ({
    block,
    name,
    outputs,
  }));
}

/** Columns that come of one column alone, such as the dummies of a category. */
export interface Kin {
  /** The latest column from which all of them come; of one alone its own name. */
  readonly column: string;
  /** Their places among the names that were asked for, ascending. */
  readonly places: readonly number[];
}

/** Columns by the one column each is made of, in the order of their first; one made of several, or of other rows, is alone. */
export function kinOf(steps: readonly Step[], names: readonly string[]): Kin[] {
  let kin: readonly Kin[] = names.map((column, place) => ({ column, places: [place] }));
  let source: ReadonlyMap<Kin, string> = new Map(kin.map((each) => [each, each.column]));
  for (const step of steps.toReversed()) {
    const outputs = outputsOf(step);
    const before = Map.groupBy(kin, (each) => {
      const output = outputs.get(source.get(each) ?? "");
      // What can be followed no further is like nothing else.
      return (output && soleSource(output)) ?? each;
    });
    const joined = [...before].map(([key, group]): readonly [Kin, string | null] => {
      if (typeof key !== "string") return [key, null];
      const places = group.flatMap((each) => each.places).sort((a, b) => a - b);
      return [group.length > 1 ? { column: key, places } : group[0], key];
    });
    kin = joined.map(([each]) => each);
    source = new Map(joined.flatMap(([each, name]) => (name === null ? [] : [[each, name]])));
  }
  return [...kin].sort((a, b) => a.places[0] - b.places[0]);
}
