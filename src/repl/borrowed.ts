import type { Terminal } from "./app.tsx";

/** The terminal, which the app lends to others now and then; what is printed meanwhile waits. */
export class Borrowed {
  #terminal: Terminal | null = null;
  readonly #early: (text: string) => void;
  #waiting: string[] | null = null;

  /** `early` prints as long as there is no app. */
  constructor(early: (text: string) => void) {
    this.#early = early;
  }

  /** The app is there. */
  take(terminal: Terminal): void {
    this.#terminal = terminal;
  }

  /** Prints above the prompt. */
  print(text: string): void {
    if (this.#waiting) this.#waiting.push(text);
    else if (this.#terminal) this.#terminal.print(text);
    else this.#early(text);
  }

  /** Waits until the screen shows the last change. */
  async painted(): Promise<void> {
    await this.#terminal?.painted();
  }

  /** Gives the whole terminal to some work; answers what it came to. */
  async whole<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#terminal) throw new Error("there is no terminal yet");
    const waiting: string[] = [];
    this.#waiting = waiting;
    const found: { value?: T; error?: unknown } = {};
    try {
      await this.#terminal.lend(async () => {
        try {
          found.value = await work();
        } catch (error) {
          found.error = error;
        }
      });
    } finally {
      this.#waiting = null;
      if (waiting.length > 0) this.#terminal.print(waiting.join(""));
    }
    if ("error" in found) throw found.error;
    // A cast because only an error leaves the value out.
    return found.value as T;
  }
}
