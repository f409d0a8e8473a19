import { Agent } from "undici";
import { afterAll, expect, test } from "vitest";
import { httpLink } from "../../src/client/http.ts";
import { isShowable, viewOf } from "../../src/core/view.ts";
import { Session } from "../../src/session/index.ts";
import { Served } from "../support/served.ts";

const service = new Served();
const asked: string[] = [];

/** Connections that write down what is asked for. */
class Counted extends Agent {
  override request(...[options]: Parameters<Agent["request"]>) {
    asked.push(`${options.method} ${options.path.replace(/^\/api\/v1|[?&]limit=500&after=0$/g, "")}`);
    return super.request(options);
  }
}

const dispatcher = new Counted();
const session = new Session(async () => httpLink({ url: (await service.serving).url, key: "served", dispatcher }));
const seam = Symbol.for("blocklab.cell");
let cells = 0;

afterAll(async () => {
  await session.close();
  await dispatcher.close();
});

/** What a cell asks the service for, when what it ends with is shown. */
async function requestsOf(code: () => unknown, id = `cell ${++cells}`): Promise<string[]> {
  asked.length = 0;
  const { signal } = new AbortController();
  Object.assign(globalThis, { [seam]: () => ({ id, signal }) });
  try {
    const value = await code();
    if (isShowable(value)) await value[viewOf]();
  } finally {
    Reflect.deleteProperty(globalThis, seam);
  }
  return [...asked];
}

test("a cell asks once for a block and its view, and for the view of what it ends with alone", async () => {
  const run = "POST /engine/start";
  const shown = `${run}?view=true`;
  const states = "GET /engine/statemanagement";
  const { id } = await session.project("requests");
  expect(await requestsOf(() => session.input("sample:iris"))).toEqual([shown]);
  expect(await requestsOf(() => session.describe())).toEqual([shown]);
  expect(await requestsOf(() => session.describe(), "cell 2")).toEqual([shown, `${states}?project=${id}&stale=true`]);
  expect(await requestsOf(() => session.xy({ y: "species" }).split({ random_state: 0 }).knn())).toEqual([
    run,
    run,
    shown,
  ]);
  expect(await requestsOf(() => session.predict())).toEqual([`${states}?project=${id}&block=5&chain=true`, shown]);
  expect(await requestsOf(() => session.knn().metrics())).toEqual([run, shown]);
  expect(await requestsOf(() => session.at(2))).toEqual([`${states}?project=${id}&block=2`, `${states}/2/view`]);
  asked.length = 0;
  await session.info();
  expect(asked).toEqual([run]);
});

test("a result shows what has become of its block once another has run", async () => {
  const first = await session.input("sample:iris");
  const block = await session.info();
  expect(JSON.stringify(await block[viewOf]())).not.toContain("Stale");
  const { id } = await session.project("requests");
  const link = await session.link;
  const place = { project_id: id, block_id: first.block, function_code: "DP_1" };
  await link.run({ ...place, args: { dburl: "sample:penguins" } });
  expect(JSON.stringify(await block[viewOf]())).toContain("Stale");
});
