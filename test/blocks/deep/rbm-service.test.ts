import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../../src/client/embedded.ts";
import type { StateRecord } from "../../../src/core/record.ts";
import { serve } from "../../../src/server/serve.ts";
import { createService, type Service } from "../../../src/service/index.ts";
import { Session } from "../../../src/session/index.ts";
import { someone } from "../../support/caller.ts";
import { digits } from "./digits.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-rbm-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
writeFileSync(join(home, "digits.csv"), digits);

const hyper = { n_components: 20, n_iter: 2, random_state: 0, learning_rate: 0.06 };
const chain: readonly [code: string, args: object][] = [
  ["DP_1", { dburl: join(home, "digits.csv"), file_type: "csv", y_boundaries: "digit" }],
  ["DP_4", { test_size: 0.2, random_state: 0 }],
  ["DP_5", { scaler: "minmax" }],
  ["DL_RBM_I", { hyp_params: hyper }],
  ["DL_RBM_T", { model_name: "digits" }],
  ["DL_RBM_P", { model_name: "digits", test_data: "x_test_url" }],
];

async function run(service: Service, project: number, block: number, parent_id = block - 1): Promise<StateRecord> {
  const [function_code, args] = chain[block - 1];
  return await service.run(someone, {
    project_id: project,
    block_id: block,
    parent_id,
    function_code,
    args,
  });
}

async function bytesOf(service: Service, record: StateRecord): Promise<string> {
  const [value] = Object.values(JSON.parse(record.output as string)) as (string | { model_url: string })[];
  const url = typeof value === "string" ? value : value.model_url;
  const file = await service.file(
    someone,
    someone.artifactIn(url) as string,
    typeof value === "string" ? "csv" : "json",
  );
  return readFileSync(file.path, "latin1");
}

describe("a restricted Boltzmann machine in the service", () => {
  it("is the same bytes on the calling thread and on two workers, and after a restart between any two blocks", async () => {
    const whole = async (name: string, threads: number, isRestarted: boolean) => {
      const open = () => createService({ home: join(home, name), threads });
      let service = await open();
      const { id } = await service.createProject(someone, "p");
      const found: string[] = [];
      for (let block = 1; block <= chain.length; block++) {
        if (isRestarted && block > 3) {
          await service.close();
          service = await open();
        }
        const record = await run(service, id, block);
        if (block > 4) found.push(await bytesOf(service, record));
      }
      await service.close();
      return found;
    };
    const inline = await whole("inline", 0, false);
    expect(inline[0]).toContain('"format":"blocklab-model"');
    expect(inline[1].split("\n")).toHaveLength(362);
    expect(await whole("workers", 2, false)).toEqual(inline);
    expect(await whole("restarted", 0, true)).toEqual(inline);
  }, 60_000);

  it("ends within 200 ms of being cancelled, and leaves nothing behind", async () => {
    const service = await createService({ home: join(home, "cancelled"), threads: 1 });
    const { id } = await service.createProject(someone, "p");
    for (const block of [1, 2, 3, 4]) await run(service, id, block);
    const stop = new AbortController();
    let stopped = 0;
    const request = { project_id: id, block_id: 5, parent_id: 4, function_code: "DL_RBM_T", args: { epochs: 50_000 } };
    const training = service.run(someone, request, {
      signal: stop.signal,
      onProgress({ phase }) {
        if (stopped || !/^epoch [2-9]/.test(phase)) return;
        stopped = performance.now();
        stop.abort();
      },
    });
    await expect(training).rejects.toMatchObject({ status: 499 });
    expect(performance.now() - stopped).toBeLessThan(200);
    expect(await service.states(someone, id)).toHaveLength(4);
    await expect(run(service, id, 6, 4)).rejects.toThrow('model "digits" is not trained yet');
    expect((await run(service, id, 5)).function_code).toBe("DL_RBM_T");
    await service.close();
  }, 30_000);

  it("is trained over HTTP on either path, with the same answer", async () => {
    const write = process.stdout.write;
    process.stdout.write = (() => true) as typeof write;
    const serving = await serve({ port: 0, home: join(home, "served"), files: home, key: "k", threads: 0 }).finally(
      () => {
        process.stdout.write = write;
      },
    );
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json", "x-svc-key": "k" };
      const answer = await fetch(`${serving.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return (await answer.json()) as { status: string; message: StateRecord };
    };
    const { message: project } = await post("/api/v1/project", { project_name: "p" });
    const envelope = (block: number) => ({
      project_id: project.id,
      block_id: block,
      parent_id: Math.min(block - 1, 4),
    });
    for (const block of [1, 2, 3, 4]) {
      const [function_code, args] = chain[block - 1];
      expect((await post("/api/v1/engine/start", { ...envelope(block), function_code, args })).status).toBe("true");
    }
    const body = { function_code: "DL_RBM_T", args: {}, hyp_params: {}, model_name: "digits" };
    const trained = await post("/api/v1", { ...envelope(5), ...body });
    const again = await post("/api/v1/engine/start", { ...envelope(6), ...body });
    const curve = ({ message }: typeof trained) => JSON.parse(message.output as string).digits.pseudo_likelihood;
    expect(curve(trained)).toHaveLength(2);
    expect(curve(again)).toEqual(curve(trained));
    expect(again.message.notices?.[0]).toMatch(/model "digits" of block 5 is replaced/);
    const predict = { function_code: "DL_RBM_P", test_data: "x_test_url" };
    expect((await post("/api/v1/engine/start", { ...envelope(7), ...predict, parent_id: 6 })).status).toBe("true");
    await serving.close();
  }, 30_000);
});

describe("in a session", () => {
  it("rbm().train().predict() and then logistic() is a chain, which can be written down again", async () => {
    const session = new Session(() => embeddedLink({ home: join(home, "session"), threads: 0 }));
    const built = session
      .input(join(home, "digits.csv"))
      .xy({ y: "digit" })
      .split({ test_size: 0.2, random_state: 0 })
      .scale("minmax")
      .rbm(hyper);
    const trained = await built.train({ epochs: 3 });
    expect(Object.keys(trained.output as object)).toEqual(["rbm"]);
    expect((await session.evaluate()).output).toMatchObject({ on: "test", n: 360 });
    const named = await built.train({ model_name: "mine", epochs: 10, hyp_params: { n_components: 50 } });
    expect(Object.keys(named.output as object)).toEqual(["mine"]);
    const hidden = await session.predict();
    expect((await hidden.y_pred.shape()).columns).toHaveLength(50);
    const judged = await session.logistic().metrics();
    expect((judged.output as { accuracy: number }).accuracy).toBeGreaterThan(0.6);
    expect((await session.models()).map(({ name, code }) => [name, code])).toEqual([
      ["rbm", "DL_RBM_T"],
      ["mine", "DL_RBM_T"],
      ["logistic", "ML_CN_1"],
    ]);
    const code = await judged.code();
    expect(code).toContain(
      '.train({ model_name: "mine", epochs: 10, hyp_params: { n_components: 50 } })\n  .predict({',
    );
    expect(code).toContain(".logistic()");
    await expect(session.at(6).metrics()).rejects.toThrow(
      "rbm.train (DL_RBM_T) has no metrics(); it has train(), predict(), evaluate().",
    );
    await expect(session.at(10).evaluate({ model_name: "logistic" })).rejects.toThrow(
      "logistic (ML_CN_1) has no evaluate(); it has predict(), metrics().",
    );
    await session.close();
  }, 30_000);
});
