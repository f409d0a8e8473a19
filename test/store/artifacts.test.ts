import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createService } from "../../src/service/index.ts";
import { Store } from "../../src/store/store.ts";
import { Lab, output, someone } from "../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c\n1,2,x\n,4,y\n5,6,x\n7,8,y\n";
const folder = () => join(lab.home, "data", "artifacts");
const files = () => readdirSync(folder()).sort();

describe("artifacts", () => {
  it("go when nothing leads to them any more, and stay while anything does", async () => {
    const { id } = await lab.project();
    const before = files();
    const first = await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv), x: ["a", "b"], y: "c" }]);
    const table = files().filter((name) => !before.includes(name));
    await lab.block(id, 2, 1, ["xy", { x: "0:1, 0:2", y: "0:1, 2:3" }]);
    const scaled = await lab.block(id, 3, 1, ["missing", { strategy: "mean" }]);
    await (await lab.service).file(someone, someone.artifactIn(first.dataset_url as string) as string, "csv");
    expect(files()).toHaveLength(before.length + 3);

    // The input is replaced: its written-out CSV goes, its table stays, for block 3 is a plan over it.
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("z\n1\n") }]);
    expect(files()).toContain(table[0]);
    expect(files()).toHaveLength(before.length + 3);
    expect((await lab.table(scaled.dataset_url)).rows).toHaveLength(4);

    await (await lab.service).deleteState(someone, scaled.id);
    expect(files()).not.toContain(table[0]);
    expect(files()).toHaveLength(before.length + 2);
  });

  it("of a kept model stay, though its block is replaced", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv), x: ["b"], y: "a" }]);
    await lab.block(id, 2, 1, ["missing", { strategy: "drop", y_boundaries: "a" }]);
    await lab.block(id, 3, 2, ["linear", { model_name: "kept" }]);
    await lab.block(id, 3, 2, ["treeRegressor", { model_name: "other" }]);
    const predicted = await lab.block(id, 4, 2, ["ML_R_2_P", { model_name: "kept" }]);
    expect((await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url)).rows).toHaveLength(3);
  });

  it("that are damaged or gone give one clear error, and their block runs again", async () => {
    const { id } = await lab.project();
    const before = files();
    const file = lab.file(csv);
    const first = await lab.block(id, 1, 0, ["input", { dburl: file }]);
    const [table] = files().filter((name) => !before.includes(name));
    const service = await lab.service;
    const artifact = someone.artifactIn(first.dataset_url as string) as string;
    appendFileSync(join(folder(), table), "x");
    const damaged = {
      status: 422,
      message: `The artifact "${table}" of block 1 (DP_1) is damaged on disk (its SHA-256 is not the one it was stored with). Run block 1 again.`,
      detail: { code: "lost_artifact" },
    };
    await expect(service.table(someone, artifact)).rejects.toMatchObject(damaged);
    await expect(service.file(someone, artifact, "csv")).rejects.toMatchObject(damaged);
    await expect(lab.block(id, 2, 1, ["info"])).rejects.toMatchObject({
      ...damaged,
      message: `info (DP_INF): ${damaged.message}`,
    });
    const again = await lab.block(id, 1, 0, ["input", { dburl: file }]);
    expect(await lab.column(again, "b")).toEqual([2, 4, 6, 8]);
    expect(existsSync(join(folder(), table))).toBe(false);

    const [next] = files().filter((name) => !before.includes(name));
    rmSync(join(folder(), next));
    await expect(lab.block(id, 2, 1, ["info"])).rejects.toMatchObject({ status: 422, message: /is gone from disk/ });
  });

  it("that are damaged models are found when they are read", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("a,y\n1,2\n2,4\n3,7\n"), y: "y" }]);
    const before = files();
    await lab.block(id, 2, 1, ["linear", { model_name: "m" }]);
    const model = join(
      folder(),
      files().find(
        (name) => !before.includes(name) && readFileSync(join(folder(), name), "utf8").startsWith("{"),
      ) as string,
    );
    writeFileSync(
      model,
      readFileSync(model, "utf8")
        .replace(/\d(?=[^\d]*$)/, "9")
        .replace('"version":1', '"version":2'),
    );
    await expect(lab.block(id, 3, 2, ["ML_R_2_P", { model_name: "m" }])).rejects.toMatchObject({
      status: 422,
      message: /^linear\.predict \(ML_R_2_P\): The artifact ".*" of block 2 \(ML_R_2\) is damaged on disk/,
    });
  });

  it("that are written-out forms are written anew when they are damaged, unseen", async () => {
    const { id } = await lab.project();
    const first = await lab.block(id, 1, 0, ["input", { dburl: lab.file("a\n1\n") }]);
    const artifact = someone.artifactIn(first.dataset_url as string) as string;
    const service = await lab.service;
    const { path, sha256 } = await service.file(someone, artifact, "csv");
    writeFileSync(path, "a\n9\n");
    const other = await createService({ home: join(lab.home, "data"), threads: 0 });
    const again = await other.file(someone, artifact, "csv");
    expect(again.sha256).toBe(sha256);
    expect(readFileSync(again.path, "utf8")).toBe("a\n1\n");
    await other.close();
  });

  it("can't be deleted under a running block", async () => {
    const { id } = await lab.project();
    const service = await lab.service;
    const first = await lab.block(id, 1, 0, ["input", { dburl: "sample:penguins" }]);
    const project = (await service.projects(someone)).find((each) => each.id === id);
    const elsewhere = new Store(join(lab.home, "data"));
    expect(elsewhere.tryClaim(id, 2)).toBeNull();
    await expect(service.deleteState(someone, first.id)).rejects.toMatchObject({ status: 409 });
    await expect(service.deleteProject(someone, project?.app_id as string)).rejects.toMatchObject({
      status: 409,
      message: "Block 2 is running in the project now; wait for it, or cancel it.",
    });
    elsewhere.release(id);
    elsewhere.close();
    await service.deleteProject(someone, project?.app_id as string);
  });
});
