import { beforeAll, describe, expect, it } from "vitest";
import { can, type Python, writeExpression } from "../../../src/engines/pandas/expressions.ts";
import { dtypes } from "../../../src/engines/pandas/functions/writing.ts";
import { type HelperName, helpers, prelude } from "../../../src/engines/pandas/helpers.ts";
import { partsOf } from "../../../src/plan/expr.ts";
import { functions } from "../../../src/plan/functions.ts";
import { type Answer, type Conformance, casesOf, conformance, near } from "../../plan/conformance.ts";
import { askPython, pythonWith, whyNoPython } from "../../support/python.ts";

const modules = ["pandas", "numpy"];
const python = pythonWith(...modules);

/** Makes each table, works its expressions out, and answers their cells as the conformance has them. */
const runner = `
import json, sys, warnings
warnings.simplefilter("ignore", RuntimeWarning)
def cell(value):
    if value is None or value is pd.NA or value is pd.NaT or value != value: return None
    if isinstance(value, (bool, np.bool_)): return bool(value)
    if isinstance(value, (int, np.integer)): return int(value) if abs(int(value)) < 2**53 else str(int(value))
    if isinstance(value, (float, np.floating)): return {"float": repr(float(value))}
    return text(value) if isinstance(value, pd.Timestamp) else value
def column(cells, dtype):
    made = [None if each is None else int(each) if dtype == "Int64" else float(each) if dtype == "Float64" else pd.Timestamp(each) if dtype.startswith("datetime") else each for each in cells]
    return pd.Series(made, dtype=dtype)
answers = []
for group in json.load(sys.stdin):
    df = pd.DataFrame({name: column(cells, dtype) for name, (dtype, cells) in group["columns"].items()})
    for case in group["cases"]:
        try:
            made = eval(case)
            answers.append([cell(each) for each in made] if isinstance(made, pd.Series) else {"one": cell(made), "rows": len(df)})
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
print(json.dumps(answers))
`;

/** Where pandas and numpy have an answer of their own; the writer's words say so. */
const differs: Readonly<Record<string, string>> = {
  "numbers: x ** 0.5": "numpy takes a root, which -inf has none of",
  "numbers: round(x, 2)": "numpy multiplies by 100 first",
  "sums out of range: sum(n)": "sums of whole numbers wrap",
  "NUL letters: s + '\\0'": "numpy cuts a NUL off the end of a constant",
};

interface Case {
  readonly group: string;
  readonly text: string;
  readonly expected: readonly Answer[] | Answer;
  readonly python: Python;
}

const cases = Object.entries(conformance).flatMap(([group, given]) =>
  casesOf(given)
    .filter(({ expr }) => can(expr).length === 0)
    .map((each): Case => ({ group, ...each, python: writeExpression(each.expr) })),
);

type Cell = Answer | { readonly float: string };
type Answered = readonly Cell[] | { readonly one: Cell; readonly rows: number } | { readonly error: string };

const toAnswer = (cell: Cell): Answer =>
  cell !== null && typeof cell === "object" ? Number(cell.float.replace("inf", "Infinity")) : cell;

describe.skipIf(!python)(`expressions over a DataFrame${whyNoPython(python, ...modules)}`, () => {
  const answers = new Map<string, Answered>();

  beforeAll(() => {
    const called = cases.flatMap((each) => each.python.helpers);
    const groups = Object.entries(conformance).map(([group, { columns }]) => ({
      columns: Object.fromEntries(
        Object.entries(columns).map(([name, [type, cells]]) => [
          name,
          [
            dtypes[type as keyof typeof dtypes],
            cells.map((each) => (typeof each === "number" ? String(each).replace("Infinity", "inf") : each)),
          ],
        ]),
      ),
      cases: cases.filter((each) => each.group === group).map((each) => each.python.text),
    }));
    const script = `${prelude(["text", ...called])}\n${runner}`;
    const found = askPython<Answered[]>(python as string, script, groups);
    for (const [k, { group, text }] of cases.entries()) answers.set(`${group}: ${text}`, found[k]);
  }, 60_000);

  it.each(cases)("$group: $text", ({ group, text, expected, python: { text: code } }) => {
    const found = answers.get(`${group}: ${text}`) as Answered;
    if ("error" in found) throw new Error(`${code}\n${found.error}`);
    const isRows = Array.isArray(expected);
    const all = "one" in found ? Array.from({ length: isRows ? found.rows : 1 }, () => found.one) : found;
    const cells = (isRows ? all : all.slice(0, 1)).map(toAnswer);
    const answer = expect(isRows ? cells : cells[0], code);
    if (Object.hasOwn(differs, `${group}: ${text}`)) answer.not.toEqual(near(expected, cells));
    else answer.toEqual(near(expected, cells));
  });
});

it("refuses by name what pandas has no words for, and writes all else", () => {
  const refused = new Set<string>();
  const written = new Set<string>();
  for (const given of Object.values(conformance)) {
    for (const { expr } of casesOf(given)) {
      const found = can(expr);
      for (const { call, message, cure } of found) {
        refused.add(call);
        expect(`${message}. ${cure}`).toMatch(/^.{15,}[^.]\. .{15,}\.$/);
      }
      if (found.length === 0) for (const part of partsOf(expr)) if ("call" in part) written.add(part.call);
    }
  }
  expect([...refused].filter((name) => !written.has(name)).sort()).toEqual([
    "counted",
    "dot",
    "dots",
    "endSigma",
    "norm",
    "partOf",
    "phrases",
    "placesOf",
    "readDate",
    "readNumber",
    "scaled",
    "unitOf",
    "vector",
    "weighted",
    "words",
  ]);
  expect(Object.keys(functions).filter((name) => !written.has(name) && !refused.has(name))).toEqual([]);
});

it("calls each helper somewhere", () => {
  const called = new Set(cases.flatMap((each) => each.python.helpers));
  expect(Object.keys(helpers).filter((name) => !called.has(name as HelperName))).toEqual([]);
});

it("writes what a person would", () => {
  const columns: Conformance["columns"] = {
    units: ["integer", []],
    price: ["number", []],
    shop: ["string", []],
    day: ["datetime", []],
  };
  const wanted = {
    "units * price": 'df["units"] * df["price"]',
    "(units + price) * 2 - price": '(df["units"] + df["price"]) * 2 - df["price"]',
    "price - (price - units)": 'df["price"] - (df["price"] - df["units"])',
    "price > 12 && shop == 'Lagos'": '(df["price"] > 12) & (df["shop"] == "Lagos")',
    "!(price > 12)": '~(df["price"] > 12)',
    "shop.toLowerCase().startsWith('l')": 'df["shop"].str.lower().str.startswith("l")',
    "matches(shop, /^\\d+$/)": 'df["shop"].str.contains(r"^[0-9]+\\Z")',
    "price - mean(price)": 'df["price"] - df["price"].mean()',
    "year(day)": 'df["day"].dt.year.astype("Int64")',
    "price ?? 0.5": 'df["price"].fillna(0.5)',
    "price > 1 ? 'high' : 'low'":
      'pd.Series("high", index=df.index, dtype="string[python]").where(df["price"] > 1, "low")',
    "units + 1": 'whole(np.add, df["units"], 1)',
  };
  const cases = Object.fromEntries(Object.keys(wanted).map((text) => [text, null]));
  const found = casesOf({ columns, cases }).map(({ text, expr }) => [text, writeExpression(expr).text]);
  expect(Object.fromEntries(found)).toEqual(wanted);
});
