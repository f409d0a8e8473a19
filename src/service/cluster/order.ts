import { quotedName, type Relation, type SparkClient, SparkError, type SparkType, select } from "../../spark/index.ts";

/** A relation as a view of the session, and how its rows are put into an order that does not depend on how they are parted. */
export interface Ordered {
  readonly view: string;
  readonly orderBy: string;
  /** Had it no order of its own, so that its rows are sorted by their cells? */
  readonly isSorted: boolean;
}

/** Rows that came of files stand as in these, file after file by name; others are sorted by all columns. */
export async function inOrder(
  client: SparkClient,
  relation: Relation,
  columns: readonly { readonly name: string; readonly type: SparkType }[],
  signal: AbortSignal,
): Promise<Ordered> {
  const view = "source";
  const names = new Set(columns.map(({ name }) => name));
  const free = (name: string): string => (names.has(name) ? free(`${name}_`) : name);
  const [file, block, place] = ["__file", "__block", "__place"].map(free).map(quotedName);
  const placed = select(relation, [
    "*",
    `_metadata.file_path AS ${file}`,
    `_metadata.file_block_start AS ${block}`,
    `monotonically_increasing_id() AS ${place}`,
  ]);
  const hasFiles = await client.schema(placed, signal).then(
    () => true,
    (error: unknown) => {
      if (error instanceof SparkError && error.code.startsWith("UNRESOLVED_COLUMN")) return false;
      throw error;
    },
  );
  if (hasFiles) {
    await client.createView(view, placed, { signal });
    return { view, orderBy: `${file}, ${block}, ${place}`, isSorted: false };
  }
  await client.createView(view, relation, { signal });
  const keys = columns.map(({ name, type }) => {
    const cell = quotedName(name);
    // Maps have no order, but their texts do.
    return `${isOrderable(type) ? cell : `CAST(${cell} AS STRING)`} NULLS LAST`;
  });
  return { view, orderBy: keys.join(", "), isSorted: true };
}

function isOrderable({ kind, element, fields = [] }: SparkType): boolean {
  if (kind === "map" || kind === "variant") return false;
  return (element === undefined || isOrderable(element)) && fields.every(({ type }) => isOrderable(type));
}
