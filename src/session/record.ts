import type { StateRecord } from "../core/record.ts";
import { type FactsView, stack, text, type View, viewOf } from "../core/view.ts";
import { byCode } from "../registry/index.ts";
import { modelsIn } from "./models.ts";

/** A state record, plain data as the service answered it, that front ends show as a small card. */
export function withCard(record: StateRecord): StateRecord {
  // Not enumerable: no part of the data.
  return Object.defineProperty({ ...record }, viewOf, { value: () => cardOf(record) });
}

/** What the block is, where its artifacts are, and the record itself, folded away. */
function cardOf(record: StateRecord): View {
  const { block_id, parent_id, function_code, stale, notices = [] } = record;
  const artifacts = Object.entries(record)
    .filter((entry): entry is [string, string] => entry[0].endsWith("_url") && typeof entry[1] === "string")
    .map(([key, url]) => ({ label: key.replace(/(?:_value)?_url$/, ""), value: url, href: url }));
  const models = modelsIn(record).flatMap(({ name, url }) =>
    url ? [{ label: `model ${name}`, value: url, href: url }] : [],
  );
  const facts: FactsView = {
    kind: "facts",
    title: `Block ${block_id}: ${byCode(function_code).name} (${function_code})`,
    items: [
      { label: "builds on", value: parent_id > 0 ? `block ${parent_id}` : "nothing" },
      { label: "state", value: record.id },
      ...artifacts,
      ...models,
    ],
  };
  return stack(
    facts,
    stale && text("Stale: a block before this one was replaced. Run it again.", "warning"),
    ...notices.map((notice) => text(notice, "warning")),
    { kind: "folded", title: "Raw JSON", text: JSON.stringify(record, null, 2) },
  );
}
