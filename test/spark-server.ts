// A Spark Connect server for notebooks: prints its address, and runs until it is told to end. For .ci/run.
import { startSpark } from "./support/spark.ts";

const server = await startSpark();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void server.stop().then(() => process.exit(0)));
}
process.stdout.write(`sc://127.0.0.1:${server.port}\n`);
