import { spawnSync } from "node:child_process";
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createService } from "../../src/service/index.ts";
import { DamageWatch } from "../../src/store/damage.ts";
import { openKeys } from "../../src/store/keys.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
const home = (name: string) => join(lab.home, name);
const pageBytes = 4096;

/** Overwrites a page of a file with zeros, the first being 0. */
function zero(path: string, page: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, page * pageBytes);
  closeSync(file);
}

async function filled(name: string): Promise<void> {
  const service = await createService({ home: home(name), threads: 0 });
  const { id } = await service.createProject(someone, "p");
  const run = (block_id: number, parent_id: number, function_code: string, args: object) =>
    service.run(someone, { project_id: id, block_id, parent_id, function_code, args });
  await run(1, 0, "DP_1", { dburl: "sample:penguins" });
  for (let k = 2; k < 8; k++) await run(k, 1, "DP_DSC", {});
  await service.close();
  openKeys(home(name)).close();
}

describe("a damaged database", () => {
  it("is noticed whichever of its pages is zeros, though the service has read it", async () => {
    await filled("pages");
    const path = join(home("pages"), "blocklab.db");
    const pages = readFileSync(path).length / pageBytes;
    expect(pages).toBeGreaterThan(20);
    await new DamageWatch(home("pages")).expectNone();
    for (let page = 0; page < pages; page++) {
      const copy = home(`page${page}`);
      mkdirSync(copy);
      cpSync(path, join(copy, "blocklab.db"));
      zero(join(copy, "blocklab.db"), page);
      await expect(new DamageWatch(copy).expectNone(), `page ${page}`).rejects.toMatchObject({
        status: 503,
        detail: { code: "database_damaged" },
      });
    }
  });

  it("makes a running service not ready, and a start an error", async () => {
    await filled("running");
    const path = join(home("running"), "blocklab.db");
    const service = await createService({ home: home("running"), threads: 0 });
    await service.ready();
    for (let page = 0; page < readFileSync(path).length / pageBytes; page++) zero(path, page);
    // A look is worth a second at least.
    await expect
      .poll(() => service.ready().then(String, (error) => error.detail.code), { timeout: 20_000 })
      .toBe("database_damaged");
    // One that begins anew reads it, and says what to do.
    await expect(createService({ home: home("running"), threads: 0 })).rejects.toMatchObject({ status: 503 });
    await service.close();
  });

  it("of keys is noticed, too", async () => {
    await filled("keys");
    zero(join(home("keys"), "keys.db"), 1);
    await expect(new DamageWatch(home("keys")).expectNone()).rejects.toMatchObject({ status: 503 });
  });
});

describe("a home that can't be opened", () => {
  const cli = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));
  const serve = (folder: string) => {
    const words = ["--disable-warning=ExperimentalWarning", cli, "serve", "--port", "0", "--home", folder];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 20_000 });
    return { status, stdout, stderr };
  };

  it.each(["blocklab.db", "keys.db"])("because %s is damaged is one sentence with the cure", (name) => {
    const folder = home(`start-${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, name), "no database at all, and long enough to be one".repeat(200));
    const { status, stdout, stderr } = serve(folder);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(
      `The data folder ${folder} can't be opened: a database there is damaged (file is not a database). Put a backup of "blocklab.db" and "keys.db" in their place; without one, move the damaged one away and begin anew: files of artifacts are kept.\n`,
    );
  });

  it("because it is no folder is one sentence with the cure", () => {
    const path = home("file");
    writeFileSync(path, "");
    const { status, stderr } = serve(path);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^The data folder .*file can't be opened: it can't be read and written \(EEXIST.*\)\. Make it .*\n$/,
    );
    rmSync(path);
  });
});
