import type { Showable } from "../core/view.ts";

/** Shows something to the person at the screen; the front end says how. */
export type Printer = (value: Showable) => Promise<void>;

let printer: Printer | null = null;

/** Says how `.show()` shows; called once by whoever knows the screen. */
export function setPrinter(print: Printer): void {
  printer = print;
}

/** Shows a value. */
export async function print(value: Showable): Promise<void> {
  await printer?.(value);
}
