import { cleaned } from "./editor.ts";
import type { History } from "./history.ts";
import type { KeyPress } from "./keys.ts";

/** A search backwards through what was typed before. */
export interface Search {
  readonly query: string;
  /** How many later entries with the query were passed over. */
  readonly skip: number;
  /** The entry found; null when none holds the query. */
  readonly found: string | null;
}

/** A search that begins. */
export const emptySearch: Search = { query: "", skip: 0, found: null };

/** What a key means to the search: it goes on, is taken into the editor, or given up. */
export function searchKey(search: Search, press: KeyPress, history: History): Search | "take" | "cancel" {
  const { name, input, ctrl, meta } = press;
  if (ctrl && input === "r") return further(search, history);
  if (ctrl && (input === "c" || input === "g")) return "cancel";
  if (name === "backspace") return at([...search.query].slice(0, -1).join(""), history);
  if (name || ctrl || meta || input === "") return search.found === null ? "cancel" : "take";
  return at(search.query + cleaned(input), history);
}

function at(query: string, history: History): Search {
  return { query, skip: 0, found: query === "" ? null : history.search(query, 0) };
}

/** The next older entry; the last one stays where there is none. */
function further(search: Search, history: History): Search {
  if (search.query === "") return search;
  const found = history.search(search.query, search.skip + 1);
  return found === null ? search : { ...search, skip: search.skip + 1, found };
}
