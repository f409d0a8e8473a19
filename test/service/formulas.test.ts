import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
const file = lab.file('name,=cost,n\n"=cmd|\' /C calc\'!A0",-1,-5\n+1,@x,2\nplain,"a=b",3\n,\'=,4\n', "odd.csv");

async function written(format: "csv" | "json", formulas?: "escape"): Promise<string> {
  const { id } = await lab.project();
  const { dataset_url } = await lab.block(id, 1, 0, ["input", { dburl: file, types: { name: "string" } }]);
  const artifact = someone.artifactIn(dataset_url as string) as string;
  const made = await (await lab.service).file(someone, artifact, format, formulas ? { formulas } : {});
  return await readFile(made.path, "utf8");
}

test("texts and names that a spreadsheet would run get an apostrophe where it is asked for; numbers stay", async () => {
  expect(await written("csv", "escape")).toBe(
    "name,'=cost,n\n'=cmd|' /C calc'!A0,'-1,-5\n'+1,'@x,2\nplain,a=b,3\n,'=,4\n",
  );
  expect(await written("csv")).toMatch(/^name,=cost,n\n=cmd/);
});

test("only CSV knows formulas", async () => {
  await expect(written("json", "escape")).rejects.toMatchObject({ status: 400, detail: { path: "formulas" } });
});
