import { expect, it } from "vitest";
import { Lab, output, someone } from "../support/lab.ts";

const lab = new Lab();
/** More rows than any list beside a table may tell of. */
const rows = 13_000_000;

interface Described {
  readonly columns: Record<string, { readonly count: number; readonly mean: number; readonly max: number }>;
}

it("tables of more rows than lists lie beside have the same rows and cells, written anew", async () => {
  const { id } = await lab.project();
  const lines = Array.from({ length: 1000 }, (_, k) => `${k % 10},${k % 4 === 1 ? "" : k % 7},${k % 3}`);
  const text = `y,a,g\n${`${lines.join("\n")}\n`.repeat(rows / 1000)}`;
  await lab.block(id, 1, 0, ["input", { dburl: lab.file(text) }]);
  const described = async (block: number, parent: number) =>
    output<Described>(await lab.block(id, block, parent, ["describe"])).columns;
  const head = async (url: string | null | undefined, column: string) => {
    const { rows } = await (await lab.service).table(someone, someone.artifactIn(url as string) as string, {
      limit: 2000,
      offset: 6_000_000,
      columns: [column],
    });
    return rows.flat();
  };

  const dropped = await lab.block(id, 2, 1, ["missing", { strategy: "drop" }]);
  const after = await described(3, 2);
  expect(after.a.count).toBe((rows / 1000) * 750);
  const kept = Array.from({ length: 1000 }, (_, k) => k).filter((k) => k % 4 !== 1);
  expect(await head(dropped.dataset_url, "a")).toEqual(
    Array.from({ length: 2000 }, (_, k) => kept[(6_000_000 + k) % 750] % 7),
  );

  const filled = await lab.block(id, 4, 1, ["missing", { strategy: "ffill" }]);
  expect(await head(filled.dataset_url, "a")).toEqual(
    Array.from({ length: 2000 }, (_, k) => (k % 1000) - (k % 4 === 1 ? 1 : 0)).map((k) => k % 7),
  );

  await lab.block(id, 5, 1, ["xy", { x: ["g"], y: "y" }]);
  const encoded = await lab.block(id, 6, 5, ["encode", { columns: ["g"], type: "target" }]);
  const means = new Set(await head(encoded.dataset_url, "g"));
  expect(means.size).toBe(15);
  const all = await described(7, 6);
  expect(all.g).toMatchObject({ count: rows, mean: expect.closeTo(4.5, 3) });
}, 600_000);
