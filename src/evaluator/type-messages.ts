import { saidHere } from "../core/foreign-names.ts";

/**
 * The errors that say of a call that it can't be right: unknown members and options, arguments that don't fit.
 *
 * Others may be the checker's own ignorance, such as a name that only the running program knows.
 */
export const telling = new Set([
  2322, 2339, 2345, 2349, 2353, 2551, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769, 2819, 2820,
]);

/**
 * The errors that are the checker's own ignorance: names and modules that the running program may know, and types left
 * out, which nobody is made to write in a notebook.
 */
export const ignorant = (code: number) =>
  [2304, 2307, 2552].includes(code) || (2580 <= code && code <= 2593) || code >= 7000;

/** A message without the types that TypeScript spells out at length, of which nobody reads more than the beginning. */
function readable(message: string): string {
  return message
    .replace(/'NonNullable<([^']*)>'/g, "'$1'")
    .replace(/ (?:in|on) type '[^']{60,}'/g, "")
    .replace(/'([^']{60,})'/g, (_, type: string) => `'${type.slice(0, 57)}…'`);
}

/** What is said of the way of calling that was not meant: a word is no object of arguments, a number no name. */
const aside = /has no properties in common|parameter of type '(?:never'|Friendly<)/;

/** Of a message about overloads the part that says what is wrong. */
export function clear(message: string): string {
  const lines = message.split("\n").map((line) => line.trim());
  const clearer = lines.filter((line) => !/^No overload matches|^Overload \d+ of/.test(line));
  return withOurs(readable(clearer.find((line) => !aside.test(line)) ?? clearer[0] ?? lines[0]));
}

/** A message about a word of another library with how the same is called here, in place of what TypeScript guesses. */
function withOurs(message: string): string {
  const [, name, type] = /^Property '(\w+)' does not exist on type '(Session|Chain|Result|Table)'/.exec(message) ?? [];
  const said = name === undefined ? null : saidHere(name);
  return said === null ? message : `Property '${name}' does not exist on type '${type}'. ${said}`;
}
