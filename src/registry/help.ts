import { z } from "zod";
import type { Block } from "../core/block.ts";
import type { Json } from "../core/record.ts";
import { stack, text, type View } from "../core/view.ts";
import { allBlocks } from "./catalogue.ts";
import prose from "./prose.json" with { type: "json" };

interface Prose {
  readonly doc: string;
  readonly args: Readonly<Record<string, string>>;
}

/** One argument, for help and documentation. */
export interface ArgumentHelp {
  readonly name: string;
  /** The type as a reader of TypeScript would write it. */
  readonly type: string;
  readonly required: boolean;
  readonly doc: string;
  /** Friendly names that mean the same. */
  readonly aliases: readonly string[];
}

/** What there is to say about a block, all of it from its one declaration. */
export interface BlockHelp {
  readonly code: string;
  readonly name: string;
  /** The first sentence of its doc comment, without the code. */
  readonly summary: string;
  /** The rest of the doc comment. */
  readonly description: string;
  readonly example: string;
  readonly arguments: readonly ArgumentHelp[];
}

/** The help of one block. */
export function helpOf(block: Block): BlockHelp {
  const known = (prose as Record<string, Prose>)[block.code] ?? { doc: "", args: {} };
  const [head, ...rest] = known.doc.replace(/^[A-Z_0-9a-z]+\. /, "").split(/\n\n/);
  return {
    code: block.code,
    name: block.name,
    summary: head.replaceAll("\n", " "),
    description: rest.join("\n\n").replaceAll(/(?<!\n)\n(?!\n)/g, " "),
    example: block.example,
    arguments: Object.entries(block.args).map(([name, schema]) => ({
      name,
      type: typeText(schema),
      required: !z.safeParse(schema as z.ZodType, undefined).success,
      doc: (known.args[name] ?? "").replaceAll("\n", " "),
      aliases: Object.entries(block.aliases ?? {}).flatMap(([alias, target]) => (target === name ? [alias] : [])),
    })),
  };
}

/** The help of one block as a view. */
export function helpView(block: Block): View {
  const help = helpOf(block);
  const items = help.arguments.map(itemOf);
  return stack(
    text(`${help.name} (${help.code}): ${help.summary}`),
    help.description !== "" && text(help.description),
    items.length > 0 && { kind: "facts", items },
    text(`Example: ${help.example}`, "quiet"),
  );
}

/** The help of one argument, by its name or an alias of it, as a view; null when the block takes none of that name. */
export function argumentView(block: Block, name: string): View | null {
  const found = helpOf(block).arguments.find((each) => each.name === name || each.aliases.includes(name));
  if (!found) return null;
  return stack(
    text(`${name}, of ${block.name} (${block.code})`),
    { kind: "facts", items: [itemOf(found)] },
    text(`Example: ${block.example}`, "quiet"),
  );
}

function itemOf({ aliases, name, type, required, doc }: ArgumentHelp) {
  return { label: [...aliases, name].join(", "), value: `${type}${required ? "" : ", optional"}`, note: doc };
}

/** All helpers with a sentence each, as a view. */
export function overview(): View {
  const rows = allBlocks
    .filter((block) => !block.name.includes("."))
    .map((block) => [block.name, block.code, helpOf(block).summary]);
  return {
    kind: "table",
    summary: true,
    columns: [
      { name: "helper", type: "text" },
      { name: "code", type: "text" },
      { name: "what it does", type: "text" },
    ],
    rows,
  };
}

/** JSON Schema (2020-12) of a block's arguments, with their prose. */
export function jsonSchema(block: Block): Json {
  const schema = z.toJSONSchema(z.strictObject(block.args), { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Record<string, unknown>>;
  };
  for (const each of helpOf(block).arguments) {
    const property = schema.properties?.[each.name];
    if (property && each.doc) property.description = each.doc;
  }
  return schema as Json;
}

/** A schema as TypeScript would say it, for people. */
function typeText(schema: z.core.$ZodType): string {
  const { def } = schema._zod;
  const inner = def as unknown as {
    innerType: z.core.$ZodType;
    element: z.core.$ZodType;
    options: z.core.$ZodType[];
    values: unknown[];
  };
  switch (def.type) {
    case "optional":
    case "default":
    case "nullable":
      return typeText(inner.innerType);
    case "number":
      return (def as { check?: string }).check === "number_format" ? "int" : "number";
    case "literal":
      return inner.values.map((value) => JSON.stringify(value)).join(" | ");
    case "array": {
      const element = typeText(inner.element);
      return element.includes("|") ? `(${element})[]` : `${element}[]`;
    }
    case "union":
      return [...new Set(inner.options.map(typeText))].join(" | ");
    default:
      return def.type;
  }
}
