import { expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();

const towns = ["Lagos", "Accra", "Kano"];
const table = `age,town,size,kind,y\n${Array.from({ length: 90 }, (_, k) => {
  const [age, town, size, noise] = [(k * 37) % 61, k % 3, ((k * 53) % 29) / 7, (k * 29) % 31];
  const y = 2 * age + 30 * town + size * size + (age > 30 ? 10 * size : 0);
  const kind = age + 4 * size + noise > 65 ? "yes" : age < 40 ? "no" : "maybe";
  return [age, towns[town], size, kind, y].join(",");
}).join("\n")}\n`;

const numbers: readonly Link[] = [
  ["drop", { columns: ["kind"] }],
  ["encode", { columns: ["town"], type: "onehot" }],
  ["scale", { columns: ["age", "size"] }],
  ["xy", { y: "y" }],
  ["ridge"],
];

const classes: readonly Link[] = [
  ["select", { columns: ["age", "size", "kind"] }],
  ["xy", { y: "kind" }],
  ["scale"],
  ["naiveBayes"],
];

interface Spread {
  readonly mean: number | null;
  readonly std: number | null;
  readonly folds: readonly (number | null)[];
}

interface Curve {
  readonly scoring: string;
  readonly sizes: readonly { readonly rows: number; readonly train: Spread; readonly validation: Spread }[];
  readonly curve_url: string;
}

const drawn = async (links: readonly Link[], args = {}) => {
  const record = await lab.last(table, ...links, ["learningCurve", args]);
  return { record, found: output<Curve>(record) };
};

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 7));

// The reference values are those of learning_curve of scikit-learn 1.9.1 with the arguments of each test, of
// make_pipeline(ColumnTransformer([("o", OneHotEncoder(handle_unknown="ignore"), ["town"]), ("s", StandardScaler(),
// ["age", "size"])]), Ridge()) for y, and of make_pipeline(StandardScaler(), GaussianNB()) on age and size for kind.
it("is learning_curve of a pipeline, with preparation fitted on the rows learnt from alone", async () => {
  const { found, record } = await drawn(numbers, { shuffle: false });
  expect(found.sizes.map(({ rows }) => rows)).toEqual([7, 23, 39, 55, 72]);
  expect(found.sizes.map(({ train }) => train.mean)).toEqual(
    close([0.9435903409705926, 0.9664653942609984, 0.9724138513951862, 0.9728907345419465, 0.9750545560567124]),
  );
  expect(found.sizes.map(({ validation }) => validation.mean)).toEqual(
    close([0.7359898765673488, 0.9635883657057299, 0.9683497639807099, 0.9716719785995316, 0.9726777925598812]),
  );
  expect(found.sizes.map(({ validation }) => validation.std)).toEqual(
    close([
      0.06125009760076106, 0.009156753176767172, 0.008036901210398299, 0.006808240268781422, 0.005572569051503132,
    ]),
  );
  const { header, rows } = await lab.table(found.curve_url);
  expect(header).toEqual(["rows", "fold", "train", "validation"]);
  expect(rows.slice(5, 10).map((row) => Number(row[3]))).toEqual(
    close([0.9614938564241907, 0.9717629563504372, 0.9466616370334594, 0.9678539502071253, 0.9701694285134366]),
  );
  expect(await lab.view(record)).toMatchInlineSnapshot(`
    "Model ridge, trained anew on some of the rows of each of 5 folds.

    r2, mean and deviation over 5 folds
    rows   train  ± train  validation  ± validation
    ────  ──────  ───────  ──────────  ────────────
       7  0.9436   0.0172      0.7360        0.0613
      23  0.9665   0.0024      0.9636        0.0092
      39  0.9724   0.0019      0.9683        0.0080
      55  0.9729   0.0012      0.9717        0.0068
      72  0.9751   0.0011      0.9727        0.0056

    learning curve: r2 by rows that were learnt from
    n = 72 rows, 10 points
    rows it learnt from
    r2
    0.975 ┤          ╭──────────────────────────────────────────────────────────────
          │──────────╯
          │
    0.856 ┤
          │
          │
    0.736 ┤
          └─────────────────────────────────────────────────────────────────────────
           7                            training rows                             72
    rows held out
    r2
    0.975 ┤                  ╭──────────────────────────────────────────────────────
          │               ╭──╯
          │            ╭──╯
    0.856 ┤        ╭───╯
          │     ╭──╯
          │  ╭──╯
    0.736 ┤──╯
          └─────────────────────────────────────────────────────────────────────────
           7                            training rows                             72
    A panel for each series; the axes are the same."
  `);
});

it("draws the rows of learning_curve with shuffle, by number and by another score", async () => {
  const args = { cv: 4, train_sizes: [60, 20], scoring: "mae", random_state: 7 };
  const { found } = await drawn(numbers, args);
  expect(found.sizes.map(({ train }) => train.folds)).toEqual([
    close([5.827930238622476, 8.08842177636979, 6.791985365814409, 7.5059222716955265]),
    close([6.517189519483579, 7.1691309452575105, 6.7707127442911865, 6.867480391082819]),
  ]);
  expect(found.sizes.map(({ validation }) => validation.folds)).toEqual([
    close([7.053302477382043, 8.095418688762912, 8.466971070522352, 9.347142942816808]),
    close([7.048296795895905, 6.744361074494225, 7.418533444299527, 7.274335000787295]),
  ]);
});

it("keeps the classes' shares in the folds", async () => {
  const { found } = await drawn(classes, { random_state: 3, train_sizes: [0.3, 0.6, 1] });
  expect(found.scoring).toBe("accuracy");
  expect(found.sizes.map(({ train }) => train.mean)).toEqual(
    close([0.980952380952381, 0.8883720930232559, 0.8805555555555555]),
  );
  expect(found.sizes.map(({ validation }) => validation.mean)).toEqual(
    close([0.8444444444444444, 0.8444444444444444, 0.8666666666666666]),
  );
});

it("leaves test rows out of it", async () => {
  // Test rows, the last 30, would turn every score over.
  const lines = table.trim().split("\n");
  const turned = lines.map((line, k) => (k > 60 ? line.replace(/[^,]*$/, "-9999") : line)).join("\n");
  const split: Link = ["split", { test_size: 30, shuffle: false }];
  const links = [...numbers.slice(0, -1), split, ["ridge"]] as const;
  const [first, second] = [table, `${turned}\n`].map((csv) => lab.last(csv, ...links, ["learningCurve", { cv: 3 }]));
  expect(output<Curve>(await second).sizes).toEqual(output<Curve>(await first).sizes);
});

it("goes on where few rows are of one class, and says so", async () => {
  const sorted: Link[] = [["sort", { by: ["kind"] }], ...classes];
  const { found, record } = await drawn(sorted, { shuffle: false, train_sizes: [5, 60] });
  expect(found.sizes.map(({ validation }) => validation.mean === null)).toEqual([true, false]);
  expect(record.notices?.join()).toMatch(
    /5 of 10 models could not be trained, and their sizes have no score; the first/,
  );
  expect(
    (await lab.failure(table, ...sorted, ["learningCurve", { shuffle: false, train_sizes: [2] }])).message,
  ).toMatch(/^learningCurve \(BL_LEARNING\): no model could be trained on so few rows; the first says: /);
});

it("says what it can't take", async () => {
  const message = async (links: readonly Link[], args = {}) =>
    (await lab.failure(table, ...links, ["learningCurve", args])).message;
  expect(await message(numbers, { train_sizes: [20, 80] })).toBe(
    "learningCurve (BL_LEARNING): train_sizes must be shares up to 1, or whole numbers of rows up to 72, the training rows of a fold; got 80.",
  );
  expect(await message(numbers, { scoring: "accuracy" })).toBe(
    'learningCurve (BL_LEARNING): scoring "accuracy" is not for regression; take one of r2, rmse, mae, mse, mape.',
  );
  expect(await message(numbers, { cv: 91 })).toBe(
    "learningCurve (BL_LEARNING): cv must be between 2 and 90 (training rows), got 91.",
  );
  expect(await message([...numbers, ["xy", { x: ["age"], y: "y" }]])).toMatch(
    /^learningCurve \(BL_LEARNING\): model "ridge" learnt "y" from .*, which are not the Y and X here\. Ask right behind/,
  );
});
