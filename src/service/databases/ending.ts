import { connect, type Socket } from "node:net";
import type { RowStream } from "./rows.ts";

/**
 * Ends a query on its server too when it is given up before its last row.
 *
 * A server notices that its client has left only when it has rows to send.
 */
export class Ending {
  readonly #socket: Socket;
  readonly #leave: () => void;
  readonly #cancel: (dial: () => Socket) => void;
  readonly #dial: (() => Socket) | null;
  #isRunning = false;

  /** `leave` closes the connection, and `cancel` ends its query over another one to the same server. */
  constructor(socket: Socket, leave: () => void, cancel: (dial: () => Socket) => void) {
    this.#socket = socket;
    this.#leave = leave;
    this.#cancel = cancel;
    // The address that was connected to: a name could lead elsewhere by the time the query is to be ended.
    const { remoteAddress: host, remotePort: port } = socket;
    this.#dial = host && port ? () => connect({ host, port }) : null;
    // Whoever gives up while the query is opened closes the socket alone.
    socket.once("close", this.close);
  }

  /** Opens the query; from here on there is something to end. */
  async during(open: () => Promise<Omit<RowStream, "close">>): Promise<RowStream> {
    this.#isRunning = true;
    const { fields, next } = await this.#answered(open);
    const whole = async () => {
      const batch = await this.#answered(next);
      if (batch === null) this.#isRunning = false;
      return batch;
    };
    return { fields, next: whole, close: this.close };
  }

  readonly close = (): void => {
    this.#leave();
    if (this.#isRunning && this.#dial) this.#cancel(this.#dial);
    this.#isRunning = false;
  };

  /** Of a query that the server refuses nothing runs on. */
  async #answered<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!this.#socket.destroyed) this.#isRunning = false;
      throw error;
    }
  }
}
