import { harmless } from "../core/visible.ts";

/** What is printed within this time reaches the terminal in one piece; drawing the prompt anew costs more than a line. */
const waitMs = 30;
const mostWaiting = 60_000;

/** Colours and weights, the one thing that a cell may tell the terminal. */

/**
 * Collects what cells print, and prints it above the prompt in whole lines.
 *
 * Escape codes other than colours become visible: they may well come from data.
 */
export class Printer {
  readonly #write: (text: string) => void;
  #waiting: string[] = [];
  #length = 0;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Takes what a cell wrote to a stream; a loop that prints without end is printed as it goes. */
  add(text: string): void {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length > mostWaiting || performance.now() - this.#last > waitMs) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs);
  }

  /** Prints a whole text at once, behind everything that waits. */
  print(text: string): void {
    this.end();
    if (text !== "") this.#write(text);
  }

  /** Prints what waits, an unfinished line too. */
  end(): void {
    this.#flush();
    const rest = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    if (rest !== "") this.#write(`${harmless(rest)}\n`);
  }

  /** Prints the whole lines that wait; an unfinished one would be painted over by the prompt. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    const text = this.#waiting.join("");
    const end =
      this.#length > mostWaiting ? Math.max(text.lastIndexOf("\n") + 1, 0) || text.length : text.lastIndexOf("\n") + 1;
    this.#waiting = end < text.length ? [text.slice(end)] : [];
    this.#length = text.length - end;
    if (end > 0) this.#write(wholeLines(harmless(text.slice(0, end))));
  }
}

function wholeLines(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
