import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { EventStreams } from "../../src/server/streams.ts";

/** A stream of a block that is over, and the id of its result. */
function over(streams: EventStreams, owner: string, letters = 10): string {
  const stream = streams.open(owner, 300_000);
  stream.send("result", "x".repeat(letters));
  stream.end();
  return `${stream.id}.1`;
}

test("the last hundred results of a key are kept for who comes back, and those of other keys beside them", () => {
  const streams = new EventStreams();
  const other = over(streams, "b");
  const ids = Array.from({ length: 150 }, () => over(streams, "a"));
  streams.open("a", 1000);
  expect(ids.map((id) => streams.find("a", id) !== null)).toEqual(ids.map((_, k) => k >= 50));
  expect(streams.find("b", other)).not.toBeNull();
  expect(streams.find("b", ids[149])).toBeNull();
});

test("a stream that runs is kept however many there are", () => {
  const streams = new EventStreams();
  const running = Array.from({ length: 150 }, () => streams.open("a", 1000));
  for (let k = 0; k < 150; k++) over(streams, "a");
  expect(running.every(({ id }) => streams.find("a", `${id}.1`) !== null)).toBe(true);
});

test("a large result is told to who listens, and not kept", async () => {
  const streams = new EventStreams();
  const stream = streams.open("a", 300_000);
  const heard = text(stream.listen());
  stream.send("result", "x".repeat(1e6));
  stream.end();
  expect((await heard).length).toBeGreaterThan(1e6);
  expect(streams.find("a", `${stream.id}.1`)).toBeNull();
});
