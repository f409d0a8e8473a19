import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Progress, StateRecord } from "../../../src/core/record.ts";
import { createService, type Service } from "../../../src/service/index.ts";
import { Lab, output, someone } from "../../support/lab.ts";
import { corpusCsv } from "./corpus.ts";

const lab = new Lab();

interface Trained {
  readonly model_url: string;
  readonly trials: readonly { readonly seconds: number }[];
}

const trainedIn = (record: StateRecord) => Object.values(output<Record<string, Trained>>(record))[0];
const trialsIn = (record: StateRecord) => trainedIn(record).trials.map(({ seconds: _, ...rest }) => rest);

async function parametersIn(service: Service, record: StateRecord): Promise<unknown> {
  const { path } = await service.file(someone, trainedIn(record).model_url.slice(5), "json");
  return JSON.parse(readFileSync(path, "utf8")).parameters;
}

/** Requests of a chain, block after block, in a project. */
const chainIn = (project: number) => (block: number, function_code: string, args: object) => ({
  project_id: project,
  block_id: block,
  parent_id: block - 1,
  function_code,
  args,
});

/** A project whose third block is a text classifier. */
async function built(service: Service, csv: string, args: object) {
  const { id } = await service.createProject(someone, "p");
  const ask = chainIn(id);
  await service.run(someone, ask(1, "DP_1", { dburl: lab.file(csv) }));
  await service.run(someone, ask(2, "DP_FSP", { x: ["text"], y: "topic" }));
  await service.run(someone, ask(3, "A_DL_TXC_I", args));
  return { id, ask };
}

describe("a search for a text classifier", () => {
  it("goes on where it was interrupted, survives restarts, and comes to the same model", async () => {
    const open = () => createService({ home: `${lab.home}/again`, threads: 1 });
    let service = await open();
    const { id, ask } = await built(service, corpusCsv(240), { max_trials: 6 });
    await service.close();

    service = await open();
    const stop = new AbortController();
    const seen: string[] = [];
    const onProgress = ({ phase, done }: Progress) => {
      seen.push(phase);
      if (phase === "trials" && done === 2) stop.abort();
    };
    const training = ask(4, "A_DL_TXC_T", { epochs: 3 });
    const cut = service.run(someone, training, { signal: stop.signal, onProgress });
    await expect(cut).rejects.toThrow(/cancelled; nothing of it was stored/);
    expect(seen).toContain("trial 1 of 6, logistic regression");
    expect((await service.states(someone, id)).map((state) => state.block_id)).toEqual([1, 2, 3]);
    await expect(service.run(someone, ask(4, "A_DL_TXC_P", {}))).rejects.toThrow(/is not trained yet/);
    await service.close();

    service = await open();
    const record = await service.run(someone, training);
    expect(record.notices).toEqual([
      "textClassifier.train (A_DL_TXC_T): 2 trials of an earlier search on these rows taken up.",
    ]);
    await service.close();

    service = await open();
    const predicted = await service.run(someone, ask(5, "A_DL_TXC_P", {}));
    const { y_pred_url } = output<Record<string, string>>(predicted);
    expect((await service.table(someone, y_pred_url.slice(5))).rows).toHaveLength(240);
    const { random_state } = (await service.request(someone, 3)).args as { random_state: number };
    const whole = await createService({ home: `${lab.home}/whole`, threads: 1 });
    const other = await built(whole, corpusCsv(240), { max_trials: 6, random_state });
    const uncut = await whole.run(someone, other.ask(4, "A_DL_TXC_T", { epochs: 3 }));
    expect(uncut.notices).toBeUndefined();
    expect(trialsIn(uncut)).toEqual(trialsIn(record));
    expect(await parametersIn(whole, uncut)).toEqual(await parametersIn(service, record));
    await whole.close();
    await service.close();
  });

  it("goes on with more trials when it is asked for more", async () => {
    const service = await createService({ home: `${lab.home}/more`, threads: 0 });
    const { ask } = await built(service, corpusCsv(240), { max_trials: 2, random_state: 1 });
    const few = await service.run(someone, ask(4, "A_DL_TXC_T", { epochs: 3 }));
    const more = await service.run(someone, ask(4, "A_DL_TXC_T", { epochs: 3, hyp_params: { max_trials: 4 } }));
    expect(trainedIn(more).trials.slice(0, 2)).toEqual(trainedIn(few).trials);
    expect(more.notices?.[0]).toMatch(/2 trials of an earlier search/);
    const others = await service.run(someone, ask(4, "A_DL_TXC_T", { epochs: 4 }));
    expect(others.notices).toBeUndefined();
    await service.close();
  });

  it("reports each pass of a network, and each trial", { timeout: 20_000 }, async () => {
    const service = await createService({ home: `${lab.home}/passes`, threads: 1 });
    const { ask } = await built(service, corpusCsv(6000), { max_trials: 4, random_state: 0 });
    const seen: string[] = [];
    const onProgress = ({ phase, done, total }: Progress) => seen.push(`${phase}: ${done} of ${total}`);
    await service.run(someone, ask(4, "A_DL_TXC_T", { epochs: 3 }), { onProgress });
    expect(seen).toContain("trial 4 of 4, embedding bag: 3 of 3");
    expect(seen).toContain("trials: 4 of 4");
    await service.close();
  });

  it("is cancelled within 200 milliseconds", { timeout: 20_000 }, async () => {
    const service = await createService({ home: `${lab.home}/quick`, threads: 2 });
    const { ask } = await built(service, corpusCsv(20_000, { classes: 5 }), { max_trials: 6, random_state: 0 });
    const cancelled = async () => {
      const stop = new AbortController();
      let asked = 0;
      const onProgress = ({ phase }: Progress) => {
        if (asked > 0 || !phase.startsWith("trial ")) return;
        asked = performance.now();
        stop.abort();
      };
      const run = service.run(someone, ask(4, "A_DL_TXC_T", { epochs: 50 }), { signal: stop.signal, onProgress });
      await expect(run).rejects.toThrow(/cancelled/);
      return performance.now() - asked;
    };
    // A machine that is busy with other things may be late once.
    expect(Math.min(await cancelled(), await cancelled(), await cancelled())).toBeLessThan(200);
    await service.close();
  });
});
