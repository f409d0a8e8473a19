import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";
import { rowsOf, trained } from "./scored.ts";

const lab = new Lab();

interface Calibration {
  readonly n: number;
  readonly classes: readonly {
    readonly class: string;
    readonly brier: number;
    readonly ece: number;
    readonly bins: readonly { readonly probability: number; readonly share: number; readonly n: number }[];
  }[];
  readonly calibration_url: string;
}

const calibrated = async (classes: 2 | 3, args = {}) => {
  const record = await lab.last(rowsOf(classes), ...trained, ["calibration", args]);
  return { record, found: output<Calibration>(record) };
};

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9));

describe("bins are those of calibration_curve", () => {
  it("of equal length, with the Brier score of brier_score_loss", async () => {
    const { found, record } = await calibrated(2);
    const [{ class: label, bins, brier, ece }] = found.classes;
    expect([found.n, label, brier]).toEqual([90, "yes", expect.closeTo(0.08629824496967096, 9)]);
    const said = [0.02577107694685026, 0.2814797645613705, 0.4952552386779594, 0.7104923254387883, 0.8813328197173849];
    const was = [0.03773584905660377, 1 / 3, 3 / 7, 5 / 7, 0.85];
    expect(bins.map((bin) => bin.probability)).toEqual(close(said));
    expect(bins.map((bin) => bin.share)).toEqual(close(was));
    expect(bins.map((bin) => bin.n)).toEqual([53, 3, 7, 7, 20]);
    const distance = said.map((each, k) => (Math.abs(each - was[k]) * bins[k].n) / 90).reduce((a, b) => a + b);
    expect(ece).toBeCloseTo(distance, 9);
    const { header, rows } = await lab.table(found.calibration_url);
    expect(header).toEqual(["from", "to", "n", "probability", "share"]);
    expect(rows[4]).toEqual([0.8, 1, 20, expect.closeTo(0.8813328197173849, 9), 0.85]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! Model naiveBayes, probability of yes, judged on all 90 rows, which it was
        trained on.

      how far probabilities are from the truth; 0 is best
      class   brier  always its share     ece
      ─────  ──────  ────────────────  ──────
      yes    0.0863            0.2143  0.0212

      what was said, and what was so
      between      rows   said    was
      ───────────  ────  ─────  ─────
      0 and 0.2      53  0.026  0.038
      0.2 and 0.4     3  0.281  0.333
      0.4 and 0.6     7  0.495  0.429
      0.6 and 0.8     7  0.710  0.714
      0.8 and 1      20  0.881  0.850

      calibration: the share that is of a class, by its probability
      n = 90 rows, 5 points
      share
        1 ┤                                                                        ···
          │                                                                  ······
          │                                                             ⢀⣀⠤⠔⠒·
          │                                                       ⢀⣀⠤⠔⠒⠊⠉
          │                                                  ⢀⡠⠔⠒⠉⠁
          │                                             ·⢀⡠⠔⠊⠁
          │                                        ···⣀⠤⠒⠁
      0.5 ┤                                   ····⢀⡠⠔⠋
          │                             ···⣀⣀⣀⠤⠤⠔⠊⠁
          │                     ⣀⣀⡠⠤⠤⠔⠒⠒⠉⠉⠉
          │                ⢀⡠⠤⠒⠉····
          │            ⣀⠤⠔⠊⠁··
          │        ⣀⡤⠒⠉··
          │   ⢀⣀⠤⠒⠉·
        0 ┤··⠊⠁
          └───────────────────────────────────────────────────────────────────────────
           0                            mean probability                             1
      · · reference line from (0, 0) to (1, 1)"
    `);
  });

  it("of as many rows each", async () => {
    const { found } = await calibrated(2, { strategy: "quantile" });
    expect(found.classes[0].bins.map((bin) => bin.probability)).toEqual(
      close([5.6621440103051705e-6, 0.00182519656238224, 0.08921048021192347, 0.5912787153482586, 0.8886352632352092]),
    );
    expect(found.classes[0].bins.map((bin) => bin.share)).toEqual(close([0, 0, 1 / 6, 0.5, 8 / 9]));
  });

  it("of each of several classes, or of one, empty ones left out", async () => {
    const { found } = await calibrated(3, { n_bins: 3 });
    expect(found.classes.map((each) => each.class)).toEqual(["maybe", "no", "yes"]);
    expect(found.classes.map((each) => each.brier)).toEqual(
      close([0.06112822939563641, 0.030653989837370048, 0.08082801860258472]),
    );
    expect(found.classes[0].bins.map((bin) => bin.share)).toEqual(close([0.06097560975609756, 0.5]));
    expect((await lab.table(found.calibration_url)).header[0]).toBe("class");
    const one = await calibrated(3, { n_bins: 3, class: "no" });
    expect(one.found.classes).toEqual([found.classes[1]]);
  });
});

it("judges rows of a file, of which those without a class don't count", async () => {
  const later = lab.file("age,size,kind\n60,4,yes\n1,0,no\n5,1,\n");
  const { found } = await calibrated(2, { test_data: later });
  expect(found.n).toBe(2);
});

it("says what it can't judge", async () => {
  const message = async (links: readonly (readonly [string, Record<string, unknown>?])[]) =>
    (await lab.failure(rowsOf(2), ...links, ["calibration"])).message;
  expect(await message([["drop", { columns: ["kind"] }], ["xy", { y: "size" }], ["linear"]])).toBe(
    'calibration (BL_CALIBRATION): it is for models of classes, and "linear" answers numbers of "size".',
  );
  expect(await message([trained[0], ["svm", { probability: false }]])).toBe(
    'calibration (BL_CALIBRATION): model "svm" tells classes without probabilities. Train it with probability: true, or take another, such as logistic (ML_CN_1).',
  );
});
