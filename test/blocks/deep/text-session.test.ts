import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpLink } from "../../../src/client/http.ts";
import { type Serving, serve } from "../../../src/server/serve.ts";
import { Session } from "../../../src/session/index.ts";
import { corpusCsv } from "./corpus.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-texts-"));
const file = join(home, "topics.csv");
let serving: Serving;

beforeAll(async () => {
  writeFileSync(file, corpusCsv(240));
  const write = process.stdout.write;
  process.stdout.write = (() => true) as typeof write;
  try {
    serving = await serve({ port: 0, home: join(home, "data"), files: home, key: "k", threads: 0 });
  } finally {
    process.stdout.write = write;
  }
});

afterAll(async () => {
  await serving.close();
  rmSync(home, { recursive: true, force: true });
});

async function ask(path: string, body: object): Promise<{ status: number; body: { status: string; message: never } }> {
  const headers = { "content-type": "application/json", "x-svc-key": "k" };
  const answer = await fetch(`${serving.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as never };
}

describe("a text classifier in a session", () => {
  it("is built, trained, asked and judged in one line, ranked among others, and told as code", async () => {
    const session = new Session(async () => httpLink({ url: serving.url, key: "k" }));
    const texts = session.input({ dburl: file, file_type: "csv" }).xy({ x: ["text"], y: "topic" });
    const rows = texts.split({ random_state: 0, stratify: "topic" });
    const judged = await rows
      .textClassifier({ max_trials: 2, random_state: 1 })
      .train({ epochs: 3 })
      .predict()
      .metrics();
    expect(judged.record.function_code).toBe("A_DL_TXC_E");
    expect(judged.output).toMatchObject({ n: 60, on: "test" });
    const { accuracy } = judged.output as { accuracy: number };
    expect(accuracy).toBeGreaterThan(0.85);
    expect((await session.evaluate()).output).toEqual(judged.output);
    const code = await judged.code();
    expect(code).toMatch(
      /\.textClassifier\(\{ max_trials: 2, random_state: 1 \}\)\n {2}\.train\(\{ .*epochs: 3.* \}\)/,
    );
    await session.at(3).vectorize("tfidf").logistic();
    const { ranking } = await session.compare();
    expect(ranking.map(({ helper }) => helper).sort()).toEqual(["logistic", "textClassifier"]);
    const other = await session.at(3).textClassifier().predict();
    expect(other.notices).toEqual([
      'predict (A_DL_TXC_P): the classifier of block 13 is not trained; model "textClassifier" of block 5 answers.',
    ]);
    const untrained = session.at(3).textClassifier({ model_name: "other" }).predict();
    await expect(untrained).rejects.toThrow(/model "other" is not trained yet/);
    await session.close();
  });
});

describe("a text classifier over HTTP", () => {
  it("is trained by POST /api/v1 and asked for new rows in production", async () => {
    const { body: project } = await ask("/api/v1/project", { project_name: "texts" });
    const { id } = project.message as { id: number };
    const run = async (
      block: number,
      function_code: string,
      args: object,
      beside: object = {},
      path = "/engine/start",
    ) => {
      const request = { project_id: id, block_id: block, parent_id: block - 1, function_code, args, ...beside };
      return await ask(`/api/v1${path === "" ? "" : path}`, request);
    };
    await run(1, "DP_1", { dburl: "topics.csv", file_type: "csv" });
    await run(2, "DP_FSP", { x_boundaries: "text", y_boundaries: "topic" });
    await run(3, "A_DL_TXC_I", { hyp_params: { max_trials: 2 } });
    const trained = await run(4, "A_DL_TXC_T", {}, { model_name: "mine", epochs: 2, hyp_params: {} }, "");
    expect(trained.status).toBe(200);
    const { output } = trained.body.message as { output: string };
    const { mine } = JSON.parse(output);
    expect(mine.trials).toHaveLength(2);
    expect(Object.keys(mine.trials[0])).toEqual([
      "trial",
      "candidate",
      "parameters",
      "accuracy",
      "log_loss",
      "seconds",
    ]);
    const model = await fetch(mine.model_url, { headers: { "x-svc-key": "k" } });
    expect(await model.json()).toMatchObject({
      format: "blocklab-model",
      model_name: "mine",
      classes: ["farming", "music", "ships"],
    });
    const predicted = await run(5, "A_DL_TXC_P", { model_name: "mine" });
    const { id: flow_id } = predicted.body.message as { id: number };
    const produced = await ask("/api/v1/models/production", { flow_id, data: [{ text: "shi1 shi2 shi3 shi5" }] });
    expect(produced.body.message).toMatchObject({ y_pred: ["ships"] });
  });
});
