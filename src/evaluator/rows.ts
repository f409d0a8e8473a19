import type ts from "typescript";
import type { KnownColumn, Language, Tables } from "./types-protocol.ts";

/** The columns that a function of a row may name there. */
export interface Row {
  readonly columns: ReadonlyMap<string, string>;
  /** There are no others: a name that is not among them is a slip. */
  readonly isWhole: boolean;
}

/** A function of a row in a cell, such as `d => d.age > 30`. */
export interface RowFunction {
  readonly start: number;
  readonly end: number;
  readonly row: Row;
}

const nothing: Row = { columns: new Map(), isWhole: false };

/**
 * Finds the functions in a cell that stand for an expression over a table's row, and what is known of the table.
 *
 * A chain begins with the session or a variable, whose columns `tables` tells; each block that it calls keeps them, adds
 * some, or makes others.
 */
export function rowFunctions(
  compiler: typeof ts,
  source: ts.SourceFile,
  language: Language,
  tables: Tables,
): RowFunction[] {
  return new Finder(compiler, source, language, tables).find();
}

class Finder {
  readonly #ts: typeof ts;
  readonly #source: ts.SourceFile;
  readonly #language: Language;
  readonly #tables: Tables;
  readonly #found: RowFunction[] = [];
  /** What the session's last block holds where the reading has come to; null: what came before the cell. */
  #session: Row | null = null;
  readonly #answers = new Map<ts.Node, Row>();

  constructor(compiler: typeof ts, source: ts.SourceFile, language: Language, tables: Tables) {
    this.#ts = compiler;
    this.#source = source;
    this.#language = language;
    this.#tables = tables;
  }

  find(): RowFunction[] {
    this.#visit(this.#source);
    return this.#found;
  }

  #visit(node: ts.Node): void {
    const compiler = this.#ts;
    // A call's chain runs before it does, so the chain is visited first.
    if (compiler.isCallExpression(node) && compiler.isPropertyAccessExpression(node.expression)) {
      this.#visit(node.expression.expression);
      this.#call(node, node.expression);
      return;
    }
    node.forEachChild((child) => this.#visit(child));
  }

  #call(node: ts.CallExpression, callee: ts.PropertyAccessExpression): void {
    const name = callee.name.text;
    const does = this.#language.helpers[name];
    const before = does === undefined ? null : this.#rowOf(callee.expression);
    if (does === undefined || before === null) {
      if (name === "project" || name === "at") this.#session = nothing;
      for (const each of node.arguments) this.#visit(each);
      return;
    }
    const row = this.#certain(node, before);
    const added = this.#namesIn(node, "columns");
    const seen = does === "adds" ? withAdded(row, added) : row;
    for (const each of node.arguments) this.#functionsIn(each, seen);
    const after =
      does === "keeps" ? row : does === "adds" ? withAdded(row, added) : does === "extends" ? open(row) : nothing;
    this.#answers.set(node, after);
    this.#session = this.#isStraight(node) ? after : nothing;
  }

  /** What is not run once, straight after what stands before it, may meet other tables. */
  #certain(node: ts.Node, row: Row): Row {
    return this.#isStraight(node) ? row : open(row);
  }

  #isStraight(node: ts.Node): boolean {
    const compiler = this.#ts;
    for (let each = node.parent; each && !compiler.isSourceFile(each); each = each.parent) {
      if (
        compiler.isFunctionLike(each) ||
        compiler.isIterationStatement(each, false) ||
        compiler.isIfStatement(each) ||
        compiler.isTryStatement(each) ||
        compiler.isSwitchStatement(each) ||
        compiler.isConditionalExpression(each) ||
        compiler.isClassLike(each)
      )
        return false;
    }
    return true;
  }

  /** The table that a chain stands for; null for what is no chain, as far as is known. */
  #rowOf(node: ts.Expression): Row | null {
    const compiler = this.#ts;
    if (
      compiler.isParenthesizedExpression(node) ||
      compiler.isAwaitExpression(node) ||
      compiler.isNonNullExpression(node) ||
      compiler.isAsExpression(node)
    )
      return this.#rowOf(node.expression);
    if (compiler.isIdentifier(node)) return this.#variable(node);
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return null;
    if (node.expression.name.text === "branch") return this.#rowOf(node.expression.expression);
    return this.#answers.get(node) ?? null;
  }

  #variable(node: ts.Identifier): Row | null {
    const name = node.text;
    if (name === "session" && !this.#declaration(name)) return this.#session ?? this.#known(name) ?? nothing;
    const made = this.#declaration(name);
    if (made === null) return this.#known(name);
    return made.initializer && !made.isChanged ? (this.#rowOf(made.initializer) ?? null) : this.#known(name) && nothing;
  }

  #known(name: string): Row | null {
    if (!Object.hasOwn(this.#tables, name)) return null;
    return { columns: new Map(this.#tables[name].map((each: KnownColumn) => [each.name, each.type])), isWhole: true };
  }

  /** Where the cell itself gives the name a value; null where it does not. */
  #declaration(name: string): { readonly initializer: ts.Expression | undefined; readonly isChanged: boolean } | null {
    const compiler = this.#ts;
    let first: { initializer: ts.Expression | undefined } | null = null;
    let times = 0;
    const look = (node: ts.Node): void => {
      const isDeclared =
        (compiler.isVariableDeclaration(node) || compiler.isParameter(node)) &&
        compiler.isIdentifier(node.name) &&
        node.name.text === name;
      const isAssigned =
        compiler.isBinaryExpression(node) &&
        node.operatorToken.kind >= compiler.SyntaxKind.FirstAssignment &&
        node.operatorToken.kind <= compiler.SyntaxKind.LastAssignment &&
        compiler.isIdentifier(node.left) &&
        node.left.text === name;
      if (isDeclared) first ??= { initializer: node.initializer };
      if (isAssigned) first ??= { initializer: undefined };
      if (isDeclared || isAssigned) times++;
      node.forEachChild(look);
    };
    look(this.#source);
    // A cast because the assignments in the closure are invisible to the type checker.
    const made = first as { initializer: ts.Expression | undefined } | null;
    return made && { ...made, isChanged: times > 1 };
  }

  /** The names that an option's object gives; null where they are not written out. */
  #namesIn(node: ts.CallExpression, option: string): readonly string[] | null {
    const compiler = this.#ts;
    const options = node.arguments.find((each) => compiler.isObjectLiteralExpression(each));
    const given = options?.properties.find(
      (each): each is ts.PropertyAssignment =>
        compiler.isPropertyAssignment(each) && each.name.getText(this.#source) === option,
    )?.initializer;
    if (!given || !compiler.isObjectLiteralExpression(given)) return null;
    const names = given.properties.map((each) =>
      each.name && (compiler.isIdentifier(each.name) || compiler.isStringLiteral(each.name)) ? each.name.text : null,
    );
    return names.includes(null) ? null : (names as string[]);
  }

  #functionsIn(node: ts.Node, row: Row): void {
    if (this.#ts.isArrowFunction(node) || this.#ts.isFunctionExpression(node)) {
      this.#found.push({ start: node.getStart(this.#source), end: node.end, row });
      return;
    }
    // A chain within, such as the other table of a join, is one of its own.
    if (this.#ts.isCallExpression(node)) this.#visit(node);
    else node.forEachChild((child) => this.#functionsIn(child, row));
  }
}

function withAdded(row: Row, names: readonly string[] | null): Row {
  if (names === null) return open(row);
  return { ...row, columns: new Map([...row.columns, ...names.map((name) => [name, "derived"] as const)]) };
}

/** The columns are there, and maybe others. */
function open(row: Row): Row {
  return { ...row, isWhole: false };
}
