import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, outline } from "./client.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blocklab-tslab-"));
let client: Client;

beforeAll(async () => {
  // A folder of a user's own, where npm has installed blocklab.
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "blocklab"));
  process.env.BLOCKLAB_HOME = join(folder, "home");
  client = await Client.start("./tslab-kernel.cjs", folder);
}, 60_000);
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

it("the session serves in tslab's own kernel, with its types and with pictures from show()", async () => {
  expect((await client.run('import { session } from "blocklab";')).reply.content.status).toBe("ok");
  const { iopub } = await client.run('await session.input("sample:penguins").scatter("body_mass_g").show()');
  expect(outline(iopub)).toContain("display_data");
  const types = iopub.flatMap(({ header, content }) =>
    header.msg_type === "display_data" ? Object.keys(content.data as object) : [],
  );
  expect(types).toContain("application/vnd.vegalite.v5+json");
  const typo = await client.run("await session.mising()");
  expect(JSON.stringify(typo.iopub.map(({ content }) => content))).toContain("Did you mean 'missing'?");
}, 60_000);

it("tslab's own checker knows the functions of expressions once they are imported", async () => {
  const summarize =
    'const means = await session.input("sample:penguins").summarize({ by: ["species"], columns: { mass: d => round(mean(d.body_mass_g)) } });';
  // tslab leaves out what comes at the heels of an error.
  const calm = () => expect.poll(async () => (await client.run("1;")).reply.content.status).toBe("ok");
  await calm();
  const without = await client.run(summarize);
  expect(JSON.stringify(without.iopub.map(({ content }) => content))).toContain("Cannot find name 'mean'");
  await calm();
  expect((await client.run('import "blocklab/expressions";')).reply.content.status).toBe("ok");
  const { iopub } = await client.run(`${summarize} console.log(JSON.stringify(await means.dataset.rows()))`);
  const printed = iopub.map(({ content }) => String(content.text ?? JSON.stringify(content))).join("");
  expect(printed).toContain('{"species":"Adelie","mass":3701');
}, 60_000);
