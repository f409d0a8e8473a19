import type { PromptOptions } from "./host.ts";
import type { Message } from "./wire.ts";

interface Question {
  readonly request: Message;
  readonly answer: (text: string) => void;
  readonly refuse: (error: Error) => void;
}

/** The stdin channel: questions to the person, one at a time. */
export class Stdin {
  readonly #send: (message: Message) => void;
  readonly #waiting: Question[] = [];

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  /** Asks the client that sent the cell. */
  ask(cell: Message, text: string, options: PromptOptions = {}): Promise<string> {
    if (cell.content.allow_stdin === false) {
      return Promise.reject(new Error("prompt: this front end can't ask questions while a cell runs."));
    }
    return new Promise((answer, refuse) => {
      const request = cell.createReply("input_request");
      request.content = { prompt: text, password: options.password ?? false };
      this.#waiting.push({ request, answer, refuse });
      if (this.#waiting.length === 1) this.#send(request);
    });
  }

  /** Takes an input_reply; one that nobody asked for is ignored. */
  receive(reply: Message): void {
    if (reply.header.msg_type !== "input_reply") return;
    const question = this.#waiting.shift();
    if (!question) return;
    // Not from within the socket's callback: a loop in the cell that is stopped there would take the
    // socket's own pending work with it.
    setImmediate(() => question.answer(String(reply.content.value ?? "")));
    if (this.#waiting[0]) this.#send(this.#waiting[0].request);
  }

  /** Gives up on all questions, as on an interrupt. */
  cancel(): void {
    for (const question of this.#waiting.splice(0)) question.refuse(new Error("prompt: the cell was interrupted."));
  }
}
