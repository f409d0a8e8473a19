import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

it.skipIf(process.platform !== "linux")(
  "takes no more memory for many rows of a cluster than for few",
  { timeout: 300_000 },
  () => {
    const home = mkdtempSync(join(tmpdir(), "blocklab-arriving-"));
    try {
      const script = join(import.meta.dirname, "arriving-rows.ts");
      const most = [1_000_000, 8_000_000].map((rows) => {
        const words = [script, String(rows), join(home, String(rows))];
        const found = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }));
        expect(found.came).toBe(rows);
        return found.most as number;
      });
      expect(most[1]).toBeLessThan(512);
      expect(most[1] - most[0]).toBeLessThan(150);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
