/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads a `text/event-stream`: events may be cut anywhere between chunks; comments are left out. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  let block: string[] = [];
  for await (const line of linesIn(chunks)) {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") {
      block.push(text);
      continue;
    }
    const event = parseBlock(block);
    if (event) yield event;
    block = [];
  }
}

/** The lines of a text, which may be cut anywhere between chunks; what stands behind the last one is no line. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    // A line of megabytes comes in many pieces, which are joined once.
    for (const line of lines.slice(0, -1)) {
      pieces.push(line);
      yield pieces.join("");
      pieces = [];
    }
    pieces.push(lines[lines.length - 1]);
  }
}

function parseBlock(lines: readonly string[]): StreamEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of lines) {
    const match = /^(event|data): ?(.*)$/s.exec(line);
    if (match?.[1] === "event") event = match[2];
    else if (match) data.push(match[2]);
  }
  return data.length > 0 ? { event, data: data.join("\n") } : null;
}
