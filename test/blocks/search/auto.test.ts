import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { searchable } from "../../../src/blocks/search/pipelines.ts";
import { embeddedLink } from "../../../src/client/embedded.ts";
import { type Chain, Session } from "../../../src/session/index.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-auto-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 2 }));
const lab = new Lab();
let projects = 0;

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

/** Numbers and words with gaps, and targets that hang on them. */
const table = (n: number): string => {
  const rows = Array.from({ length: n }, (_, k) => {
    // No two rows are equally far from a third: of those rounding would choose.
    const a = ((k * 37) % 101) + Math.sin(k) / 3;
    const b = (k * 53) % 29;
    const c = ["red", "green", "blue"][(k * 7) % 3];
    const noise = ((k * 17) % 13) - 6;
    const z = a / 10 + (b > 15 ? 4 : 0) + (c === "red" ? 3 : 0) + noise / 4;
    const cell = (value: unknown, gap: number) => (k % gap === 4 ? "" : value);
    return [cell(a, 17), cell(b, 23), cell(c, 19), z > 9 ? "high" : z > 6 ? "mid" : "low", z].join(",");
  });
  return `a,b,c,y,z\n${rows.join("\n")}\n`;
};
const csv = table(240);
const roles = (y: string): Link => ["xy", { x: ["a", "b", "c"], y }];
const split: Link = ["split", { test_size: 0.25, random_state: 1 }];
const quick = { max_trials: 6, time_left: 600, random_state: 3 };

interface Row {
  readonly rank: number;
  readonly model: string;
  readonly mean: number | null;
  readonly folds: number;
  readonly rows: number;
  readonly chain: string;
}

interface Found {
  readonly function_code: string;
  readonly scoring: string;
  readonly mean: number;
  readonly members: readonly { readonly weight: number; readonly model: string; readonly chain: string }[];
  readonly leaderboard: readonly Row[];
}

const found = (record: Parameters<typeof output>[0]) => Object.values(output<Record<string, Found>>(record))[0];

async function start(text: string): Promise<Chain> {
  await session.project(`p${++projects}`);
  const path = join(home, `t${projects}.csv`);
  writeFileSync(path, text);
  return session.input(path);
}

describe("autoRegressor (AUTO_R_1)", () => {
  it("tries poisson where targets are counts, and quantileRegressor where absolute errors count", async () => {
    const tried = async (target: string, args: object) => {
      const derive: Link = ["derive", { columns: { z: target } }];
      const links: Link[] = [derive, roles("z"), ["autoRegressor", { max_trials: 10, stack: false, ...args }]];
      return found(await lab.last(csv, ...links)).leaderboard.map(({ model }) => model);
    };
    const both = ["poisson", "quantileRegressor"];
    const counts = await tried("round(abs(z))", {});
    expect(both.filter((model) => counts.includes(model))).toEqual(["poisson"]);
    for (const target of ["z", "round(abs(z)) + 0.5", "round(z)"]) {
      const models = await tried(target, {});
      expect(both.filter((model) => models.includes(model))).toEqual([]);
    }
    const absolute = await tried("z", { scoring: "mae" });
    expect(both.filter((model) => absolute.includes(model))).toEqual(["quantileRegressor"]);
    // Who names a model has it tried on any target that it takes.
    const named = await tried("abs(z)", { models: ["poisson"], max_trials: 2 });
    expect(named).toEqual(["poisson", "poisson"]);
    const models = { models: ["poisson"], max_trials: 2 };
    expect((await lab.failure(csv, roles("z"), ["autoRegressor", models])).message).toMatch(
      /^autoRegressor \(AUTO_R_1\): no candidate could be judged; the first says: poisson \(BL_POISSON\): it takes counts from 0 on/,
    );
  });
});

describe.each([
  ["autoRegressor", "AUTO_R_1", "z", "r2", 0.8],
  ["autoClassifier", "AUTO_CN_1", "y", "accuracy", 0.6],
] as const)("%s (%s)", (helper, code, y, scoring, least) => {
  const task = code === "AUTO_R_1" ? "regression" : "classification";

  it("trains what is best on rows held out, from gaps and words as they are, and does well on test rows", async () => {
    const judge: Link = [`${code}_M`, { model_name: helper }];
    const ask: Link = [`${code}_P`, { model_name: helper, test_data: "x_test_url" }];
    const records = await lab.chain(csv, roles(y), split, [helper, quick], judge, ask);
    const { leaderboard, members, ...rest } = found(records[3]);
    expect(rest).toMatchObject({ function_code: code, scoring, folds: 5 });
    expect(leaderboard).toHaveLength(6);
    expect(leaderboard.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6]);
    const whole = leaderboard.filter(({ folds }) => folds === 5);
    expect(whole.length).toBeGreaterThan(2);
    const means = whole.map(({ mean }) => mean as number);
    expect(means).toEqual([...means].sort((a, b) => b - a));
    expect(rest.mean).toBeGreaterThanOrEqual(means[0]);
    expect(members.length).toBeGreaterThan(0);
    expect(Number(output(records[4])[scoring])).toBeGreaterThan(least);
    expect(output(records[4])).toMatchObject({ on: "test", n: 60 });
    const { rows } = await lab.table(output<{ y_pred_url: string }>(records[5]).y_pred_url);
    expect(rows).toHaveLength(60);
    const candidates = await lab.table(output<{ candidates_url: string }>(records[3]).candidates_url);
    expect(candidates.rows.map((row) => row[1])).toEqual(leaderboard.map(({ model }) => model));
    expect(records.flatMap(({ notices = [] }) => notices)).toEqual([]);
  });

  // Leak-free by construction means that a candidate is no more than the chain it is told as.
  it.each(searchable(task))("answers with %s what its chain answers when it is opened as code", async (model) => {
    const read = await start(csv);
    const rows = model === "poisson" ? read.derive({ columns: { z: "round(abs(z))" } }) : read;
    const chain = rows.xy({ x: ["a", "b", "c"], y }).split({ test_size: 0.25, random_state: 1 });
    const args = { ...quick, models: [model], max_trials: 2, stack: false };
    const searched = await chain.branch()[helper](args);
    const [member] = (Object.values(searched.output as object)[0] as Found).members;
    const opened = new Function("chain", `return chain${member.chain}`) as (from: Chain) => Chain;
    const theirs = (await opened(chain.branch()).metrics()).output as Record<string, unknown>;
    const ours = (await searched.metrics()).output as Record<string, unknown>;
    for (const name of [scoring, task === "regression" ? "rmse" : "log_loss"]) {
      expect(Number(ours[name]), name).toBeCloseTo(Number(theirs[name]), 7);
    }
  });

  it("answers the same bytes for the same seed, however many run at once, and others for another", async () => {
    const once = async (args: object) => {
      const record = await lab.last(csv, roles(y), split, [helper, { ...quick, ...args }]);
      return JSON.stringify(found(record)).replace(/"model_url":"[^"]*"/, "");
    };
    const [one, same, other] = [await once({}), await once({ n_jobs: 1 }), await once({ random_state: 4 })];
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it("refuses in one sentence what can't be searched", async () => {
    const failure = async (args: object, ...links: Link[]) => {
      const { status, message } = await lab.failure(csv, ...(links.length > 0 ? links : [roles(y)]), [
        helper,
        { ...args },
      ]);
      return `${status} ${message}`;
    };
    const who = `${helper} (${code})`;
    expect(await failure({ models: ["boosting"] })).toContain(
      `400 ${who}: models holds "boosting", which is not searched`,
    );
    const other = task === "regression" ? "f1" : "r2";
    expect(await failure({ scoring: other })).toContain(`400 ${who}: scoring "${other}" is not for ${task}`);
    expect(await failure({ time_left: 0 })).toContain(`400 ${who}: time_left must be at least 1, got 0`);
    expect(await failure({}, ["drop", { columns: ["y"] }])).toContain(`400 ${who}: it is not said what to learn`);
    expect(await failure({}, roles(y), ["slice", { to: 6 }])).toContain(
      `422 ${who}: 6 training rows can't be learnt from`,
    );
  });
});

describe("a search", () => {
  it("weighs models together only where that is better on rows held out", async () => {
    const args = { ...quick, max_trials: 16 };
    const stacked = found(await lab.last(csv, roles("y"), split, ["autoClassifier", args]));
    const alone = found(await lab.last(csv, roles("y"), split, ["autoClassifier", { ...args, stack: false }]));
    expect(alone.members).toHaveLength(1);
    expect(alone.mean).toBe(alone.leaderboard[0].mean);
    expect(stacked.leaderboard).toEqual(alone.leaderboard);
    expect(stacked.mean).toBeGreaterThan(alone.mean);
    expect(stacked.members.length).toBeGreaterThan(1);
    expect(stacked.members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
  });

  // cross_val_score of make_pipeline(ColumnTransformer([SimpleImputer() of a and b, most_frequent and OneHotEncoder of c]),
  // StandardScaler(), Ridge() or LogisticRegression(tol=1e-9)), cv=KFold or StratifiedKFold(5, shuffle=True,
  // random_state=3) of scikit-learn 1.9.1: of the whole pipeline, so that nothing is learnt from rows held out.
  it.each([
    ["autoRegressor", "z", "ridge", "r2", 0.802637635169839, 0.05497114548632491, 9],
    ["autoClassifier", "y", "logistic", "log_loss", 0.5942995212486593, 0.05426270912193702, 4],
  ] as const)(
    "scores as scikit-learn scores the whole pipeline: %s",
    async (helper, y, model, scoring, mean, std, digits) => {
      const args = { models: [model], max_trials: 1, random_state: 3, scoring };
      const [row] = found(await lab.last(csv, roles(y), [helper, args])).leaderboard;
      expect(row).toMatchObject({ mean: expect.closeTo(mean, digits), std: expect.closeTo(std, digits), folds: 5 });
    },
  );

  it("judges by folds of time, as cross-validation of the chain does", async () => {
    const record = await lab.last(
      "sample:weather",
      ["xy", { x: ["precipitation", "temp_min", "wind"], y: "temp_max" }],
      ["split", { test_size: 0.2, shuffle: false }],
      [
        "autoRegressor",
        { models: ["linear", "ridge"], max_trials: 2, time_left: 600, cv: { kind: "time", n_splits: 4, gap: 7 } },
      ],
    );
    // cross_validate(make_pipeline(StandardScaler(), LinearRegression()), …, cv=TimeSeriesSplit(4, gap=7)) of scikit-learn
    // 1.9.1.
    const folds = [0.6658886884065338, 0.68670453463784, 0.8165205268990878, 0.7640259747610477];
    const line = found(record).leaderboard.find(({ model }) => model === "linear");
    expect(line).toMatchObject({ folds: 4, mean: expect.closeTo(folds.reduce((sum, r2) => sum + r2, 0) / 4, 9) });
    expect(record.notices ?? []).toEqual([]);
  });

  it("keeps to its time, and says that it was cut", async () => {
    const chain = (await start(table(6000))).xy({ x: ["a", "b", "c"], y: "z" });
    await chain;
    const began = performance.now();
    const cut = await chain.autoRegressor({ time_left: 3, max_trials: 500 });
    expect(performance.now() - began).toBeLessThan(3600);
    expect(cut.record.notices?.join()).toMatch(/time_left 3 s was over when \d+ candidates? of \d+ candidates/);
    expect((Object.values(cut.output as object)[0] as Found).mean).toBeGreaterThan(0.5);
  });

  it("asks no clock where it is told how many candidates to try", async () => {
    const args = { max_trials: 6, random_state: 3 };
    const once = async (more: object) => {
      const record = await lab.last(csv, roles("z"), ["autoRegressor", { ...args, ...more }]);
      const text = JSON.stringify(found(record)).replace(/"model_url":"[^"]*"/, "");
      return { text, notices: record.notices ?? [] };
    };
    const quiet = await once({});
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10_000));
    try {
      expect(await once({})).toEqual(quiet);
      expect((await once({ time_left: 600 })).notices.join()).toContain("time_left 600 s was over when");
    } finally {
      clock.mockRestore();
    }
  });

  it("ends soon when it is cancelled, and keeps nothing", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    await lab.block(id, 2, 1, roles("y"));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const run = lab.block(id, 3, 2, ["autoClassifier", { max_trials: 400, time_left: 600 }], stop.signal);
    await expect(run).rejects.toMatchObject({ status: 499 });
    expect((await (await lab.service).states(someone, id)).length).toBe(2);
  });

  it("takes the names that clients of automated networks send", async () => {
    const args = { hyp_params: { max_trials: 2 }, model_name: "table", epochs: 3 };
    const judge: Link = ["A_DL_SDC_E", { model_name: "table" }];
    const records = await lab.chain(csv, roles("y"), split, ["A_DL_SDC_I", args], judge);
    expect(output<{ table: Found }>(records[3]).table.leaderboard).toHaveLength(2);
    expect(output(records[4])).toMatchObject({ on: "test" });
  });

  it("shows the leaderboard and tells it in words", async () => {
    const record = await lab.last(csv, roles("y"), split, ["autoClassifier", { ...quick, max_trials: 4 }]);
    expect(await lab.view(record, 120)).toMatchSnapshot();
    const { did } = await (await lab.service).explain(someone, record.id);
    expect(did.join(" ")).toMatch(/^Tried 4 candidates to tell y; \d of them came to the last step/);
  });
});
