import type { Bundle, DisplayOptions } from "./host.ts";
import type { Message } from "./wire.ts";

/** So many pieces of text go out as they come; only a loop of prints is gathered into fewer messages. */
const freePieces = 64;
/** Gathered text waits this long; as often, one more piece is free. */
const gatherMs = 30;
/** Gathered text beyond this length goes out at once. */
const gatherLimit = 32_768;

/** Beyond so many letters a cell's outputs are not kept to be shown again; what passes is emptied instead. */
const mostKept = 4_000_000;

/** What a cell that runs has shown, so that it can be shown without what was shown in passing. */
interface Shown {
  readonly parent: Message;
  outputs: { readonly type: string; readonly content: Readonly<Record<string, unknown>> }[];
  letters: number;
  /** The displays that are to go. */
  readonly passing: Set<string>;
}

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
  #shown: Shown | null = null;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Publishes a message about the request, after the text written before it. */
  publish(parent: Message, type: string, content: Readonly<Record<string, unknown>>): void {
    this.flush();
    this.#tell(parent, type, content);
    this.#keep(parent, type, content);
  }

  /** A cell begins. */
  begin(parent: Message): void {
    this.flush();
    this.#shown = { parent, outputs: [], letters: 0, passing: new Set() };
  }

  /** A cell is done: takes away what it showed in passing, and shows the rest as it was. */
  settle(parent: Message): void {
    this.flush();
    const shown = this.#shown;
    this.#shown = null;
    if (shown?.parent !== parent || shown.passing.size === 0) return;
    if (shown.letters > mostKept) {
      for (const display_id of shown.passing)
        this.#tell(parent, "update_display_data", { data: {}, metadata: {}, transient: { display_id } });
      return;
    }
    this.#tell(parent, "clear_output", { wait: false });
    for (const { type, content } of shown.outputs) this.#tell(parent, type, content);
  }

  #tell(parent: Message, type: string, content: Readonly<Record<string, unknown>>): void {
    const message = parent.createReply(type);
    message.content = content;
    this.#send(message);
  }

  #keep(parent: Message, type: string, content: Readonly<Record<string, unknown>>): void {
    const shown = this.#shown;
    if (shown?.parent !== parent) return;
    if (type === "clear_output") {
      shown.outputs = [];
      shown.letters = 0;
    }
    if (!["stream", "display_data", "update_display_data"].includes(type) || shown.letters > mostKept) return;
    const { text, data, transient } = content as { text?: string; data?: object; transient?: { display_id?: string } };
    if (transient?.display_id !== undefined && shown.passing.has(transient.display_id)) return;
    for (const part of [text, ...Object.values(data ?? {})])
      shown.letters += typeof part === "string" ? part.length : 0;
    shown.outputs.push({ type, content });
    if (shown.letters > mostKept) shown.outputs = [];
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
    if (options.passing && options.displayId !== undefined && this.#shown?.parent === parent)
      this.#shown.passing.add(options.displayId);
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
    const content = { name: held.name, text: held.text };
    this.#tell(held.parent, "stream", content);
    this.#keep(held.parent, "stream", content);
  }
}
