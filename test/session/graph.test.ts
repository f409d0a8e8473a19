import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { type GraphView, viewOf } from "../../src/core/view.ts";
import { toHtml, toText } from "../../src/render/index.ts";
import { graphOf } from "../../src/session/graph.ts";
import { Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-graph-"));
const session = new Session(() => embeddedLink({ home, threads: 0 }));

afterAll(async () => {
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

it("draws branches, models, times, where you stand, and what is stale", async () => {
  await session.project("drawn");
  expect(toText((await session.graph())[viewOf]())).toMatch(/^No block yet/);
  const base = session.input("sample:iris").xy({ y: "species" }).split({ random_state: 1 });
  await base.branch().scale().knn();
  await base.branch().naiveBayes({ model_name: "plain" }).metrics();
  const link = await session.link;
  const [, xy] = await session.blocks();
  await link.run({ ...(await link.request(xy.id)), args: { y_boundaries: "species", x_boundaries: ["petal_width"] } });
  const graph = graphOf(await session.blocks(), session.last, new Map([[xy.id - 1, 12]]));
  const words = toText(graph[viewOf]());
  expect(words).toBe(`1 input (DP_1)  12 ms
  2 xy (DP_FSP)
    3 split (DP_4)  (stale: run it again)
      4 scale (DP_5)  (stale: run it again)
        5 knn (ML_CN_2)  (stale: run it again)  model
      6 naiveBayes (ML_CN_5)  (stale: run it again)  model plain
        7 naiveBayes.metrics (ML_CN_5_M)  ← here  (stale: run it again)`);
  expect(toText((await session.graph())[viewOf]())).toMatch(/^1 input \(DP_1\) {2}.*(?:ms|s)\n/);
  const html = await toHtml(graph[viewOf]());
  expect(html.match(/<rect /g)).toHaveLength(7);
  expect(html.match(/<path /g)).toHaveLength(6);
  expect(html.match(/stroke-dasharray/g)).toHaveLength(5);
  expect(html).toContain("you are here");
  expect(graph.mermaid()).toBe(`flowchart TD
  b1["1 input #40;DP_1#41;<br/>12 ms"]
  b2["2 xy #40;DP_FSP#41;"]
  b3["3 split #40;DP_4#41;<br/>stale"]
  b4["4 scale #40;DP_5#41;<br/>stale"]
  b5["5 knn #40;ML_CN_2#41;<br/>model<br/>stale"]
  b6["6 naiveBayes #40;ML_CN_5#41;<br/>model plain<br/>stale"]
  b7["7 naiveBayes.metrics #40;ML_CN_5_M#41;<br/>stale"]
  b1 --> b2
  b2 --> b3
  b3 --> b4
  b4 --> b5
  b3 --> b6
  b6 --> b7
  style b7 stroke-width:3px
  style b3 stroke-dasharray:4 3
  style b4 stroke-dasharray:4 3
  style b5 stroke-dasharray:4 3
  style b6 stroke-dasharray:4 3
  style b7 stroke-dasharray:4 3
`);
});

it("lets no name out of its box", async () => {
  const view: GraphView = {
    kind: "graph",
    nodes: [
      { id: 1, parent: 0, label: '</text><script>"\u001b[31m', notes: ["<img src=x onerror=alert(1)>"], here: true },
    ],
  };
  const html = await toHtml(view);
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain("&lt;/text&gt;");
  expect(toText(view)).not.toContain("\u001b");
  expect(
    toText(view, { width: 20 })
      .split("\n")
      .every((line) => line.length <= 20),
  ).toBe(true);
});
