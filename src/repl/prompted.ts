import { visible } from "../core/visible.ts";

/** A cell as it stands in the scrollback. */
export function prompted(code: string, lead = "> "): string {
  return code
    .split("\n")
    .map((line, k) => `${k === 0 ? lead : "… "}${visible(line)}`)
    .join("\n");
}
