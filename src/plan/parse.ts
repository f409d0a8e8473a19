import type { AnyNode, Expression, Pattern, PrivateIdentifier, Super } from "acorn";
import { balanced, type Constant, call, column, type Expr, type ListExpr, type ValueExpr, value } from "./expr.ts";
import { callable } from "./functions.ts";
import { limits, tooDeep, tooManyParts } from "./limits.ts";
import { binaries, functionNamed, methodNamed, own, refused } from "./names-in-text.ts";
import { caught, inQuotes, type Problem, Refusal, type Span, type Spans } from "./problem.ts";
import { treeOf } from "./tree.ts";

/** Values of the caller's program that an expression may name, behind its second parameter. */
export type Parameters = Readonly<Record<string, Constant | readonly Constant[]>>;

/** What was read: an expression whose types nobody has looked at yet, and where each part of it stood. */
export interface Parsed {
  readonly expr: Expr;
  readonly spans: Spans;
}

/**
 * Reads an expression: an arrow function's text (`d => d.units * d.price`) or a formula over bare names of columns.
 *
 * A closed subset of JavaScript, which is parsed and never run. `columns` tells a name from a slip: a bare name is a
 * column where there is one, `d.name` is one always.
 */
export function parse(
  text: string,
  columns: ReadonlySet<string>,
  parameters: Parameters = {},
): Parsed | { readonly problem: Problem } {
  return caught(() => new Reader(text, columns, parameters).read());
}

type Node = Expression | Pattern | Super | PrivateIdentifier | AnyNode;

class Reader {
  readonly #text: string;
  readonly #columns: ReadonlySet<string>;
  readonly #parameters: Parameters;
  readonly #spans = new Map<Expr, Span>();
  /** What the row and its parameters are called. */
  #row: string | null = null;
  #params: string | null = null;
  #parts = 0;

  constructor(text: string, columns: ReadonlySet<string>, parameters: Parameters) {
    this.#text = text;
    this.#columns = columns;
    this.#parameters = parameters;
  }

  read(): Parsed {
    return { expr: this.#expr(this.#body(treeOf(this.#text)), 1), spans: this.#spans };
  }

  /** The expression that a function answers, or the formula itself. */
  #body(tree: Expression): Node {
    if (tree.type !== "ArrowFunctionExpression" && tree.type !== "FunctionExpression") {
      // A formula names odd columns as functions do: d["odd name"].
      if (!this.#columns.has("d")) this.#row = "d";
      return tree;
    }
    if (tree.async || tree.generator) this.#no(tree, "an expression is a plain function of a row");
    const [row, params, more] = tree.params;
    if (row && row.type !== "Identifier") this.#no(row, "a row has one name, as in d => d.age");
    if (params && params.type !== "Identifier")
      this.#no(params, "the parameters have one name, as in (d, $) => d.age > $.limit");
    if (more) this.#no(more, "an expression takes a row and its parameters, as in (d, $) => d.age > $.limit");
    this.#row = row?.type === "Identifier" ? row.name : null;
    this.#params = params?.type === "Identifier" ? params.name : null;
    if (tree.body.type !== "BlockStatement") return tree.body;
    const [only, ...others] = tree.body.body;
    if (only?.type !== "ReturnStatement" || others.length > 0 || !only.argument) {
      return this.#no(tree.body, "an expression is one formula, without statements");
    }
    return only.argument;
  }

  #expr(node: Node, level: number): Expr {
    if (level > limits.levels) throw tooDeep();
    if (++this.#parts > limits.parts) throw tooManyParts();
    const made = this.#made(node, (inner) => this.#expr(inner, level + 1));
    if (!this.#spans.has(made)) this.#spans.set(made, { start: node.start, end: node.end });
    return made;
  }

  #made(node: Node, inner: (node: Node) => Expr): Expr {
    switch (node.type) {
      case "ChainExpression":
        return this.#no(node, "?. is not needed: what touches a missing cell is missing");
      case "Literal":
        return this.#literal(node);
      case "TemplateLiteral": {
        const parts = node.quasis.flatMap(({ value: { cooked } }, k): Expr[] => [
          ...(cooked ? [value(cooked)] : []),
          ...(k < node.expressions.length ? [inner(node.expressions[k])] : []),
        ]);
        return parts.length === 0 ? value("") : call("concat", ...parts);
      }
      case "Identifier":
        return this.#identifier(node);
      case "ArrayExpression":
        return this.#list(node, inner);
      case "UnaryExpression":
        return this.#unary(node, inner);
      case "BinaryExpression":
        return this.#binary(node, inner);
      case "LogicalExpression": {
        const operands = chain(node, node.operator).map(inner);
        if (node.operator === "??") return call("coalesce", ...operands);
        return balanced(node.operator === "&&" ? "and" : "or", operands);
      }
      case "ConditionalExpression":
        return call("choose", inner(node.test), inner(node.consequent), inner(node.alternate));
      case "MemberExpression":
        return this.#member(node, inner);
      case "CallExpression":
        return this.#call(node, inner);
      default:
        return this.#no(
          node,
          `${refused[node.type] ?? "this"} has no place in an expression, which is a formula and is never run as code`,
        );
    }
  }

  #literal(node: Extract<AnyNode, { type: "Literal" }>): Expr {
    if (node.regex) {
      const flags = node.regex.flags.replace(/[gu]/g, "");
      return /^[ims]*$/.test(flags)
        ? value(flags === "" ? node.regex.pattern : `(?${flags})${node.regex.pattern}`)
        : this.#no(node, `the flag ${flags} of a regular expression is not known here`);
    }
    if (typeof node.bigint === "string") return value(node.bigint, "integer");
    if (typeof node.value !== "number") return value(node.value as Constant);
    const isWhole = /^\d+$/.test(node.raw ?? "");
    if (isWhole && !Number.isSafeInteger(node.value)) return value(node.raw as string, "integer");
    return isWhole ? value(node.value) : value(node.value, "number");
  }

  #identifier(node: Extract<AnyNode, { type: "Identifier" }>): Expr {
    const { name } = node;
    if (name === this.#row)
      return this.#no(
        node,
        `${name} is the whole row; name one of its columns, as in ${name}.${[...this.#columns][0] ?? "age"}`,
      );
    if (name === this.#params)
      return this.#no(node, `${name} holds all parameters; name one of them, as in ${name}.limit`);
    if (this.#columns.has(name)) return column(name);
    const known = own({ undefined: null, NaN: null, Infinity: Number.POSITIVE_INFINITY }, name);
    if (known !== undefined) return value(known);
    const row = this.#row ?? "d";
    const short = name.slice(0, 60);
    const isFunction = (callable as readonly string[]).includes(name);
    throw new Refusal({
      code: "unknown_column",
      message: isFunction
        ? `${name} is a function, and here stands without its brackets`
        : `${inQuotes(name)} is neither a column nor a function`,
      cure: isFunction
        ? `Write ${name}(…).`
        : `A value of your program comes in by params: (${row}, $) => … $.${short} …, { params: { ${short} } }.`,
      ...(isFunction ? {} : { got: name, candidates: [...this.#columns] }),
      span: { start: node.start, end: node.end },
    });
  }

  #list(node: Extract<AnyNode, { type: "ArrayExpression" }>, inner: (node: Node) => Expr): ListExpr {
    const items = node.elements.map((element): ValueExpr => {
      const item = element && element.type !== "SpreadElement" ? inner(element) : null;
      if (item && "value" in item) return item;
      return this.#no(element ?? node, "a list holds constants alone");
    });
    if (new Set(items.map((item) => typeof item.value)).size > 1 && !items.every(isNumber)) {
      this.#no(node, "a list holds constants of one type");
    }
    return listOf(items);
  }

  #unary(node: Extract<AnyNode, { type: "UnaryExpression" }>, inner: (node: Node) => Expr): Expr {
    // What minifiers make of undefined, true and false.
    const bit = node.argument.type === "Literal" ? node.argument.value : null;
    if (node.operator === "void" && bit === 0) return value(null);
    if (node.operator === "!" && (bit === 0 || bit === 1)) return value(bit === 0);
    const argument = inner(node.argument);
    switch (node.operator) {
      case "!":
        return call("not", argument);
      case "+":
        return call("number", argument);
      case "-":
        return "value" in argument && argument.value !== null ? negated(argument) : call("negate", argument);
      default:
        return this.#no(node, `${node.operator} has no place in an expression`);
    }
  }

  #binary(node: Extract<AnyNode, { type: "BinaryExpression" }>, inner: (node: Node) => Expr): Expr {
    const name = binaries[node.operator];
    if (name === undefined) return this.#no(node, `${node.operator} has no place in an expression`);
    const [left, right] = [inner(node.left), inner(node.right)];
    if (name === "equal" || name === "notEqual") {
      const present = isNull(left) ? right : isNull(right) ? left : null;
      if (present) {
        const asked = call("isMissing", present);
        return name === "equal" ? asked : call("not", asked);
      }
    }
    return call(name, left, right);
  }

  #member(node: Extract<AnyNode, { type: "MemberExpression" }>, inner: (node: Node) => Expr): Expr {
    const { object } = node;
    const key = this.#key(node);
    if (object.type === "Identifier" && key !== null) {
      if (object.name === this.#row) return column(String(key));
      if (object.name === this.#params) return this.#parameter(node, String(key));
      if (object.name === "Math" && !this.#columns.has("Math") && typeof key === "string") {
        const constant = own({ PI: Math.PI, E: Math.E }, key);
        if (constant !== undefined) return value(constant);
      }
    }
    // A part of a text that was split: x.split(",")[0].
    if (node.computed && typeof key === "number") {
      const parts = inner(object);
      if ("call" in parts && parts.call === "split" && parts.args.length === 2)
        return { ...parts, args: [...parts.args, value(key)] };
    }
    if (key === "length") return call("length", inner(object));
    const isColumn = this.#row === null && object.type === "Identifier" && object.name === "d";
    return this.#no(
      node,
      isColumn
        ? "d is a column of this table; begin with d => where it is to be the row"
        : `${this.#shown(node)} is neither a column nor a method that expressions know`,
    );
  }

  /** The name or number behind a dot or in brackets; null where it is worked out. */
  #key({ computed, property }: Extract<AnyNode, { type: "MemberExpression" }>): string | number | null {
    if (!computed) return property.type === "Identifier" ? property.name : null;
    const isNegative = property.type === "UnaryExpression" && property.operator === "-";
    const literal = isNegative ? property.argument : property;
    if (literal.type !== "Literal") return null;
    const { value: key } = literal;
    if (typeof key === "number") return isNegative ? -key : key;
    return typeof key === "string" ? key : null;
  }

  #parameter(node: Node, name: string): Expr {
    if (!Object.hasOwn(this.#parameters, name)) {
      throw new Refusal({
        code: "unknown_parameter",
        message: `params holds no ${inQuotes(name)}`,
        cure: `Give it, as in { params: { ${name.slice(0, 60)} } }.`,
        got: name,
        candidates: Object.keys(this.#parameters),
        span: { start: node.start, end: node.end },
      });
    }
    const given = this.#parameters[name];
    return Array.isArray(given) ? listOf(given.map((each: Constant) => value(each))) : value(given as Constant);
  }

  #call(node: Extract<AnyNode, { type: "CallExpression" }>, inner: (node: Node) => Expr): Expr {
    const args = () =>
      node.arguments.map((argument) =>
        argument.type === "SpreadElement" ? this.#no(argument, "... has no place in an expression") : inner(argument),
      );
    const { callee } = node;
    if (callee.type === "Identifier") return { call: functionNamed(callee.name, callee), args: args() };
    if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier") {
      return this.#no(callee, "only functions of the language can be called");
    }
    const method = callee.property.name;
    if (callee.object.type === "Identifier" && callee.object.name === "Math" && !this.#columns.has("Math")) {
      return { call: functionNamed(`Math.${method}`, callee), args: args() };
    }
    if (callee.object.type === "Literal" && callee.object.regex && method === "test") {
      return { call: "matches", args: [...args(), inner(callee.object)] };
    }
    const self = inner(callee.object);
    if ("list" in self) {
      if (method !== "includes") return this.#no(callee, "a list knows .includes(x) alone");
      return { call: "oneOf", args: [...args(), self] };
    }
    return { call: method === "replace" ? "replaceFirst" : methodNamed(method, callee), args: [self, ...args()] };
  }

  #shown({ start, end }: Node): string {
    const shown = this.#text.slice(start, end);
    return JSON.stringify(shown.length > 40 ? `${shown.slice(0, 37)}…` : shown);
  }

  #no({ start, end }: Node, message: string): never {
    throw new Refusal({ code: "syntax", message, span: { start, end } });
  }
}

function isNumber({ value: constant, as }: ValueExpr): boolean {
  return typeof constant === "number" || as === "integer" || as === "number";
}

/** A list of constants; one of them that is a number, and not a whole one, makes them all so. */
function listOf(items: readonly ValueExpr[]): ListExpr {
  const as = items.some((item) => item.as === "number") ? "number" : items.find((item) => item.as)?.as;
  const list = items.map((item) => item.value);
  return as === undefined ? { list } : { list, as };
}

/** The operands of the same operator, one after the other: a && b && c. */
function chain(node: Node, operator: string): Node[] {
  const operands: Node[] = [];
  let left: Node = node;
  while (left.type === "LogicalExpression" && left.operator === operator) {
    operands.unshift(left.right);
    left = left.left;
  }
  return [left, ...operands];
}

function isNull(expr: Expr): boolean {
  return "value" in expr && expr.value === null;
}

function negated({ value: constant, as }: ValueExpr): Expr {
  if (typeof constant === "number") return value(-constant, as);
  if (as !== "integer" && as !== "number") return call("negate", { value: constant });
  const digits = String(constant);
  return { value: digits.startsWith("-") ? digits.slice(1) : `-${digits}`, as };
}
