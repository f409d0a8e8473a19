import { constantType, type ValueExpr } from "../../plan/expr.ts";

/** Letters that are not seen, or turn the direction of what is read. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text as a literal of Python; the only place where one enters a script. */
export function pythonText(text: string): string {
  return JSON.stringify(text).replace(unseen, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A regular expression as a literal, without its backslashes doubled where that can be. */
export function pythonPattern(pattern: string): string {
  const isPlain = /^[^"\p{C}]*$/u.test(pattern) && !pattern.endsWith("\\");
  return isPlain && pattern.includes("\\") ? `r"${pattern}"` : pythonText(pattern);
}

/** A number with a point or an exponent. */
export function pythonFloat(number: number): string {
  if (!Number.isFinite(number)) return number > 0 ? "np.inf" : "-np.inf";
  const digits = Object.is(number, -0) ? "-0" : String(number);
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

/** A constant as a literal of Python. */
export function pythonConstant(expr: ValueExpr): string {
  switch (constantType(expr)) {
    case "missing":
      return "pd.NA";
    case "integer":
      return String(BigInt(expr.value as string | number));
    case "number":
      return pythonFloat(Number(expr.value));
    case "boolean":
      return expr.value ? "True" : "False";
    case "datetime":
      return `pd.Timestamp(${pythonText(String(expr.value))})`;
    default:
      return pythonText(String(expr.value));
  }
}
