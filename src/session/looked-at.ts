import { inspect } from "node:util";
import { ArgsError } from "../core/errors.ts";
import { foreignNames, lacking, saidHere } from "../core/foreign-names.ts";
import { didYouMean } from "../core/names.ts";
import { text, viewOf } from "../core/view.ts";
import { declared } from "../registry/index.ts";
import methods from "./methods.json" with { type: "json" };

/** What people look at: a session, or what its helpers answer. */
export type Seen = "session" | "chain" | "result" | "table" | "model";

/** Lets a function say what it is where it is looked at and not called. */
export function tellWhenSeen(seen: object, told: string): void {
  Object.defineProperty(seen, inspect.custom, { value: () => told });
  Object.defineProperty(seen, viewOf, { value: () => text(told) });
  Object.defineProperty(seen, lacking, { value: () => told });
}

/** Lets words of other libraries answer with ours, and names that are nowhere say what there is. */
export function addForeignNames(prototype: object, what: Seen): void {
  const helpers: ReadonlySet<string> = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(foreignNames)) {
    const said = saidHere(name, helpers);
    if (said === null || name in prototype) continue;
    refuse(prototype, name, `There is no ${name}() in blocklab. ${said}`);
  }
  Object.defineProperty(prototype, lacking, { value: (name: string) => lackingWords(prototype, what, name) });
}

/** Lets a table answer to helpers, which are called on what it is a table of. */
export function refuseHelpers(prototype: object): void {
  for (const { name } of declared) {
    if (name in prototype) continue;
    refuse(prototype, name, `${name}() is called on a result or a chain, not on its table: result.${name}(…).`);
  }
}

/** Lets the methods of a class say what they are where they are looked at and not called. */
export function tellMethods(prototype: object, what: Seen): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const key = what === "session" || what === "chain" ? name : `${what[0].toUpperCase()}${what.slice(1)}.${name}`;
    if (typeof value !== "function" || !Object.hasOwn(methods, key)) continue;
    const asked = key.includes(".") ? key.replace(/^\w/, (letter) => letter.toLowerCase()) : key;
    tellWhenSeen(
      value as object,
      `${name} is a method of a ${what}; call it, as in ${what}.${name}(…), or see help("${asked}").`,
    );
  }
}

function refuse(prototype: object, name: string, told: string): void {
  const refusing = () => {
    throw new ArgsError(told, { got: name });
  };
  tellWhenSeen(refusing, told);
  Object.defineProperty(prototype, name, { value: refusing, configurable: true });
}

/** What is said of a name that is nowhere on it: a nearest one, or that columns lie in its table. */
function lackingWords(prototype: object, what: Seen, name: string): string {
  const hint = didYouMean(
    name,
    Object.keys(Object.getOwnPropertyDescriptors(prototype)).filter((own) => !Object.hasOwn(foreignNames, own)),
  );
  const table = what === "table" ? "table" : what === "result" ? "result.dataset" : "(await chain).dataset";
  const column = JSON.stringify(/^\d+$/.test(name) ? "age" : name);
  const cure = /^\d+$/.test(name)
    ? ` Rows are read by await ${table}.head() and .rows().`
    : ` A column's cells are await ${table}.column(${column}).`;
  return `A ${what} has no ${JSON.stringify(name)}.${hint}${what === "session" || what === "model" ? "" : cure}`;
}
