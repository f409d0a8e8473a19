import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const cities = ["Aba", "Lagos", "Kano"];
const csv = `id,age,sex,city,code,note,when,y\n${Array.from(
  { length: 24 },
  (_, k) =>
    `${k},${k % 6 === 0 ? "" : 20 + k},${k % 2 ? "f" : "m"},${cities[k % 3]},"${k % 5}",n${k},2026-01-${String(k + 1).padStart(2, "0")},${k === 7 ? "" : k % 2 ? "yes" : "no"}`,
).join("\n")}\n`;

describe("auto (DP_ADP)", () => {
  it("drops, fills, parses, encodes by how many values there are, and scales", async () => {
    const record = await lab.last(csv, [
      "auto",
      { x_slice: ":, :-1", y_slice: "-1", excluded_columns: ["id"], ohe_thresh: 5 },
    ]);
    const { header, rows } = await lab.table(record.dataset_url);
    expect(header).toEqual([
      "age",
      "sex",
      "city_Aba",
      "city_Kano",
      "city_Lagos",
      "code",
      "when_year",
      "when_month",
      "when_day",
      "when_dayofweek",
      "y",
    ]);
    expect(rows).toHaveLength(23);
    expect(rows.flat().some((cell) => cell === null)).toBe(false);
    const ages = (await lab.column(record, "age")).map(Number);
    expect(ages.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9);
    expect((await lab.table(record.y_value_url)).header).toEqual(["y"]);
    expect(record.notices?.join()).toMatch(/note dropped: more than 5 different values\. Raise ohe_thresh/);
    expect(await lab.view(record)).toMatch(/^Dropped id; dropped 1 row without a target; filled/m);
  });

  it("reads numbers with units, drops identifiers and columns without a value, and says all of it", async () => {
    const rows = Array.from({ length: 40 }, (_, k) => {
      const mileage = k === 3 ? "km/kg" : "kmpl";
      return `${5000 + 7 * k},,${15 + (k % 9)}.4 ${mileage},"${1 + (k % 3)},${100 + k} CC",${k === 5 ? "null" : 60 + k} bhp,${k * 3},${k % 2 ? "yes" : "no"}`;
    });
    const cars = `policy_number,notes,mileage,engine,power,km,y\n${rows.join("\n")}\n`;
    const record = await lab.last(
      cars,
      ["auto", { y: "y", test_size_value: 0.2, random_state: 1 }],
      ["forestClassifier"],
    );
    const { header, types } = await lab.table(record.x_value_url);
    expect(header).toEqual(["mileage", "engine", "power", "km"]);
    expect(types).toEqual(["number", "number", "number", "number"]);
    const prepared = await lab.last(cars, [
      "auto",
      {
        y: "y",
        excluded_scaling_columns: ["mileage", "engine", "power"],
        excluded_encoding_columns: ["policy_number"],
      },
    ]);
    expect((await lab.column(prepared, "engine")).slice(0, 3)).toEqual([1100, 2101, 3102]);
    expect((await lab.column(prepared, "mileage")).slice(2, 5)).toEqual([17.4, 18.4, 19.4]);
    const power = (await lab.column(prepared, "power")).map(Number);
    expect(power[5]).toBeCloseTo((power.reduce((sum, value) => sum + value, 0) - power[5]) / 39, 9);
    expect((await lab.table(prepared.x_value_url)).header).toContain("policy_number");
    expect(prepared.notices).toEqual([
      "auto (DP_ADP): notes dropped: there is no value in the rows to learn from, so nothing could fill it.",
      expect.stringMatching(/1 cell of mileage has another unit than kmpl, such as "km\/kg"; their numbers/),
      "auto (DP_ADP): mileage (kmpl), engine (cc), power (bhp) read as numbers, without their units.",
      expect.stringMatching(/numbers of engine were read with marks between thousands/),
      expect.stringMatching(/1 cell of column "power" holds no number/),
    ]);
    const dropped = await lab.last(cars, ["auto", { y: "y" }]);
    expect(dropped.notices?.[1]).toBe(
      "auto (DP_ADP): policy_number dropped: each row has a value of its own, as identifiers have. Name it in excluded_encoding_columns to keep it.",
    );
  });

  it("leaves alone what is excluded from a step, and what came of it", async () => {
    const record = await lab.last(csv, [
      "auto",
      {
        y: "y",
        excluded_columns: ["id", "note", "when"],
        excluded_fillmissing_columns: ["age"],
        excluded_encoding_columns: ["sex"],
        excluded_scaling_columns: ["city", "age"],
      },
    ]);
    expect(new Set(await lab.column(record, "sex"))).toEqual(new Set(["m", "f"]));
    expect(new Set(await lab.column(record, "city_Aba"))).toEqual(new Set([0, 1]));
    expect((await lab.column(record, "age")).slice(0, 2)).toEqual([null, 21]);
  });

  it("splits before it learns: test rows decide nothing", async () => {
    const chain = ["auto", { y: "y", excluded_columns: ["id", "note"], test_size_value: 6, random_state: 4 }] as const;
    const record = await lab.last(csv, chain);
    const train = (await lab.table(record.x_train_url)).rows.map((row) => Number(row[0]));
    expect(train.reduce((sum, value) => sum + value, 0) / train.length).toBeCloseTo(0, 9);
    expect((await lab.table(record.x_test_url)).rows).toHaveLength(6);
    expect(record.notices?.join() ?? "").not.toMatch(/Leakage/);
    const judged = await lab.last(csv, chain, ["treeClassifier"], ["ML_CN_6_M", { model_name: "treeClassifier" }]);
    expect(JSON.parse(judged.output as string).on).toBe("test");
  });

  it("is fitted anew in each fold where it splits as well, as behind a split of its own", async () => {
    const whole = csv.replace(/,\n/, ",no\n");
    const [y, halves] = [{ y: "y" }, { test_size: 6, random_state: 4 }];
    const model = ["logistic", { cv: 3 }] as const;
    const folds = async (...links: readonly Link[]) => {
      const { logistic } = output<{ logistic: { cv: object } }>(await lab.last(whole, ...links, model));
      return logistic.cv;
    };
    const apart = await folds(["xy", y], ["split", halves], ["auto"]);
    expect(await folds(["auto", { ...y, ...halves }])).toEqual(apart);
  });

  it("keeps what it learnt, and applies it to new data without a target", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const fitted = await lab.block(id, 2, 1, ["auto", { y: "y", excluded_columns: ["id", "note"], save_name: "all" }]);
    const fresh = `code,age,sex,city,when\n"1",21,f,Lagos,2026-01-02\n"1",21,f,Lagos,2026-01-02\n"4",,m,Aba,2026-01-05\n`;
    await lab.block(id, 3, 0, ["input", { dburl: lab.file(fresh) }]);
    const applied = await lab.block(id, 4, 3, ["auto", { load_name: "all", dataset_type: "test", clean: "true" }]);
    const before = await lab.table(fitted.x_value_url);
    const after = await lab.table(applied.x_value_url);
    expect(after.header).toEqual(before.header);
    expect(after.rows).toHaveLength(2);
    expect(after.rows[0]).toEqual(before.rows[1]);
    expect(applied.y_value_url).toBeNull();
    expect(await lab.view(applied)).toMatch(/^Dropped 1 repeated row; prepared as kept under all\./);
    const lacking = await lab.block(id, 5, 0, ["input", { dburl: lab.file("age,sex\n1,f\n") }]).then(() =>
      lab.block(id, 6, 5, ["auto", { load_name: "all" }]).then(
        () => "it worked",
        (error: Error) => error.message,
      ),
    );
    expect(lacking).toMatch(/was fitted on city, code, when, which the table does not have\. Columns: age, sex\./);
  });

  it.each([
    [{ y: "y", excluded_columns: ["idd"] }, 400, /column "idd" is not in the table\. Did you mean "id"/],
    [{ y: "y", clean: true }, 400, /clean belong to load_name/],
    [{ load_name: "none" }, 400, /nothing is saved under "none"/],
    [{ y: "y", test_size: 999 }, 400, /below the 23 rows, got 999/],
    [{ y: "y", strategy: "meen" }, 400, /Did you mean "mean"/],
    [{ y: "y", excluded_columns: [0, 1, 2, 3, 4, 5, 6] }, 400, /leaves no column for X/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure(csv, ["auto", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });
});
