// Started by serve.test.ts as a process of its own: the real command on a fake service.
import { serve } from "../../src/server/serve.ts";
import { fakeService } from "./fake-service.ts";

const [home, port = "0", host] = process.argv.slice(2);
try {
  const serving = await serve({ home, port: Number(port), host }, async () => fakeService());
  process.exitCode = await serving.closed;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
