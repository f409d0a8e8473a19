import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { digest } from "../../src/store/files.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-files-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([0, 1, 1000, 65_536, 5_000_000])("the digest of %i bytes is SHA-256", async (bytes) => {
  const content = Buffer.alloc(bytes, "some text ");
  const path = join(home, String(bytes));
  writeFileSync(path, content);
  expect(await digest(path)).toBe(createHash("sha256").update(content).digest("hex"));
});

test("small files take small buffers, so that many of them don't keep the garbage collector busy", async () => {
  const path = join(home, "small");
  writeFileSync(path, "a,b\n1,2\n");
  await digest(path);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let k = 0; k < 10; k++) {
    await digest(path);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(2 ** 21);
});
