import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endGroup } from "./spark.ts";

/** Makes the folder in which the tests of a run find the one Spark server that they share; ends the server after. */
export function setup(): () => void {
  const shared = mkdtempSync(join(tmpdir(), "blocklab-spark-shared-"));
  process.env.BLOCKLAB_SPARK_SHARED = shared;
  return () => {
    const told = join(shared, "server");
    if (existsSync(told)) endGroup(JSON.parse(readFileSync(told, "utf8")).pid);
    rmSync(shared, { recursive: true, force: true });
  };
}
