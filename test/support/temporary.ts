import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";

/** A folder for a test file's temporary files: others write into the common one meanwhile, or have left something there. */
export function ownTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-own-"));
  beforeAll(() => {
    vi.stubEnv("TMPDIR", folder);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  return folder;
}
