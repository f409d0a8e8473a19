import { stack, text, type View } from "../core/view.ts";
import { Chain } from "./chain.ts";
import type { Helpers } from "./helpers.ts";
import methods from "./methods.json" with { type: "json" };
import { Model } from "./model.ts";
import { Result } from "./result.ts";
import { Session } from "./session.ts";
import { Table } from "./table.ts";

/** A method of the session, of chains, or of what they answer, that is no block. */
export interface Method {
  readonly name: string;
  readonly on: string;
  readonly doc: string;
  readonly call: string;
  readonly args: Readonly<Record<string, { readonly type: string; readonly doc: string }>>;
  /** Code that shows it at work, in a project without blocks as well; null for a method of an answer. */
  readonly example: string | null;
}

/** The classes whose methods there is help for, by name. */
const classes: Readonly<Record<string, { readonly prototype: object }>> = { Session, Chain, Result, Table, Model };

const penguins = 'session.input("sample:penguins")';
const iris = 'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 })';
const network =
  'session.input("sample:iris").xy({ y: "species" }).scale("minmax").rbm({ n_components: 8, random_state: 0 }).train()';

/** The methods that people call; the compiler sees to it that none is without an example. */
type Called = Exclude<keyof Session & string, keyof Helpers | "link" | "last" | "before" | "enqueue" | "enqueueModel">;

const examples: Readonly<Record<Called | "branch" | "show", string>> = {
  project: 'session.project("second")',
  projects: "session.projects()",
  current: "session.current()",
  blocks: "session.blocks()",
  graph: "session.graph()",
  models: "session.models()",
  compare: `${iris}.knn().then(() => session.compare())`,
  card: `${iris}.knn().then(() => session.card())`,
  columns: "session.columns()",
  at: `${penguins}.then(({ record }) => session.at(record.block_id).describe())`,
  predict: `${iris}.knn().predict()`,
  metrics: `${iris}.knn().metrics({ metric: "accuracy" })`,
  train: network,
  evaluate: `${network}.evaluate()`,
  explain: `${penguins}.then(() => session.explain())`,
  sql: `${penguins}.then(() => session.sql())`,
  code: `${penguins}.then(() => session.code({ as: "python" }))`,
  notebook: `${penguins}.then(() => session.notebook())`,
  onProgress: "session.onProgress(({ phase, done, total }) => console.log(phase, done, total))",
  onBlock: "session.onBlock(({ record, ms }) => console.log(record.function_code, ms))",
  settled: "session.settled()",
  close: "session.close()",
  branch: `${penguins}.branch().describe()`,
  show: `${penguins}.show()`,
};

/** A method by its name, alone or behind what it is called on, as in "Table.page"; undefined when there is none. */
export function methodNamed(name: string): Method | undefined {
  const [, owner, own] = /^(?:(\w+)\.)?(\w+)$/.exec(name) ?? [];
  if (own === undefined) return undefined;
  const isConductor = owner === undefined || /^(?:session|chain)$/i.test(owner);
  const key = isConductor ? own : `${owner[0].toUpperCase()}${owner.slice(1)}.${own}`;
  // A cast because the keys of the file are known where they are read alone.
  const found = Object.hasOwn(methods, key) ? (methods as Record<string, Omit<Method, "name" | "example">>)[key] : null;
  if (!found) return undefined;
  return { name: own, ...found, example: Object.hasOwn(examples, key) ? examples[key as keyof typeof examples] : null };
}

/** The method that a function is, as in `help(session.at)`. */
export function methodOf(subject: unknown): Method | undefined {
  if (typeof subject !== "function") return undefined;
  const owner = Object.keys(classes).find(
    (name) => Object.getOwnPropertyDescriptor(classes[name].prototype, subject.name)?.value === subject,
  );
  return owner === undefined ? undefined : methodNamed(`${owner}.${subject.name}`);
}

/** The names of all methods. */
export const methodNames: readonly string[] = Object.keys(examples);

/** The help of one method as a view. */
export function methodView({ on, call, doc, args, example }: Method): View {
  const items = Object.entries(args).map(([label, each]) => ({ label, value: each.type, note: each.doc }));
  return stack(
    text(`${on.toLowerCase()}.${call}`),
    text(doc.replaceAll(/(?<!\n)\n(?!\n)/g, " ")),
    items.length > 0 && { kind: "facts", items },
    example !== null && text(`Example: ${example}`, "quiet"),
  );
}

/** One option of a method as a view; null when it has none of that name. */
export function argumentOf({ name, args, example }: Method, argument: string): View | null {
  if (!Object.hasOwn(args, argument)) return null;
  const { type, doc } = args[argument];
  return stack(
    text(`${argument}, of ${name}()`),
    { kind: "facts", items: [{ label: argument, value: `${type}, optional`, note: doc }] },
    example !== null && text(`Example: ${example}`, "quiet"),
  );
}
