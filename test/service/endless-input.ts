// Runs inputs one after the other until it is killed; started by runner.test.ts.
import { createService } from "../../src/service/index.ts";
import { someone } from "../support/caller.ts";

const [home, project, file] = process.argv.slice(2);
const service = await createService({ home, threads: 0 });
process.send?.("ready");
for (let block = 2; ; block++) {
  await service.run(someone, {
    project_id: Number(project),
    block_id: block,
    function_code: "DP_1",
    args: { dburl: file, na_values: [String(block)] },
  });
}
