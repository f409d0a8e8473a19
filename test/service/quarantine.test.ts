import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createService } from "../../src/service/index.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();

test("a service that finds files its database does not know says so, and when they come back", async () => {
  const home = join(lab.home, "lost");
  const said: string[] = [];
  const start = () => createService({ home, threads: 0, warn: (sentence) => said.push(sentence) });
  const first = await start();
  const { id } = await first.createProject(someone, "p");
  const request = {
    project_id: id,
    block_id: 1,
    parent_id: 0,
    function_code: "DP_1",
    args: { dburl: lab.file("a\n1\n") },
  };
  const { dataset_url } = await first.run(someone, request);
  await first.close();
  copyFileSync(join(home, "blocklab.db"), join(home, "backup.db"));
  rmSync(join(home, "blocklab.db"));
  await (await start()).close();
  expect(said).toEqual([
    expect.stringMatching(/^The database doesn't know 1 file of .* in .*quarantine\. Put the right/),
  ]);
  copyFileSync(join(home, "backup.db"), join(home, "blocklab.db"));
  const again = await start();
  expect(said[1]).toMatch(/^1 file came back from .*quarantine/);
  const { rows } = await again.table(someone, someone.artifactIn(dataset_url as string) as string);
  expect(rows).toEqual([[1]]);
  await again.close();
  expect(said).toHaveLength(2);
});
