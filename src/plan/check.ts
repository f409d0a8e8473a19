import { type CallExpr, call, constantType, type Expr, itemsOf, type ListExpr, type ValueExpr } from "./expr.ts";
import { type FunctionKind, type FunctionName, functions, units } from "./functions.ts";
import { patternProblem } from "./pattern.ts";
import { caught, inQuotes, type Problem, Refusal, type Span, type Spans } from "./problem.ts";
import { isConstant, type Kind, type Parameter } from "./signature.ts";
import { common, type Schema, typeWords, type ValueType } from "./types.ts";

/** An expression whose types are right: every overload chosen, and what it answers. */
export interface Checked {
  readonly expr: Expr;
  readonly type: ValueType;
}

/** Which functions may stand where the expression does, besides those of one row; and how to say where that is. */
export interface Place {
  readonly kinds: readonly FunctionKind[];
  /** "a filter": for the sentence about an aggregate or window that has no place there. */
  readonly where: string;
}

/** What an expression is read in, where it was text. */
interface Sight {
  readonly schema: Schema;
  readonly place: Place;
  readonly spans: Map<Expr, Span>;
  /** Is it the argument of an aggregate or window? Those don't nest. */
  readonly within: FunctionName | null;
}

/**
 * Checks an expression's types against a table's columns, before anything runs.
 *
 * `+` of texts becomes `concat`, text beside a date a date, a boolean in arithmetic 0 or 1.
 */
export function check(
  expr: Expr,
  schema: Schema,
  place: Place,
  spans: Spans = new Map(),
): Checked | { readonly problem: Problem } {
  return caught(() => checked(expr, { schema, place, spans: new Map(spans), within: null }));
}

/** A part is checked into another one, which stands where it stood. */
function checked(expr: Expr, sight: Sight): Checked {
  const found = withType(expr, sight);
  const span = sight.spans.get(expr);
  if (span) sight.spans.set(found.expr, span);
  return found;
}

function withType(expr: Expr, sight: Sight): Checked {
  if ("column" in expr) {
    const type = typeIn(sight, expr.column, expr);
    return { expr: { column: expr.column, type }, type };
  }
  if ("value" in expr) return { expr, type: constantType(expr) };
  if ("list" in expr) {
    refuse(sight, expr, {
      code: "type",
      message: "a list stands only before .includes(…), or as edges and labels of cut",
    });
  }
  if ("parts" in expr) refuse(sight, expr, { code: "type", message: "SQL stands in no expression" });
  if ("artifact" in expr) refuse(sight, expr, { code: "type", message: "a file stands in no expression of its own" });
  return checkedCall(expr.call, expr, sight);
}

/** What a column holds. */
function typeIn(sight: Sight, name: string, expr: Expr): ValueType {
  return (
    sight.schema.get(name) ??
    refuse(sight, expr, {
      code: "unknown_column",
      message: `column ${inQuotes(name)} is not in the table`,
      got: name,
      candidates: [...sight.schema.keys()],
    })
  );
}

function checkedCall(name: FunctionName, expr: Extract<Expr, { call: FunctionName }>, sight: Sight): Checked {
  const { kind, signature } = functions[name];
  if (kind !== "row") refuseOutOfPlace(name, kind, expr, sight);
  const { parameters } = signature;
  refuseCount(name, parameters, expr, sight);
  const inner = kind === "row" ? sight : { ...sight, within: name };
  const parameterAt = (k: number): Parameter => parameters[Math.min(k, parameters.length - 1)];
  const args = expr.args.map((arg, k): Checked => {
    if (isConstant(parameterAt(k).kind))
      return { expr: checkedConstant(name, parameterAt(k), arg, sight), type: "missing" };
    return checked(arg, inner);
  });
  if (name === "add" && args.some(({ type }) => type === "string")) {
    return { expr: { ...expr, call: "concat", args: args.map((arg) => arg.expr) }, type: "string" };
  }
  if (name === "oneOf") return checkedOneOf(expr, args, sight);
  if (name === "cut") refuseIntervals(expr, args, sight);
  const fitted = fitArguments(name, expr, args, parameterAt, sight);
  const type = answerOf(signature.answer, fitted.any, fitted.number);
  return { expr: { ...expr, args: fitted.args, ...overOf(expr, sight) }, type };
}

/** What a window looks along, with the types of its keys. */
function overOf(expr: CallExpr, sight: Sight): Pick<CallExpr, "over"> {
  if (!expr.over) return {};
  const typed = (name: string) => typeIn(sight, name, expr);
  for (const name of expr.over.by) typed(name);
  return { over: { ...expr.over, order: expr.over.order.map((key) => ({ ...key, type: typed(key.column) })) } };
}

/** The arguments in the types that the parameters ask for, and what `T` and `N` turned out to be. */
function fitArguments(
  name: FunctionName,
  expr: Extract<Expr, { call: FunctionName }>,
  args: readonly Checked[],
  parameterAt: (k: number) => Parameter,
  sight: Sight,
): { readonly args: Expr[]; readonly any: ValueType; readonly number: ValueType } {
  const among = (kind: Kind) => args.filter((_, k) => parameterAt(k).kind === kind);
  const alike = withDates(among("T"));
  let any: ValueType = "missing";
  for (const each of alike) {
    const both = common(any, each.type);
    if (both === null) {
      refuse(sight, expr, {
        code: "type",
        message: `${shown(name)} needs values of one type, and ${describe(alike[0].expr)} is ${typeWords[any]}, ${describe(each.expr)} ${typeWords[each.type]}`,
        cure: "value" in each.expr ? cureFor(alike[0].expr, any, each.type) : cureFor(each.expr, each.type, any),
      });
    }
    any = both;
  }
  const number = among("N").some(({ type }) => type === "number") ? "number" : "integer";
  let t = 0;
  const fitted = args.map((arg, k) => {
    const { kind } = parameterAt(k);
    if (isConstant(kind) || kind === "any") return arg.expr;
    if (kind === "T") return alike[t++].expr;
    return asKind(name, kind, arg, sight);
  });
  return { args: fitted, any, number };
}

/** Text that is written beside a date is a date. */
function withDates(args: readonly Checked[]): readonly Checked[] {
  if (!args.some(({ type }) => type === "datetime")) return args;
  return args.map((arg) => {
    const isText = "value" in arg.expr && typeof arg.expr.value === "string" && arg.type === "string";
    return isText && isDate(arg.expr as ValueExpr)
      ? { expr: { ...(arg.expr as ValueExpr), as: "datetime" }, type: "datetime" }
      : arg;
  });
}

function isDate({ value }: ValueExpr): boolean {
  return (
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?$/.test(String(value)) &&
    !Number.isNaN(Date.parse(String(value)))
  );
}

/** An argument as its parameter wants it. */
function asKind(name: FunctionName, kind: Kind, { expr, type }: Checked, sight: Sight): Expr {
  if (type === "missing") return expr;
  const wanted = kind === "N" ? "number" : (kind as ValueType);
  const isNumber = wanted === "number" || wanted === "integer";
  if (isNumber && type === "boolean") return call("integer", expr);
  if (isNumber ? type === "integer" || type === wanted : type === wanted) return expr;
  return refuse(sight, expr, {
    code: "type",
    message: `${shown(name)} takes ${plural(wanted)}, and ${describe(expr)} is ${typeWords[type]}`,
    cure: cureFor(expr, type, wanted),
  });
}

function checkedOneOf(expr: Extract<Expr, { call: FunctionName }>, args: readonly Checked[], sight: Sight): Checked {
  const [x, list] = [args[0], args[1].expr as ListExpr];
  const items = itemsOf(list).map((item) => withDates([x, { expr: item, type: constantType(item) }])[1]);
  const odd = items.find((item) => item.type === "missing" || common(item.type, x.type) === null);
  if (odd) {
    refuse(sight, expr, {
      code: "type",
      message: `the list holds ${describe(odd.expr)}, which is ${typeWords[odd.type]}, and ${describe(x.expr)} is ${typeWords[x.type]}`,
      cure: odd.type === "missing" ? "Ask for missing cells apart: x == null." : cureFor(x.expr, x.type, odd.type),
    });
  }
  const as = x.type === "number" || x.type === "integer" || x.type === "datetime" ? { as: numberTypeOf(items) } : {};
  const constants = items.map((item) => (item.expr as ValueExpr).value);
  return { expr: { ...expr, args: [x.expr, { list: constants, ...as }] }, type: "boolean" };
}

function numberTypeOf(items: readonly Checked[]): "integer" | "number" | "datetime" {
  if (items.some(({ type }) => type === "datetime")) return "datetime";
  return items.some(({ type }) => type === "number") ? "number" : "integer";
}

/** Edges ascend, and there is a label between each two. */
function refuseIntervals(expr: Expr, args: readonly Checked[], sight: Sight): void {
  const [edges, labels] = [args[1], args[2]].map(({ expr: list }) => (list as ListExpr).list);
  const unsorted = edges.findIndex((edge, k) => k > 0 && !(Number(edge) > Number(edges[k - 1])));
  if (unsorted > 0) {
    refuse(sight, expr, {
      code: "type",
      message: `edges of cut() must ascend, and ${edges[unsorted]} comes behind ${edges[unsorted - 1]}`,
    });
  }
  if (edges.length === labels.length + 1) return;
  refuse(sight, expr, {
    code: "type",
    message: `cut() needs one label between each two edges: ${edges.length} edges take ${Math.max(0, edges.length - 1)} labels, and ${labels.length} came`,
  });
}

/** What a checked expression answers. */
export function typeOf(expr: Expr): ValueType {
  if ("column" in expr) return expr.type ?? "missing";
  if ("value" in expr) return constantType(expr);
  if ("list" in expr || "parts" in expr || "artifact" in expr) return "missing";
  const { parameters, answer } = functions[expr.call].signature;
  if (answer !== "T" && answer !== "N") return answer as ValueType;
  const among = expr.args.flatMap((arg, k) =>
    parameters[Math.min(k, parameters.length - 1)].kind === answer ? typeOf(arg) : [],
  );
  if (answer === "N") return among.includes("number") ? "number" : "integer";
  return among.reduce((all, each) => common(all, each) ?? all, "missing");
}

function answerOf(answer: Kind, any: ValueType, number: ValueType): ValueType {
  if (answer === "T") return any;
  return answer === "N" ? number : (answer as ValueType);
}

function refuseOutOfPlace(name: FunctionName, kind: FunctionKind, expr: Expr, { place, within, spans }: Sight): void {
  if (within !== null) {
    throw new Refusal({
      code: "not_here",
      message: `${name}() stands within ${within}(), and neither aggregates nor windows nest`,
      cure: "Derive the inner one as a column first.",
      ...spanOf(spans, expr),
    });
  }
  if (place.kinds.includes(kind)) return;
  const word = kind === "aggregate" ? "an aggregate over many rows" : "a window over the rows around";
  throw new Refusal({
    code: "not_here",
    message: `${name}() is ${word}, which has no place in ${place.where}`,
    ...spanOf(spans, expr),
  });
}

function refuseCount(
  name: FunctionName,
  parameters: readonly Parameter[],
  expr: Extract<Expr, { call: FunctionName }>,
  sight: Sight,
): void {
  const least = parameters.filter(({ isOptional, isRest }) => !isOptional && !isRest).length;
  const most = parameters.some(({ isRest }) => isRest) ? Number.POSITIVE_INFINITY : parameters.length;
  const n = expr.args.length;
  if (n >= least && n <= most) return;
  const form = `${name}(${parameters.map(({ name: each, isOptional, isRest }) => `${isRest ? "..." : ""}${each}${isOptional ? "?" : ""}`).join(", ")})`;
  const row = { min: "least", max: "greatest" }[name as string];
  refuse(sight, expr, {
    code: "type",
    message: `${form} takes ${argumentsWord(least, most)}, and ${n} came`,
    ...(row && n > 1 ? { cure: `The ${row} of several columns is ${row}(…).` } : {}),
  });
}

function argumentsWord(least: number, most: number): string {
  const word = (n: number) => (n === 1 ? "1 argument" : `${n === 0 ? "no" : n} arguments`);
  if (least === most) return word(least);
  return most === Number.POSITIVE_INFINITY ? `at least ${word(least)}` : `${least} to ${word(most)}`;
}

/** An argument that must be known before anything runs. */
function checkedConstant(name: FunctionName, { name: parameter, kind }: Parameter, arg: Expr, sight: Sight): Expr {
  const wrong = (wanted: string): never =>
    refuse(sight, arg, {
      code: "type",
      message: `${parameter} of ${name}() must be ${wanted}, known beforehand, and ${describe(arg)} came`,
    });
  if (kind === "numbers" || kind === "strings" || kind === "list") {
    if (!("list" in arg))
      return wrong(kind === "strings" ? 'a list of texts, as ["low", "high"]' : "a list, as [1, 2, 3]");
    const isRight = kind === "list" || itemsOf(arg).every((each) => isOfKind(constantType(each), kind));
    return isRight ? arg : wrong(kind === "numbers" ? "a list of numbers" : "a list of texts");
  }
  if (kind === "file") return "artifact" in arg ? arg : wrong("a file of lists");
  const constant = "value" in arg ? arg.value : undefined;
  switch (kind) {
    case "pattern": {
      if (typeof constant !== "string") return wrong("a regular expression");
      const problem = patternProblem(constant);
      return problem === null ? arg : refuse(sight, arg, { code: "type", message: `pattern of ${name}() ${problem}` });
    }
    case "unit":
      if ((units as readonly unknown[]).includes(constant)) return arg;
      return refuse(sight, arg, {
        code: "type",
        message: `unit of ${name}() must be one of ${units.join(", ")}, and ${describe(arg)} came`,
        ...(typeof constant === "string" ? { got: constant, candidates: units } : {}),
      });
    case "count":
      return typeof constant === "number" && Number.isSafeInteger(constant) && constant >= 1
        ? arg
        : wrong("a whole number from 1");
    case "whole":
      return typeof constant === "number" && Number.isSafeInteger(constant) ? arg : wrong("a whole number");
    default:
      return typeof constant === "number" && constant >= 0 && constant <= 1 ? arg : wrong("a number from 0 to 1");
  }
}

function isOfKind(type: ValueType, kind: "numbers" | "strings"): boolean {
  return kind === "strings" ? type === "string" : type === "integer" || type === "number";
}

function cureFor(expr: Expr, type: ValueType, wanted: ValueType): string {
  const isText = type === "string";
  const cast = { number: "number", integer: "number", string: "text", boolean: "boolean", datetime: "date" }[
    wanted as string
  ];
  if (wanted === "datetime" && type !== "string") return 'Compare it with a date, as in date("2026-01-31").';
  if (wanted === "datetime")
    return `date(${inCode(expr)}) reads dates such as 2026-01-31, astype({ columns: ["…"], type: "datetime" }) other forms.`;
  if (wanted === "boolean" && !isText) return `Compare it, as in ${inCode(expr)} > 0.`;
  return cast ? `${cast}(${inCode(expr)}) makes it so.` : "";
}

/** A part of an expression as an error names it: a column by its name, a constant as it stands. */
function describe(expr: Expr): string {
  if ("column" in expr) return expr.column.length > 60 ? `${expr.column.slice(0, 57)}…` : expr.column;
  if ("value" in expr) return JSON.stringify(expr.value).slice(0, 60);
  if ("list" in expr) return "a list";
  if ("parts" in expr) return "SQL";
  if ("artifact" in expr) return "a file";
  const { sign, group } = functions[expr.call];
  return group === "operators" && sign ? `what ${shown(expr.call)} answers` : `${expr.call}(…)`;
}

function inCode(expr: Expr): string {
  return "column" in expr && !/^[A-Za-z_$][\w$]*$/.test(expr.column)
    ? `d[${JSON.stringify(expr.column)}]`
    : describe(expr);
}

function shown(name: FunctionName): string {
  const { sign, group } = functions[name];
  return group === "operators" && sign ? sign : `${name}()`;
}

function plural(type: ValueType): string {
  const words: Partial<Record<ValueType, string>> = {
    number: "numbers",
    integer: "whole numbers",
    string: "text",
    datetime: "dates",
    boolean: "conditions",
  };
  return words[type] ?? typeWords[type];
}

function spanOf(spans: Spans, expr: Expr): { readonly span?: Span } {
  const span = spans.get(expr);
  return span ? { span } : {};
}

function refuse({ spans }: Sight, expr: Expr, problem: Problem): never {
  throw new Refusal({ ...problem, ...spanOf(spans, expr) });
}
