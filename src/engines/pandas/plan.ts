import { type Column, valueType } from "../../plan/column.ts";
import { type Step, unsettled } from "../../plan/node.ts";
import { type PlanWriter, planRefusals } from "../port.ts";
import { can, writeExpression } from "./expressions.ts";
import { dtypes } from "./functions/writing.ts";
import { type HelperName, prelude } from "./helpers.ts";
import { pythonText } from "./literals.ts";

/**
 * Plans as Python over a DataFrame of that name, whose columns are of `dtypes` and whose index counts the rows.
 *
 * What it comes to is `df`.
 */
export const pandas: PlanWriter = {
  can: (relation) => planRefusals(relation, can),
  write(relation, { name }) {
    const { steps } = unsettled(relation);
    const used = new Set<HelperName>();
    const lines = steps.map((step) => statementOf(step, used));
    return [prelude([...used]), `df = ${name}.reset_index(drop=True)`, ...lines].join("\n");
  },
};

function statementOf({ name, block, outputs, kept, rows }: Step, used: Set<HelperName>): string {
  const write = (expr: Parameters<typeof writeExpression>[0]) => {
    const python = writeExpression(expr);
    for (const helper of python.helpers) used.add(helper);
    return python.text;
  };
  const title = `# ${block} ${name.replace(/[\r\n]/g, " ")}`;
  const isMade = outputs.some(({ expr }) => expr);
  const columns = outputs.map(({ column, expr }) => {
    const cells = expr ? typed(write(expr), column) : `df[${pythonText(column.name)}]`;
    return `    ${pythonText(column.name)}: ${cells},`;
  });
  const made = isMade
    ? ["df = pd.DataFrame({", ...columns, "}, index=df.index)"]
    : [`df = df[[${outputs.map(({ column }) => pythonText(column.name)).join(", ")}]]`];
  const left = kept?.where
    ? [`df = df[${write(kept.where)}].reset_index(drop=True)`]
    : rows === undefined
      ? []
      : [`df = df.head(${rows})`];
  return [title, ...left, ...made].join("\n");
}

/** The cells in the type that the column has; a scalar becomes a column of it. */
function typed(text: string, column: Column): string {
  const type = valueType(column);
  if (type === "tensor") return text;
  return `pd.Series(${text}, index=df.index).astype("${dtypes[type]}")`;
}
