import { stack, text, type View } from "../core/view.ts";
import { Chain } from "./chain.ts";
import type { Helpers } from "./helpers.ts";
import methods from "./methods.json" with { type: "json" };
import { Session } from "./session.ts";

/** A method of the session, or of chains, that is no block. */
export interface Method {
  readonly name: string;
  readonly on: string;
  readonly doc: string;
  readonly call: string;
  readonly args: Readonly<Record<string, { readonly type: string; readonly doc: string }>>;
  /** Code that shows it at work, in a project without blocks as well. */
  readonly example: string;
}

const penguins = 'session.input("sample:penguins")';
const iris = 'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 })';
const network =
  'session.input("sample:iris").xy({ y: "species" }).scale("minmax").rbm({ n_components: 8, random_state: 0 }).train()';

/** The methods that people call; the compiler sees to it that none is without an example. */
type Called = Exclude<keyof Session & string, keyof Helpers | "link" | "last" | "enqueue" | "enqueueModel">;

const examples: Readonly<Record<Called | "branch" | "show", string>> = {
  project: 'session.project("second")',
  projects: "session.projects()",
  current: "session.current()",
  blocks: "session.blocks()",
  graph: "session.graph()",
  models: "session.models()",
  compare: `${iris}.knn().then(() => session.compare())`,
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

/** A method by its name, alone or behind what it is called on; undefined when there is none. */
export function methodNamed(name: string): Method | undefined {
  const own = name.replace(/^(?:session|chain)\./, "");
  const found = Object.hasOwn(examples, own) ? (own as keyof typeof examples) : undefined;
  return found && { name: found, ...methods[found], example: examples[found] };
}

/** The method that a function is, as in `help(session.at)`. */
export function methodOf(subject: unknown): Method | undefined {
  if (typeof subject !== "function") return undefined;
  const isOwn = [Session.prototype, Chain.prototype].some(
    (each) => Object.getOwnPropertyDescriptor(each, subject.name)?.value === subject,
  );
  return isOwn ? methodNamed(subject.name) : undefined;
}

/** The names of all methods. */
export const methodNames: readonly string[] = Object.keys(examples);

/** The help of one method as a view. */
export function methodView({ on, call, doc, args, example }: Method): View {
  const items = Object.entries(args).map(([label, each]) => ({ label, value: each.type, note: each.doc }));
  return stack(
    text(`${on === "Chain" ? "chain" : "session"}.${call}`),
    text(doc),
    items.length > 0 && { kind: "facts", items },
    text(`Example: ${example}`, "quiet"),
  );
}

/** One option of a method as a view; null when it has none of that name. */
export function argumentOf({ name, args, example }: Method, argument: string): View | null {
  if (!Object.hasOwn(args, argument)) return null;
  const { type, doc } = args[argument];
  return stack(
    text(`${argument}, of ${name}()`),
    { kind: "facts", items: [{ label: argument, value: `${type}, optional`, note: doc }] },
    text(`Example: ${example}`, "quiet"),
  );
}
