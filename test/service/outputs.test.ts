import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { Served } from "../support/served.ts";

type Entry = Readonly<Record<string, unknown>> & { readonly id: number; readonly output: string };

const service = new Served();
const columns = Array.from({ length: 300 }, (_, k) => `c${k}`);
const rows = Array.from({ length: 9 }, (_, i) => columns.map((_, k) => (i * (k + 7)) % 101).join());
const states = "/api/v1/engine/statemanagement";

async function wide(): Promise<number> {
  const project = await service.project();
  const url = await service.upload(`${columns.join()}\n${rows.join("\n")}\n`, "wide.csv");
  await service.block(project, 1, 0, "DP_1", { dburl: url });
  return project;
}

const files = () => readdirSync(join(service.home, "artifacts"));

describe("an output of megabytes", () => {
  it("is the same from a run, a repetition, a stream and a record, and not in the database", async () => {
    const project = await wide();
    const { message } = await service.block(project, 2, 1, "DP_CRR");
    const { id, output } = message as Entry;
    const { columns: names, matrix } = JSON.parse(output) as { columns: string[]; matrix: (number | null)[][] };
    expect([names, matrix.length, matrix[299].length, matrix[5][5]]).toEqual([columns, 300, 300, 1]);
    expect(matrix[7][3]).toBe(matrix[3][7]);
    expect(output.length).toBeGreaterThan(2 ** 20);

    expect((await service.block(project, 2, 1, "DP_CRR")).message).toEqual(message);
    expect((await service.ask("GET", `${states}/${id}`)).message).toEqual(message);
    const request = { project_id: project, block_id: 2, parent_id: 1, function_code: "DP_CRR", args: {} };
    const streamed = await service.fetch("/api/v1/engine/start?resume=5", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(request),
    });
    const [, data] = /event: result\ndata: (.*)\n\n/.exec(await streamed.text()) ?? [];
    expect(JSON.parse(data)).toEqual({ status: "true", message });
    const { message: listed } = await service.ask<Entry[]>("GET", `${states}?project=${project}`);
    expect(listed[1]).toMatchObject({ id, output_bytes: output.length });
    expect(listed[1].output).toBeUndefined();

    const view = await service.ask("GET", `${states}/${id}/view`);
    expect(JSON.stringify(view.message)).toContain("The first 200 of 300 columns");
    const database = new DatabaseSync(join(service.home, "blocklab.db"), { readOnly: true });
    expect(database.prepare("SELECT output FROM states WHERE id = ?").get(id)).toEqual({ output: null });
    database.close();
  });

  it("goes with its block, and can be made again when its file is damaged", async () => {
    const project = await wide();
    const before = files();
    const { message } = await service.block(project, 2, 1, "DP_CRR");
    const { id, output } = message as Entry;
    const [file] = files().filter((name) => !before.includes(name));
    const path = join(service.home, "artifacts", file);
    expect(readFileSync(path, "utf8")).toBe(output);
    writeFileSync(path, output.replace("0.", "1."));
    const answer = await service.ask("GET", `${states}/${id}`);
    expect([answer.http, answer.message]).toEqual([
      422,
      expect.stringMatching(/is damaged on disk.*Run block 2 again\.$/),
    ]);
    const again = (await service.block(project, 2, 1, "DP_CRR")).message as Entry;
    expect(again.output).toBe(output);
    expect((await service.ask("DELETE", `${states}/${again.id}`)).http).toBe(200);
    expect(files()).toEqual(before);
  });
});
