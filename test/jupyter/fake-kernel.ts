import { runKernel } from "../../src/jupyter/kernel.ts";
import { makeFakeHost } from "./fake-host.ts";

await runKernel(process.argv[2], makeFakeHost);
