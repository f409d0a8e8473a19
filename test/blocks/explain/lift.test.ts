import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";
import { rowsOf, trained } from "./scored.ts";

const lab = new Lab();

interface Lift {
  readonly class: string;
  readonly base: number;
  readonly parts: readonly { readonly n: number; readonly lift: number; readonly gain: number }[];
  readonly lift_url: string;
}

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9));

it("tells each part of the rows, from the likeliest down", async () => {
  const record = await lab.last(rowsOf(2), ...trained, ["lift", { n_bins: 7 }]);
  const found = output<Lift>(record);
  // o = np.argsort(-p, kind="stable"); parts = np.array_split(y[o], 7); [a.mean() / y.mean() for a in parts]
  expect(found.parts.map((part) => part.lift)).toEqual(
    close([3.2142857142857144, 1.978021978021978, 1.4835164835164836, 0.24725274725274726, 0, 0, 0]),
  );
  expect(found.parts.map((part) => part.n)).toEqual([13, 13, 13, 13, 13, 13, 12]);
  expect(found.parts.map((part) => part.gain)).toEqual(
    close([0.4642857142857143, 0.75, 0.9642857142857143, 1, 1, 1, 1]),
  );
  expect([found.class, found.base]).toEqual(["yes", expect.closeTo(28 / 90, 9)]);
  const { header, rows } = await lab.table(found.lift_url);
  expect(header).toEqual(["part", "n", "probability", "positives", "share", "lift", "rows", "gain"]);
  expect(rows[0].slice(0, 2)).toEqual([1, 13]);
  const view = await lab.view(record);
  for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(view).toMatchInlineSnapshot(`
    "! Model naiveBayes, probability of yes, judged on all 90 rows, which it was
      trained on.

    from the likeliest rows down; 31.1% of all are yes
    part  rows  probability  share  lift   gain
    ────  ────  ───────────  ─────  ────  ─────
       1    13        0.866  1.000  3.21  0.464
       2    13        0.628  0.615  1.98  0.750
       3    13        0.158  0.462  1.48  0.964
       4    13        0.014  0.077  0.25  1.000
       5    13        0.000  0.000  0.00  1.000
       6    13        0.000  0.000  0.00  1.000
       7    12        0.000  0.000  0.00  1.000

    gain: the share of yes that is found among the likeliest rows
    n = 90 rows, 8 points
    share found
      1 ┤                               ⢀⡠⠤⠤⠔⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
        │                            ⣀⠤⠊⠁                                  ······
        │                        ⢀⡠⠔⠉                                 ······
        │                     ⢀⠤⠊⠁                               ······
        │                  ⢀⡠⠊⠁                            ······
        │                ⡠⠔⠁                          ······
        │             ⢀⠔⠊                        ······
    0.5 ┤           ⢠⠒⠁                     ·····
        │         ⢀⠔⠁                 ······
        │       ⢀⠔⠁              ······
        │      ⡠⠊           ······
        │    ⢀⠔⠁      ······
        │   ⡠⠃   ······
        │ ⢀⠜······
      0 ┤⡠⠃·
        └───────────────────────────────────────────────────────────────────────────
         0                              share of rows                              1
    · · reference line from (0, 0) to (1, 1)

    lift: yes in each part of the rows, over that in all
    n = 90 rows, 7 bars
    part, from the likeliest rows down: lift
    1  ████████████████████████████████████████████████████████████████████  3.21429
    2  ██████████████████████████████████████████                            1.97802
    3  ███████████████████████████████                                       1.48352
    4  █████                                                                 0.24725
    5                                                                        0.00000
    6                                                                        0.00000
    7                                                                        0.00000"
  `);
});

it("makes fewer parts of few rows", async () => {
  const later = lab.file("age,size,kind\n60,4,yes\n1,0,no\n30,2,no\n");
  const { parts } = output<Lift>(await lab.last(rowsOf(2), ...trained, ["lift", { test_data: later }]));
  expect(parts.map((part) => part.lift)).toEqual([3, 0, 0]);
});

it("refuses a class that the model doesn't know", async () => {
  const error = await lab.failure(rowsOf(2), ...trained, ["lift", { class: "yess" }]);
  expect([error.status, error.message]).toEqual([
    400,
    'lift (BL_LIFT): model "naiveBayes" knows no class "yess". Did you mean "yes"? Classes: no, yes.',
  ]);
});
