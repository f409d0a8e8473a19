// What npm packs, installed in an empty folder and used there: for .ci/run. Usage: package.mjs [NODE...]; each other
// Node that is named, older ones included, says what it needs or works as well.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blocklab-package-"));
const env = { ...process.env, BLOCKLAB_HOME: join(folder, "data"), NODE_OPTIONS: "", NO_COLOR: "1" };
const bin = join(folder, "node_modules/blocklab/dist/cli.js");

/** The most that an installation may weigh on Linux, in MB as `du -sm` counts. */
const mostMegabytes = 252;

function run(node, words, input = "") {
  const done = spawnSync(node, words, { cwd: folder, env, input, encoding: "utf8" });
  return { status: done.status, stdout: done.stdout, stderr: done.stderr };
}

function megabytes(path) {
  const inside = readdirSync(path, { recursive: true, withFileTypes: true }).filter((each) => !each.isDirectory());
  return inside.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).blocks * 512, 0) / 2 ** 20;
}

/** Everything that a new user does first. */
async function works(node) {
  const imported = run(node, ["first.mjs"]);
  assert.deepEqual(imported, { status: 0, stdout: "150 rows\n", stderr: "" });
  const tour = run(node, [bin]);
  assert.deepEqual([tour.status, tour.stderr], [0, ""]);
  assert.match(tour.stdout, /accuracy {3}0\.98/);
  const said = run(node, [bin, "-e", "await session.input('sample:penguins').scatter('body_mass_g')"]);
  assert.deepEqual([said.status, said.stderr], [0, ""]);
  const installed = run(node, [bin, "kernel", "install", "--prefix", folder]);
  assert.equal(installed.status, 0, installed.stderr);
  // Where no kernel is installed for the user, doctor says so; that of this folder it can't know.
  assert.match(run(node, [bin, "doctor"]).stdout, /✓ table engine.*\n✓ ZeroMQ/);
  assert.ok(run(node, [bin, "keys", "create", "first"]).stdout.includes("bl"), "no key was made");
  const service = spawn(node, [bin, "serve", "--port", "0"], { cwd: folder, env });
  const ended = new Promise((resolve) => service.once("exit", resolve));
  try {
    let printed = "";
    for await (const chunk of service.stdout) {
      printed += chunk;
      const [url] = /http:\/\/[\w.:]+/.exec(printed) ?? [];
      if (!url) continue;
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      break;
    }
    assert.match(printed, /http:/);
  } finally {
    service.kill("SIGTERM");
    await ended;
  }
}

try {
  const packed = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
  });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--loglevel=error", join(folder, packed.toString().trim())], {
    cwd: folder,
    stdio: "inherit",
  });
  writeFileSync(
    join(folder, "first.mjs"),
    `import { createSession } from "blocklab";
const session = createSession();
const { dataset } = await session.input("sample:iris");
console.log(\`\${(await dataset.shape()).rows} rows\`);
await session.close();
`,
  );
  const size = megabytes(join(folder, "node_modules"));
  assert.ok(size <= mostMegabytes, `an installation takes ${size.toFixed(1)} MB, ${mostMegabytes} at most`);
  await works(process.execPath);
  const python = process.env.BLOCKLAB_PYTHON;
  if (python)
    execFileSync(python, [`${root}test/notebooks.py`, folder, `${root}notebooks/quickstart.ipynb`], {
      cwd: folder,
      env,
      stdio: "inherit",
    });
  process.stdout.write(`installed in an empty folder: works on ${process.version}, ${size.toFixed(0)} MB\n`);
  for (const node of process.argv.slice(2).filter((each) => existsSync(each))) {
    const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
    if (Number.parseInt(version, 10) >= 22) await works(node);
    else {
      const sentence = `blocklab needs Node 22.19 or newer, this is ${version}.`;
      assert.ok(run(node, ["first.mjs"]).stderr.includes(`Error: ${sentence}\n`), `what import says on ${version}`);
      for (const words of [[bin], [bin, "kernel", "start", "connection.json"], [bin, "serve"]])
        assert.ok(run(node, words).stderr.startsWith(sentence), `what ${words.slice(1)} says on ${version}`);
    }
    process.stdout.write(`installed in an empty folder: ${version} as well\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
