import type { Frame } from "./frame.ts";
import type { Json } from "./record.ts";

/** A finished block, for its view. */
export interface Finished<Args = Readonly<Record<string, unknown>>> {
  readonly block: { readonly id: number; readonly code: string; readonly name: string };
  readonly args: Args;
  readonly before: Frame | null;
  readonly after: Frame;
  readonly output: Json | undefined;
  readonly report: unknown;
}
