import type { Bundle, DisplayOptions } from "./host.ts";
import type { Message } from "./wire.ts";

/** So many pieces of text go out as they come; only a loop of prints is gathered into fewer messages. */
const freePieces = 64;
/** Gathered text waits this long; as often, one more piece is free. */
const gatherMs = 30;
/** Gathered text beyond this length goes out at once. */
const gatherLimit = 32_768;

interface Gathered {
  readonly parent: Message;
  readonly name: "stdout" | "stderr";
  text: string;
}

/** Bytes travel as base64. */
function jsonReady(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]) => [
      type,
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ]),
  );
}

/** The iopub channel: what every client sees, in the order in which it was said. */
export class Broadcast {
  readonly #send: (message: Message) => void;
  #gathered: Gathered | null = null;
  #timer: NodeJS.Timeout | null = null;
  #credit = freePieces;
  #lastPiece = 0;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Publishes a message about the request, after the text written before it. */
  publish(parent: Message, type: string, content: Readonly<Record<string, unknown>>): void {
    const message = parent.createReply(type);
    message.content = content;
    this.flush();
    this.#send(message);
  }

  /** Text for a cell's stream. Goes out soon by itself, also while a loop keeps the event loop waiting. */
  stream(parent: Message, name: "stdout" | "stderr", text: string): void {
    const held = this.#gathered;
    if (held && held.parent === parent && held.name === name) held.text += text;
    else {
      this.flush();
      this.#gathered = { parent, name, text };
    }
    if (this.#isFree() || this.#gathered!.text.length > gatherLimit) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherMs);
  }

  #isFree(): boolean {
    const now = performance.now();
    this.#credit = Math.min(freePieces, this.#credit + (now - this.#lastPiece) / gatherMs);
    this.#lastPiece = now;
    if (this.#credit < 1) return false;
    this.#credit--;
    return true;
  }

  /** A bundle as display_data, or in place of the display of the same id. */
  display(parent: Message, bundle: Bundle, options: DisplayOptions = {}): void {
    const transient = options.displayId === undefined ? {} : { display_id: options.displayId };
    this.publish(parent, options.update ? "update_display_data" : "display_data", {
      data: jsonReady(bundle.data),
      metadata: bundle.metadata ?? {},
      transient,
    });
  }

  /** The value of a cell. */
  result(parent: Message, bundle: Bundle, executionCount: number): void {
    this.publish(parent, "execute_result", {
      data: jsonReady(bundle.data),
      metadata: bundle.metadata ?? {},
      execution_count: executionCount,
    });
  }

  /** Sends the text gathered so far. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const held = this.#gathered;
    if (!held) return;
    this.#gathered = null;
    const message = held.parent.createReply("stream");
    message.content = { name: held.name, text: held.text };
    this.#send(message);
  }
}
