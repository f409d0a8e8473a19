import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

process.env.BLOCKLAB_HOME = mkdtempSync(join(tmpdir(), "blocklab-kernel-home-"));
const { kernelCommand } = await import("../../src/commands/kernel.ts");
await kernelCommand(["start", process.argv[2]]);
