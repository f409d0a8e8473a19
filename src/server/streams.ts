import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";

/** Proxies drop connections that stay silent for a minute. */
const heartbeatMs = 15_000;
const mostKept = 100;
/** Letters of an event that is kept; whoever misses a larger result gets it from the store by the same request. */
const mostLetters = 64 * 1024;
/** Streams of a key that are over and can still be listened to. */
const mostOver = 100;

interface Sent {
  readonly number: number;
  readonly text: string;
}

/** The events of one block: told to whoever listens, and again to one who comes back. */
export class EventStream {
  /** Fires when nobody listens any more, and nobody came back in time. */
  readonly gone: AbortSignal;
  readonly #id = randomBytes(12).toString("hex");
  readonly #graceMs: number;
  readonly #kept: Sent[] = [];
  readonly #forget: () => void;
  readonly #leave = new AbortController();
  #out: PassThrough | null = null;
  #count = 0;
  #isOver = false;
  #isWhole = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(graceMs: number, forget: () => void) {
    this.#graceMs = graceMs;
    this.#forget = forget;
    this.gone = this.#leave.signal;
  }

  get id(): string {
    return this.#id;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Begins to tell events to a response, those after `last` first; who listened before is let go. */
  listen(last = 0): PassThrough {
    clearTimeout(this.#timer);
    this.#out?.end();
    const out = new PassThrough();
    this.#out = out;
    // A first line sends the headers at once, so that the client knows its block is running.
    out.write(": running\n\n");
    for (const { number, text } of this.#kept) if (number > last) out.write(text);
    const heartbeat = setInterval(() => out.writable && out.write(": running\n\n"), heartbeatMs);
    out.once("close", () => {
      clearInterval(heartbeat);
      if (this.#out === out) this.#left();
    });
    if (this.#isOver) out.end();
    return out;
  }

  /** A client that reads slowly gets fewer reports, rather than all of them in our memory. */
  get isSlow(): boolean {
    return this.#out?.writableNeedDrain === true;
  }

  send(event: string, data: unknown): void {
    const number = ++this.#count;
    const text = `${this.#head(event, number)}${JSON.stringify(data)}\n\n`;
    if (text.length > mostLetters) this.#isWhole = false;
    else if (this.#graceMs > 0) {
      this.#kept.push({ number, text });
      if (this.#kept.length > mostKept) this.#kept.shift();
    }
    if (this.#out?.writable) this.#out.write(text);
  }

  /** The same for data that come as JSON in pieces: a large event is told to who listens when it begins, at their pace. */
  async sendPieces(event: string, pieces: AsyncIterable<string>): Promise<void> {
    const number = ++this.#count;
    const out = this.#out;
    const left = new AbortController();
    out?.once("close", () => left.abort());
    let text = this.#head(event, number);
    let isSmall = true;
    for await (const piece of pieces) {
      text += piece;
      if (text.length <= mostLetters) continue;
      isSmall = false;
      if (out?.writable && !out.write(text)) await once(out, "drain", left).catch(() => undefined);
      text = "";
    }
    text += "\n\n";
    if (!isSmall) this.#isWhole = false;
    else if (this.#graceMs > 0) this.#kept.push({ number, text });
    const last = isSmall ? this.#out : out;
    if (last?.writable) last.write(text);
  }

  /** Says that nothing more comes; one who lost the connection may still ask for the end. */
  end(): void {
    this.#isOver = true;
    this.#out?.end();
    if (this.#isWhole) setTimeout(this.#forget, this.#graceMs).unref();
    else this.#forget();
  }

  #head(event: string, number: number): string {
    return `${this.#graceMs > 0 ? `id: ${this.#id}.${number}\n` : ""}event: ${event}\ndata: `;
  }

  #left(): void {
    this.#out = null;
    if (this.#isOver) return;
    if (this.#graceMs === 0) this.#leave.abort();
    else this.#timer = setTimeout(() => this.#leave.abort(), this.#graceMs).unref();
  }
}

/**
 * The streams that somebody may come back to.
 *
 * One that is forgotten is no loss: the request is sent again, and a block that is done answers its record.
 */
export class EventStreams {
  readonly #open = new Map<string, Map<string, EventStream>>();

  /** `graceMs`: how long a client may be away before its block is cancelled. */
  open(owner: string, graceMs: number): EventStream {
    const own = this.#open.get(owner) ?? new Map<string, EventStream>();
    const forget = (id: string) => {
      own.delete(id);
      if (own.size === 0 && this.#open.get(owner) === own) this.#open.delete(owner);
    };
    const stream: EventStream = new EventStream(graceMs, () => forget(stream.id));
    if (graceMs === 0) return stream;
    this.#open.set(owner, own.set(stream.id, stream));
    const over = [...own.values()].filter(({ isOver }) => isOver);
    for (const { id } of over.slice(0, Math.max(0, over.length - mostOver))) forget(id);
    return stream;
  }

  /** The stream behind a Last-Event-ID, and how far the client had come; null when there is none of its own. */
  find(owner: string, lastEventId: string | undefined): { stream: EventStream; last: number } | null {
    const match = /^([0-9a-f]{24})\.(\d{1,9})$/.exec(lastEventId ?? "");
    const stream = match ? this.#open.get(owner)?.get(match[1]) : undefined;
    return match && stream ? { stream, last: Number(match[2]) } : null;
  }
}
