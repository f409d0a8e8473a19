import { visible } from "./visible.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text from data as HTML text or a quoted attribute: controls made visible, markup escaped. */
export function escapeHtml(text: string): string {
  // Not every font has the pictures of control characters, so these are spelt out.
  return visible(text, false).replace(/[&<>"']/g, (letter) => entities[letter]);
}
