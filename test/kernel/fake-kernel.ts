import { runKernel } from "../../src/kernel/kernel.ts";
import { makeFakeHost } from "./fake-host.ts";

await runKernel(process.argv[2], makeFakeHost);
