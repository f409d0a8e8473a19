/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads a `text/event-stream`: events may be cut anywhere between chunks; comments are left out. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A lone \r at the end may be the first half of \r\n.
    const blocks = rest.replace(/\r\n/g, "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): StreamEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const match = /^(event|data): ?(.*)$/s.exec(line);
    if (match?.[1] === "event") event = match[2];
    else if (match) data.push(match[2]);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : null;
}
