import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];

/** Two features and a target that is `times` as large; a power of two changes no digit. */
function table(times: number): string {
  const rows = Array.from({ length: 120 }, (_, i) => {
    const [a, b] = [((i * 37) % 101) / 8, ((i * 53) % 89) / 16];
    return `${a},${b},${(3 * a - 2 * b + (a * b) / 4 + ((i * 29) % 17) / 8) * times}`;
  });
  return `a,b,y\n${rows.join("\n")}\n`;
}

/** How well a model does on rows put aside, and what it answers for them. */
async function judged(times: number, [helper, args]: Link, code: string) {
  const model = { model_name: helper };
  const split: Link = ["split", { random_state: 0 }];
  const records = await lab.chain(table(times), roles, split, [helper, args ?? {}], [`${code}_M`, model]);
  const predicted = await lab.last(table(times), roles, split, [helper, args ?? {}], [`${code}_P`, model]);
  const { rows } = await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url);
  return { metrics: output<Record<string, number | null>>(records[4]), answers: rows.map(([value]) => Number(value)) };
}

describe("targets whose squares no number holds", () => {
  const exact: readonly (readonly [Link, string])[] = [
    [["treeRegressor", { max_depth: 4 }], "ML_R_5"],
    [["forestRegressor", { n_estimators: 8 }], "ML_R_6"],
    [["boost", { max_iter: 30 }], "MS_XGBOOST"],
    [["knnRegressor"], "BL_KNNR"],
  ];
  it.each(exact)("are learnt as those near 1, digit for digit: %s", async (link, code) => {
    const near = await judged(1, link, code);
    for (const times of [2 ** 980, 2 ** -980]) {
      const { metrics, answers } = await judged(times, link, code);
      expect(answers).toEqual(near.answers.map((value) => value * times));
      expect(metrics.r2).toBe(near.metrics.r2);
      expect(metrics.rmse).toBe(Number(near.metrics.rmse) * times);
      expect(metrics.mse).toBe(times > 1 ? null : 0);
    }
    expect(near.metrics.r2).toBeGreaterThan(0.8);
  });

  const close: readonly (readonly [Link, string])[] = [
    [["linear"], "ML_R_2"],
    [["ridge"], "BL_RIDGE"],
    [["polynomial"], "ML_R_3"],
  ];
  it.each(close)("are learnt by sums of products, and judged: %s", async (link, code) => {
    const near = await judged(1, link, code);
    for (const times of [2 ** 980, 2 ** -980]) {
      expect((await judged(times, link, code)).metrics.r2).toBeCloseTo(Number(near.metrics.r2), 12);
    }
  });

  it.each(["svr", "lasso", "elasticNet", "quantileRegressor"])("are refused by %s, with what to do", async (name) => {
    const error = await lab.failure(table(2 ** 980), roles, [name]);
    expect([error.status, error.message]).toEqual([
      422,
      expect.stringMatching(/divided? .*with derive|divide them first/),
    ]);
  });

  it("go on from an earlier boost model", async () => {
    const first: Link = ["boost", { max_iter: 5 }];
    const more: Link = ["boost", { max_iter: 5, warm_start: "boost", model_name: "more" }];
    const predict: Link = ["MS_XGBOOST_P", { model_name: "more" }];
    const answers = async (...links: Link[]) => {
      const record = await lab.last(table(2 ** 980), roles, ...links, predict);
      return (await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows;
    };
    const atOnce = await answers(["boost", { max_iter: 10, model_name: "more" }]);
    expect(await answers(first, more)).toEqual(atOnce);
  });
});
