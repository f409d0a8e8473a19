import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

/** What scikit-learn 1.9's vectorizers make of these texts. */
const reference = JSON.parse(readFileSync(new URL("./vectorize-reference.json", import.meta.url), "utf8")) as {
  texts: string[];
  cases: { kind: string; args: Record<string, unknown>; terms: string[] | null; rows: number[][] }[];
};
const csv = `id,t\n${reference.texts.map((text, k) => `${k},"${text}"`).join("\n")}\n`;
const close = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.map((cell) => Number(Number(cell).toFixed(9)) + 0));

describe("vectorize (DP_VEC)", () => {
  it.each(reference.cases)("$kind with $args gives scikit-learn's numbers", async ({ kind, args, terms, rows }) => {
    const record = await lab.last(csv, ["vectorize", { vectorizer: kind, ...args }]);
    const { header, rows: found } = await lab.table(record.dataset_url);
    // Case does not tell columns apart, so "The" and "the" can't both be t_the.
    expect(header.map((name) => name.replace("the_1", "the"))).toEqual([
      "id",
      ...(terms ?? rows[0].map((_, k) => String(k))).map((term) => `t_${term}`),
    ]);
    expect(close(found.map((row) => row.slice(1)))).toEqual(close(rows));
  });

  it.each(reference.cases.filter(({ kind }) => kind !== "hashing"))(
    "$kind with $args counts new rows the same",
    async ({ kind, args }) => {
      const { id } = await lab.project();
      await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
      const fitted = await lab.block(id, 2, 1, ["vectorize", { vectorizer: kind, ...args, save_name: "v" }]);
      const again = await lab.block(id, 3, 1, ["vectorize", { load_name: "v" }]);
      const [one, two] = [await lab.table(fitted.dataset_url), await lab.table(again.dataset_url)];
      expect(two.header).toEqual(one.header);
      expect(close(two.rows)).toEqual(close(one.rows));
    },
  );

  it("learns words from training rows alone, and a model predicts from raw texts", async () => {
    const spam = `t,y\n${Array.from({ length: 30 }, (_, k) => (k % 2 ? `win money now ${k}x,spam` : `meeting at noon ${k}x,ham`)).join("\n")}\n`;
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(spam) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    const split = await lab.block(id, 3, 2, ["split", { test_size: 6, random_state: 1 }]);
    const vectors = await lab.block(id, 4, 3, ["vectorize", { min_df: 2 }]);
    expect((await lab.table(vectors.x_value_url)).header).toEqual([
      "t_at",
      "t_meeting",
      "t_money",
      "t_noon",
      "t_now",
      "t_win",
    ]);
    expect((await lab.table(split.x_test_url)).rows).toHaveLength(6);
    await lab.block(id, 5, 4, ["logistic", { model_name: "m" }]);
    const fresh = lab.file("t\nplease win money\nnoon meeting\n");
    const predicted = await lab.block(id, 6, 5, ["ML_CN_1_P", { model_name: "m", test_data: fresh }]);
    expect((await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url)).rows).toEqual([["spam"], ["ham"]]);
  });

  it("keeps the most frequent terms, of equally frequent ones the first", async () => {
    const record = await lab.last("t\nbb aa\nbb cc\ncc dd\n", ["vectorize", { vectorizer: "count", max_features: 3 }]);
    expect((await lab.table(record.dataset_url)).header).toEqual(["t_aa", "t_bb", "t_cc"]);
  });

  it("counts missing cells as empty texts, and shows the most frequent terms", async () => {
    const record = await lab.last("t,k\ncat dog,1\n,2\ncat,3\n", ["vectorize", { vectorizer: "count" }]);
    expect(record.notices).toEqual(["vectorize (DP_VEC): 1 missing cell of t count as empty texts."]);
    expect(await lab.column(record, "t_cat")).toEqual([1, 0, 1]);
    expect(await lab.view(record)).toMatch(
      /t: 2 terms \(count, learnt from all 3 rows\)\.[\s\S]*cat +█+ +2\ndog +█+ +1/,
    );
  });

  it.each([
    [{ boundaries: ["id"] }, 422, /column "id" is integer|column "id" is number, and only texts have words/],
    [{ dataset: true, boundaries: ["x"] }, 400, /column "x" is not in the table/],
    [{ min_df: 9 }, 422, /no term is left; lower min_df or raise max_df/],
    [{ ngram_range: [2, 1] }, 400, /must go from fewer words to more/],
    [{ vectorizer: "tfdif" }, 400, /Did you mean "tfidf"/],
    [{ load_name: "v" }, 400, /nothing is saved under "v"/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure(csv, ["vectorize", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses tables without words, and more columns than fit", async () => {
    expect((await lab.failure("a,b\n1,2\n", ["vectorize"])).message).toMatch(/there is no text column among a, b/);
    expect((await lab.failure("t\n.\n,\n".replace(",", "?"), ["vectorize"])).message).toMatch(
      /hold no word of two letters/,
    );
    const words = Array.from({ length: 21_000 }, (_, k) => `w${k}`).join(" ");
    expect((await lab.failure(`t\n${words}\n`, ["vectorize"])).message).toMatch(
      /21,000 terms are too many for columns; at most 20,000 fit\. Set max_features/,
    );
  });
});
