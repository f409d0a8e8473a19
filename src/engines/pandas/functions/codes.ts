import type { ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { forEach, listText, method, numberOf, type Write } from "./writing.ts";

/** Codes of categories: places, bits and hashes. */
export const codes = {
  byteLength: ([x], _, type, writer) => forEach(writer, type, "lambda text: len(text.encode())", [x]),
  hash32: ([x], _, type, writer) => forEach(writer, type, writer.helper("hash32"), [x]),
  placeOf: ([x, among], _, type, writer) => {
    const items = listText(among.expr as ListExpr);
    return forEach(writer, type, `lambda cell: ${items}.index(cell) if cell in ${items} else -1`, [x]);
  },
  itemAt: ([place, items], _, type, writer) =>
    forEach(writer, type, `lambda k: dict(enumerate(${listText(items.expr as ListExpr)})).get(k)`, [place]),
  bitAt: method((column, [, k]) =>
    numberOf(k) > 62 ? `(${column} * 0)` : `(${column}.clip(0) // ${2n ** BigInt(numberOf(k))} % 2)`,
  ),
} satisfies Partial<Record<FunctionName, Write>>;
