import type { BlockContext } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { instant } from "../../core/marks.ts";
import { count, didYouMean, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { label, tipTitles } from "../../core/vega-base.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, column, type Expr, rowColumn, value } from "../../plan/expr.ts";
import { type Field, fieldOf, predicate, type Sight } from "./spec-fields.ts";
import { broken, channels, isPart, known, marks, type Part } from "./spec-rules.ts";

/** A view with one mark, drawn: what it shows, and the rows that the engine made for it. */
export interface Unit {
  readonly mark: string;
  /** What stands on each channel, of those that show a column. */
  readonly shown: ReadonlyMap<string, Field>;
  readonly rows: readonly Part[];
  /** How many marks there are in all. */
  readonly marks: number;
  /** How many rows they stand for. */
  readonly counted: number;
}

/** What views are drawn with. */
interface Drawing {
  readonly frame: Frame;
  readonly context: BlockContext;
  /** The most marks of one unit. */
  readonly share: number;
  readonly units: Unit[];
}

/** What a view has from those around it. */
interface Around {
  readonly encoding: Part;
  readonly where: Expr | null;
  /** The columns that tell the panels around it apart, and where its rows go: panels have those of all that is in them. */
  readonly panels: { readonly fields: readonly Field[]; readonly rows: Part[] } | null;
}

/** What a view may say besides what it draws; taken as it is. */
const passed = [
  "title",
  "name",
  "description",
  "width",
  "height",
  "params",
  "resolve",
  "columns",
  "spacing",
  "align",
  "center",
  "bounds",
  "view",
  "background",
  "padding",
  "autosize",
  "config",
] as const;
const drawn = [
  "$schema",
  "mark",
  "encoding",
  "layer",
  "concat",
  "hconcat",
  "vconcat",
  "facet",
  "spec",
  "transform",
] as const;

/** All that a view may say. */
export const viewKeys = [...drawn, ...passed] as const;

/** Draws a specification's views with the engine's numbers in them; `units` are what they show. */
export async function drawSpec(
  spec: Part,
  frame: Frame,
  context: BlockContext,
  most: number,
): Promise<{ readonly parts: Part; readonly units: readonly Unit[] }> {
  const drawing = { frame, context, share: Math.max(1, Math.floor(most / unitsIn(spec))), units: [] };
  const parts = await drawView(spec, "spec", { encoding: {}, where: null, panels: null }, drawing);
  return { parts, units: drawing.units };
}

function unitsIn(part: Json | undefined): number {
  if (Array.isArray(part)) return part.reduce<number>((sum, each) => sum + unitsIn(each), 0);
  if (!isPart(part)) return 0;
  if (part.mark !== undefined) return 1;
  const inner = [part.layer, part.concat, part.hconcat, part.vconcat, part.spec].map(unitsIn);
  return Math.max(
    1,
    inner.reduce((sum, each) => sum + each, 0),
  );
}

async function drawView(view: Json | undefined, path: string, around: Around, drawing: Drawing): Promise<Part> {
  const { context } = drawing;
  if (!isPart(view))
    throw broken(context, path, 'a view is an object with a mark, such as { mark: "bar", encoding: { … } }', view);
  for (const key of Object.keys(view)) {
    if (viewKeys.some((each) => each === key)) continue;
    const cure = key === "repeat" ? " Write the views out, in concat." : didYouMean(key, viewKeys);
    throw broken(context, `${path}.${key}`, `a view knows no ${quoted(key)}.${cure}`.replace(/\.$/, ""), key);
  }
  const sight = { frame: drawing.frame, context, where: around.where };
  const where = filtersOf(view.transform, path, sight);
  const encoding = { ...around.encoding, ...(isPart(view.encoding) ? view.encoding : {}) };
  const inside = { ...around, encoding, where };
  const own: { [key: string]: Json | undefined } = {};
  for (const key of passed) if (view[key] !== undefined) own[key] = view[key];
  if (view.mark === undefined) Object.assign(own, paramsOf(view.params, new Map(), path, context));
  for (const side of ["width", "height"] as const) refuseSize(view[side], `${path}.${side}`, context);
  if (view.mark !== undefined) {
    const { params: _params, ...rest } = own;
    return { ...rest, ...(await drawUnit(view, path, inside, drawing)) };
  }
  for (const key of ["layer", "concat", "hconcat", "vconcat"] as const) {
    const inner = view[key];
    if (inner === undefined) continue;
    if (!Array.isArray(inner) || inner.length === 0)
      throw broken(context, `${path}.${key}`, "it is a list of views", inner);
    if (inner.length > 100) throw broken(context, `${path}.${key}`, "it has more than 100 views", inner.length);
    const views: Part[] = [];
    for (const [k, each] of inner.entries())
      views.push(await drawView(each as Json, `${path}.${key}[${k}]`, inside, drawing));
    return { ...own, [key]: views };
  }
  if (view.facet !== undefined) return { ...own, ...(await drawPanels(view, path, inside, drawing)) };
  throw broken(context, path, "it needs a mark, a layer, a facet or a concat", Object.keys(view).join(", "));
}

function refuseSize(size: Json | undefined, path: string, context: BlockContext): void {
  const pixels = isPart(size) ? size.step : size;
  if (pixels === undefined || (typeof pixels === "number" && pixels > 0 && pixels <= 10_000)) return;
  throw broken(context, path, "it is a number of pixels up to 10,000, or { step }", size);
}

function filtersOf(transform: Json | undefined, path: string, sight: Sight): Expr | null {
  if (transform === undefined || transform === null) return sight.where;
  const conditions = sight.where ? [sight.where] : [];
  if (!Array.isArray(transform)) throw broken(sight.context, `${path}.transform`, "it is a list", transform);
  for (const [k, each] of transform.entries()) {
    const at = `${path}.transform[${k}]`;
    const [key = "it", ...others] = isPart(each as Json) ? Object.keys(each as Part) : [];
    if (key !== "filter" || others.length > 0)
      throw broken(
        sight.context,
        at,
        `of transforms filter alone is worked out here; for ${quoted(key)} use derive or summarize before`,
        key,
      );
    conditions.push(predicate((each as Part).filter, `${at}.filter`, sight));
  }
  return conditions.length === 0 ? null : allOf(conditions);
}

/** Panels for each value of a column; their rows are those of all views in them, told apart by a number. */
async function drawPanels(view: Part, path: string, around: Around, drawing: Drawing): Promise<Part> {
  const { context } = drawing;
  if (around.panels) throw broken(context, `${path}.facet`, "panels stand in no other panels", "facet");
  const facet = view.facet as Json;
  if (!isPart(facet)) throw broken(context, `${path}.facet`, "it is { field } or { row, column }", facet);
  const sight = { frame: drawing.frame, context, where: around.where };
  const fresh = namer();
  const fields: Field[] = [];
  const one = async (definition: Json | undefined, at: string): Promise<Part> => {
    if (!isPart(definition)) throw broken(context, at, "it is { field }", definition);
    const field = await fieldOf(definition, at, {
      sight,
      isPosition: false,
      fresh: (title) => fresh(`panel ${title}`),
    });
    if (!field || field.isAggregate) throw broken(context, at, "it is { field } without an aggregate", definition);
    fields.push(field);
    return channelOf(definition, field);
  };
  const isSplit = facet.row !== undefined || facet.column !== undefined;
  const shown: { [key: string]: Part } = {};
  if (isSplit) {
    for (const key of ["row", "column"] as const)
      if (facet[key] !== undefined) shown[key] = await one(facet[key], `${path}.facet.${key}`);
  }
  const panels = isSplit ? shown : await one(facet, `${path}.facet`);
  const rows: Part[] = [];
  const spec = await drawView(view.spec, `${path}.spec`, { ...around, panels: { fields, rows } }, drawing);
  return { data: { values: rows }, facet: panels, spec };
}

/** Names of the picture's own rows: letters that say what they hold, and nothing that Vega could read as code. */
function namer(): (title: string) => string {
  const taken = new Set<string>(["view"]);
  return (title) => {
    const plain =
      title
        .replace(/[^A-Za-z0-9]+/g, "_")
        .replace(/^_|_$/g, "")
        .slice(0, 40) || "value";
    const safe = plain in {} || /^\d/.test(plain) ? `c_${plain}` : plain;
    let name = safe;
    for (let k = 2; taken.has(name); k++) name = `${safe}_${k}`;
    taken.add(name).add(`${name}_end`);
    return name;
  };
}

/** Channels along which a mark without a value has no place. */
const places = new Set(["x", "y", "x2", "y2", "theta", "radius"]);

async function drawUnit(view: Part, path: string, around: Around, drawing: Drawing): Promise<Part> {
  const { context, frame } = drawing;
  const mark: Part = isPart(view.mark) ? view.mark : { type: view.mark };
  const type = known(mark.type, marks, `${path}.mark`, context);
  const sight = { frame, context, where: around.where };
  const fresh = namer();
  for (const { name } of around.panels?.fields ?? []) fresh(name);
  const fields = new Map<string, Field>();
  const shown = new Map<string, Field>();
  const present: Expr[] = around.where ? [around.where] : [];
  const encoding: { [key: string]: Json | undefined } = {};

  const define = async (definition: Json | undefined, channel: string, at: string): Promise<Part> => {
    if (!isPart(definition)) throw broken(context, at, 'a channel is an object such as { field: "age" }', definition);
    const isPosition = channel === "x" || channel === "y";
    const key = JSON.stringify([
      definition.field,
      definition.aggregate,
      definition.timeUnit,
      definition.bin,
      isPosition,
    ]);
    const isKnown = fields.get(key);
    const field = isKnown ?? (await fieldOf(definition, at, { sight, isPosition, fresh }));
    if (definition.impute !== undefined)
      throw broken(context, `${at}.impute`, "fill gaps with missing before", definition.impute);
    if (isPart(definition.sort) && definition.sort.field !== undefined)
      throw broken(context, `${at}.sort`, 'sort by what is shown, as in sort: "-y"', definition.sort);
    const condition =
      definition.condition === undefined ? {} : { condition: await conditionOf(definition.condition, channel, at) };
    if (!field) return { ...definition, ...condition };
    fields.set(key, field);
    shown.set(channel, field);
    if (places.has(channel) && !field.isAggregate) present.push(call("not", call("isMissing", field.expr)));
    return { ...channelOf(definition, field), ...condition };
  };
  const conditionOf = async (condition: Json, channel: string, at: string): Promise<Json> => {
    const all = Array.isArray(condition) ? condition : [condition];
    const made: Json[] = [];
    for (const each of all as Json[]) {
      if (!isPart(each)) throw broken(context, `${at}.condition`, "it is { param, value }", each);
      if (each.test !== undefined)
        throw broken(context, `${at}.condition.test`, "derive a column for it before", "test");
      made.push(
        each.field === undefined && each.aggregate === undefined
          ? each
          : await define(each, `${channel} condition`, `${at}.condition`),
      );
    }
    return Array.isArray(condition) ? made : made[0];
  };

  for (const [channel, definition] of Object.entries(around.encoding)) {
    const at = `${path}.encoding.${channel}`;
    known(channel, channels, `${path}.encoding: channel`, context);
    if (definition === null || definition === undefined) encoding[channel] = definition;
    else if (Array.isArray(definition)) {
      const several: Part[] = [];
      for (const [k, each] of definition.entries())
        several.push(await define(each as Json, `${channel} ${k}`, `${at}[${k}]`));
      encoding[channel] = several;
    } else encoding[channel] = await define(definition, channel, at);
  }
  for (const along of ["x", "y"] as const) {
    const field = shown.get(along);
    if (field?.bins && field.type === "quantitative") encoding[`${along}2`] ??= { field: `${field.name}_end` };
  }
  encoding.tooltip = tooltipOf(encoding.tooltip, [...fields.values()], type);
  const all = [...fields.values(), ...(around.panels?.fields ?? [])];
  const { rows, marks: there, counted } = await rowsOf(all, present, drawing);
  const number = drawing.units.length;
  drawing.units.push({ mark: type, shown, rows, marks: there, counted });
  const { tooltip: _tooltip, aria: _aria, description: _description, ...look } = mark;
  const unit = { mark: { ...look, type }, encoding, ...paramsOf(view.params, shown, path, context) };
  if (!around.panels) return { ...unit, data: { values: rows } };
  for (const row of rows) around.panels.rows.push({ ...row, view: number });
  return { ...unit, transform: [{ filter: { field: "view", equal: number } }] };
}

/** What a channel says in the picture: the name of the made column in place of how it is made. */
function channelOf(definition: Part, field: Field): Part {
  const { field: _field, aggregate: _aggregate, bin: _bin, timeUnit: _unit, ...rest } = definition;
  const title = definition.title === null ? null : label(field.title);
  const scale =
    isPart(definition.scale) || definition.scale === undefined ? (definition.scale ?? {}) : definition.scale;
  // Without "utc" the axis would show the reader's own zone.
  const temporal = field.type === "temporal" ? { scale: { type: "utc", ...(scale as object) } as Json } : {};
  const order = orderOf(field);
  return {
    ...rest,
    field: field.name,
    type: field.type,
    title,
    ...temporal,
    ...(field.timeUnit ? { timeUnit: field.timeUnit } : {}),
    ...(field.bins && field.type === "quantitative" ? { bin: { binned: true, step: field.bins.step } } : {}),
    ...(order && rest.sort === undefined ? { sort: order } : {}),
  };
}

/** The order of words that stand for numbers. */
function orderOf({ names, bins, type }: Field): string[] | null {
  if (names) return names.filter((name) => name !== "");
  if (!bins || type === "quantitative") return null;
  return Array.from({ length: bins.count }, (_, k) => binWords(bins, k));
}

function binWords({ start, step }: NonNullable<Field["bins"]>, k: number): string {
  return `${edge(start + k * step)} – ${edge(start + (k + 1) * step)}`;
}

function edge(number: number): number {
  return Number(number.toPrecision(12));
}

/** What a mark says under the mouse; titles are keys in Vega's own code, so they are made safe for it. */
function tooltipOf(given: Json | undefined, fields: readonly Field[], mark: string): Json | undefined {
  if (given === null) return null;
  if (isPart(given) && given.field === undefined) return given.value === undefined ? null : given;
  if (["boxplot", "errorbar", "errorband"].includes(mark)) return undefined;
  const named = Array.isArray(given) ? (given as Part[]) : isPart(given) ? [given] : null;
  const items: Part[] = named ?? fields.map((field) => channelOf({}, field));
  const titles = tipTitles(items.map(({ title, field }) => [String(title ?? ""), String(field ?? "value")]));
  return items.map(({ scale: _scale, sort: _sort, bin: _bin, ...item }, k) => ({ ...item, title: titles[k] }));
}

/** What can be picked; columns are those that the picture shows. */
function paramsOf(
  params: Json | undefined,
  shown: ReadonlyMap<string, Field>,
  path: string,
  context: BlockContext,
): Part {
  if (!Array.isArray(params)) return {};
  const names = new Map([...shown.values()].map((field) => [field.title, field.name]));
  const made = params.map((param, k) => {
    if (!isPart(param as Json) || !isPart((param as Part).select)) return param as Json;
    const select = (param as Part).select as Part;
    if (!Array.isArray(select.fields)) return param as Json;
    const fields = select.fields.map((each) => {
      const name = names.get(String(each));
      if (name === undefined)
        throw broken(context, `${path}.params[${k}].select.fields`, "the picture shows no such column", each as Json);
      return name;
    });
    return { ...(param as Part), select: { ...select, fields } };
  });
  return { params: made };
}

/** The rows of a unit: groups with their aggregates, or the table's own; of too many some, the same ones each time. */
async function rowsOf(
  fields: readonly Field[],
  present: readonly Expr[],
  { frame, context, share }: Drawing,
): Promise<{ rows: Part[]; marks: number; counted: number }> {
  const where = present.length === 0 ? value(true) : allOf(present);
  const outputs = fields.map(({ expr }) => expr);
  const cellsOf = (found: readonly (readonly Cell[])[]) => found.map((row) => rowOf(row, fields));
  if (fields.length === 0) return { rows: [{}], marks: 1, counted: frame.rows };
  if (!fields.some(({ isAggregate }) => isAggregate)) {
    const counting = call("sum", call("choose", where, value(1), value(0)));
    const marks = Number((await context.tables.aggregate(frame.relation, {}, [counting]))[0] ?? 0);
    const drawn = marks > share ? allOf([where, drawnBy(share / marks)]) : where;
    const found = await context.tables.find(frame.relation, {}, { where: drawn, outputs, limit: share });
    return { rows: cellsOf(found.map((row) => row.slice(1))), marks, counted: marks };
  }
  const keys = fields.filter(({ isAggregate }) => !isAggregate).map(({ expr }) => expr);
  const by = keys.length > 0 ? keys : [call("coalesce", value(true), value(true))];
  const grouping = { by, outputs, where, limit: share };
  const ordered = by.map((expr) => ({ expr }));
  const found = await context.tables.groups(frame.relation, {}, { ...grouping, order: ordered });
  if (found.groups <= share) return { rows: cellsOf(found.found), marks: found.groups, counted: found.rows };
  const hash = call(
    "hash32",
    call("concat", ...by.flatMap((expr) => [call("coalesce", call("written", expr), value("")), value("\u0001")])),
  );
  const some = await context.tables.groups(frame.relation, {}, { ...grouping, order: [{ expr: hash }, ...ordered] });
  context.notice(
    `${context.block.name} (${context.block.code}): ${count(found.groups, "group")} are more than a picture can show; ${count(some.found.length, "group")} of them are drawn, the same ones each time.`,
  );
  return { rows: cellsOf(some.found), marks: found.groups, counted: found.rows };
}

/** True for about this share of the rows, spread over all of them. */
export function drawnBy(share: number): Expr {
  const spread = call("modulo", call("multiply", column(rowColumn, "integer"), value(2654435761)), value(2 ** 32));
  // A little fewer than there is room for, so that none is cut off at the end.
  return call("less", spread, value(Math.floor(share * 0.96 * 2 ** 32)));
}

function rowOf(cells: readonly Cell[], fields: readonly Field[]): Part {
  const row: { [key: string]: Json } = {};
  fields.forEach((field, k) => {
    const { name, bins, names, type } = field;
    const cell = cells[k];
    if (cell === null || cell === undefined) row[name] = type === "nominal" || type === "ordinal" ? "missing" : null;
    else if (bins && type === "quantitative") {
      row[name] = edge(bins.start + Number(cell) * bins.step);
      row[`${name}_end`] = edge(bins.start + (Number(cell) + 1) * bins.step);
    } else if (bins) row[name] = binWords(bins, Number(cell));
    else if (names) row[name] = names[Number(cell)] ?? String(cell);
    else if (type === "temporal") row[name] = finite(instant(cell));
    else if (type === "quantitative") row[name] = finite(Number(cell));
    else row[name] = typeof cell === "string" ? label(cell) || "(empty)" : cell;
  });
  return row;
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
