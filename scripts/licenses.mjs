import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licences of the packages that the modules belong to. */
export function licensesOf(modules) {
  const folders = modules.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]);
  return [...new Set(folders.filter((each) => each !== undefined))]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : license}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
