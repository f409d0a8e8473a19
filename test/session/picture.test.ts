import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-picture-"));
const files = mkdtempSync(join(tmpdir(), "blocklab-files-"));
const session = createSession({ home });

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
  rmSync(files, { recursive: true, force: true });
});

const path = (name: string) => join(files, name);

it("saves a picture as each kind of file", async () => {
  const { picture } = await session.input("sample:penguins").scatter("bill_length_mm", "bill_depth_mm");
  for (const name of ["a.svg", "a.PNG", "a.html", "a.json"])
    expect(await picture.save(path(name))).toEqual([path(name)]);
  expect(readFileSync(path("a.svg"), "utf8")).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  const png = readFileSync(path("a.PNG"));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(800);
  const spec = JSON.parse(readFileSync(path("a.json"), "utf8"));
  expect(spec.data.values).toHaveLength(342);
  expect(spec).toEqual(JSON.parse(JSON.stringify(await picture.spec())));
  const html = readFileSync(path("a.html"), "utf8");
  expect(html).toContain("<title>bill_depth_mm by bill_length_mm</title>");
  expect(html).not.toMatch(/<script|(?:src|href)="(?!data:)/);
});

it("saves pictures that other blocks show, several as files of their own or as one page", async () => {
  const judged = await session
    .input("sample:iris")
    .xy({ y: "species" })
    .split({ test_size: 0.3, random_state: 0 })
    .logistic()
    .metrics();
  const saved = await judged.picture.save(path("judged.svg"));
  expect(saved).toEqual([path("judged.svg"), ...saved.slice(1).map((_, k) => path(`judged-${k + 2}.svg`))]);
  for (const file of saved) expect(readFileSync(file, "utf8")).toContain("</svg>");
  await judged.picture.save(path("judged.html"));
  expect(readFileSync(path("judged.html"), "utf8").match(/<figure>/g)).toHaveLength(saved.length);
});

it("escapes what came from data on a page", async () => {
  const bad = `</pre><script>alert("1")</script>'&`;
  writeFileSync(path("bad.csv"), `"${bad.replaceAll('"', '""')}",b\n1,2\n2,3\n`);
  const { picture } = await session.input(path("bad.csv")).scatter(bad, "b");
  await picture.save(path("bad.html"));
  const html = readFileSync(path("bad.html"), "utf8");
  expect(html).not.toContain("<script");
  expect(html).toContain("&lt;/pre&gt;&lt;script&gt;");
});

it("says in one sentence what it can't write, and leaves nothing behind", async () => {
  const { picture } = await session.input("sample:iris").heatmap();
  await expect(picture.save(path("a.gif"))).rejects.toThrow(
    /^save: a picture is written as \.svg, \.png, \.html, \.json, and ".*a\.gif" ends in none of them\.$/,
  );
  await expect(picture.save(path("none/a.svg"))).rejects.toThrow(
    /none\/a\.svg" can't be written: there is no such folder\.$/,
  );
  await expect(picture.save(undefined as unknown as string)).rejects.toThrow(/ends in none of them/);
  const { picture: none } = await session.input("sample:iris").describe();
  await expect(none.save(path("b.svg"))).rejects.toThrow(/^picture: block \d+ \(describe\) has no picture; scatter, /);
  expect(readdirSync(files).filter((name) => /gif|^b\.|part/.test(name))).toEqual([]);
});
