/** The names that cells declared, in any evaluator: from then on they are the cells' own. */
export const declared = new Set<string>();

/** How many results stay at hand under a name of their own; older ones may be collected. */
const keptResults = 100;

/** Puts a value where cells find it by name. */
export function setGlobal(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
}

/** A global that can't be assigned to, such as `navigator`, gives way to a cell's declaration. */
export function makeWay(name: string): void {
  const own = Object.getOwnPropertyDescriptor(globalThis, name);
  if (own?.configurable && !own.writable && !own.set) setGlobal(name, undefined);
}

/** Keeps a cell's value as `_`, and as `_3` where it is the third; answers that name, null where a cell took it. */
export function keepResult(value: unknown, number: number | null): string | null {
  if (!declared.has("_")) setGlobal("_", value);
  if (number === null) return null;
  const old = `_${number - keptResults}`;
  if (number > keptResults && !declared.has(old)) Reflect.deleteProperty(globalThis, old);
  const name = `_${number}`;
  if (declared.has(name)) return null;
  setGlobal(name, value);
  return name;
}
