import { expect, test } from "vitest";
import { linesIn, readEvents, type StreamEvent } from "../../src/client/event-stream.ts";

async function read(...pieces: readonly (string | Uint8Array)[]) {
  async function* chunks() {
    for (const piece of pieces) yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
  }
  const events: StreamEvent[] = [];
  for await (const event of readEvents(chunks())) events.push(event);
  return events;
}

const text = ': running\n\nevent: progress\ndata: {"phase":"größer"}\n\nevent: result\ndata: 1\n\n';
const both = [
  { event: "progress", data: '{"phase":"größer"}' },
  { event: "result", data: "1" },
];

test("reads events and leaves comments out", async () => {
  expect(await read(text)).toEqual(both);
});

test("it makes no difference where the chunks are cut, even inside a letter", async () => {
  const bytes = new TextEncoder().encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(both);
  }
});

test("reads line ends of other systems, cut in two as well", async () => {
  expect(await read(text.replaceAll("\n", "\r\n"))).toEqual(both);
  expect(await read("event: a\r", "\ndata: 1\r", "\n\r", "\n")).toEqual([{ event: "a", data: "1" }]);
});

test("joins several data lines, and keeps an event without a name as a message", async () => {
  expect(await read("data: 1\ndata:2\nid: 7\n\n")).toEqual([{ event: "message", data: "1\n2" }]);
});

test("an event that was cut off is none", async () => {
  expect(await read("event: result\ndata: 1\n")).toEqual([]);
});

test("reads lines, wherever they are cut", async () => {
  const bytes = new TextEncoder().encode("größer\n\nb\nno line");
  for (let cut = 0; cut <= bytes.length; cut++) {
    async function* chunks() {
      yield* [bytes.subarray(0, cut), bytes.subarray(cut)];
    }
    expect(await Array.fromAsync(linesIn(chunks()))).toEqual(["größer", "", "b"]);
  }
});
