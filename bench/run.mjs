// npm run bench [-- NAME [ARGS]]: runs one measurement, or all of them one after the other, never two at once.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";

const folder = new URL("./", import.meta.url).pathname;
const helpers = new Set(["measure", "mixed-csv"]);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
  .map((file) => file.slice(0, -3))
  .filter((name) => !helpers.has(name));
// They take gigabytes of disk, minutes or a Spark, so only who names them runs them.
const apart = new Set(["large", "growth", "spark"]);
const [wanted, ...args] = process.argv.slice(2);
if (wanted !== undefined && !names.includes(wanted)) {
  console.error(`There is no measurement "${wanted}". There are: ${names.join(", ")}.`);
  process.exit(2);
}
// The measurements run on the Node that the project brings.
const own = `${folder}../node_modules/.bin/node`;
const node = existsSync(own) ? own : process.execPath;
let status = 0;
for (const name of wanted === undefined ? names.filter((each) => !apart.has(each)) : [wanted]) {
  console.log(`\n## ${name}\n`);
  const done = spawnSync(node, [`${folder}${name}.ts`, ...args], { stdio: "inherit" });
  status ||= done.status ?? 1;
}
process.exit(status);
