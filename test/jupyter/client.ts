import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dealer, Subscriber } from "zeromq";
import { nodeFlags } from "../../src/jupyter/install.ts";
import { loadZeromq } from "../../src/jupyter/tslab.ts";
import { Message } from "../../src/jupyter/wire.ts";

const zmq = loadZeromq();

/** Ports that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  // A cast because a server on a TCP port has an address with one.
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

/** A request's replies and everything said about it, in order of arrival. */
export interface Exchange {
  readonly reply: Message;
  readonly iopub: readonly Message[];
}

/** The channels on which a client asks. */
export type Channel = "shell" | "control";

/** A Jupyter client and its kernel's process. */
export class Client {
  readonly key = randomUUID();
  readonly process: ChildProcess;
  readonly shell: Dealer;
  readonly control: Dealer;
  readonly stdin: Dealer;
  readonly heartbeat = new zmq.Request({ linger: 0 });
  readonly iopub = new zmq.Subscriber({ linger: 0, reconnectInterval: 20 });
  readonly seen: Message[] = [];
  readonly replies: Message[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "blocklab-kernel-"));
  readonly #wakers = new Set<() => void>();
  stderr = "";

  private constructor(command: readonly string[], ports: number[], options: SpawnOptions = {}) {
    const routingId = randomUUID();
    // A kernel binds its ports while the client is already knocking.
    const socketOptions = { linger: 0, reconnectInterval: 20 };
    [this.shell, this.control, this.stdin] = [1, 2, 3].map(() => new zmq.Dealer({ routingId, ...socketOptions }));
    const [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
    const info = { shell_port, iopub_port, stdin_port, control_port, hb_port, ip: "127.0.0.1", transport: "tcp" };
    const file = join(this.#folder, "connection.json");
    writeFileSync(file, JSON.stringify({ ...info, key: this.key, signature_scheme: "hmac-sha256", kernel_name: "" }));
    const [program, ...words] = command.map((word) => word.replace("{connection_file}", file));
    this.process = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout!.resume();
    this.process.stderr!.on("data", (data) => {
      this.stderr += data;
    });
    const sockets = [this.shell, this.iopub, this.stdin, this.control, this.heartbeat];
    sockets.forEach((socket, index) => {
      socket.connect(`tcp://127.0.0.1:${ports[index]}`);
    });
    this.iopub.subscribe();
    void this.#collect(this.iopub, this.seen);
    for (const socket of [this.shell, this.control, this.stdin]) void this.#collect(socket, this.replies);
  }

  /** Starts a kernel by its command, as a kernelspec gives it, and waits for nothing. */
  static async launch(command: readonly string[], options: SpawnOptions = {}, ports?: number[]): Promise<Client> {
    return new Client(command, ports ?? (await freePorts(5)), options);
  }

  /** Starts a kernel and waits until it answers and its broadcasts arrive. */
  static async start(entry = "./fake-kernel.ts", cwd?: string): Promise<Client> {
    const file = fileURLToPath(new URL(entry, import.meta.url));
    const client = await Client.launch([process.execPath, ...nodeFlags, file, "{connection_file}"], { cwd });
    return await client.ready();
  }

  /** Waits until the kernel answers and its broadcasts arrive. */
  async ready(): Promise<this> {
    const end = Date.now() + 60_000;
    for (;;) {
      if (Date.now() > end) throw new Error(`the kernel does not answer:\n${this.stderr}`);
      const asked = this.send("shell", "kernel_info_request");
      const both = (): true | undefined =>
        (this.seen.some((message) => message.parent.msg_id === asked) &&
          this.replies.some((message) => message.parent.msg_id === asked)) ||
        undefined;
      if (await this.until(both, 300).catch(() => false)) return this;
      if (this.process.exitCode !== null) throw new Error(`the kernel ended:\n${this.stderr}`);
    }
  }

  async #collect(socket: Dealer | Subscriber, into: Message[]): Promise<void> {
    for await (const frames of socket) {
      const message = Message.decode(this.key, frames);
      if (!message) throw new Error("the kernel sent a message with a wrong signature");
      into.push(message);
      for (const wake of [...this.#wakers]) wake();
    }
  }

  /** Waits until `find` finds something among what has arrived. */
  until<T>(find: () => T | undefined, timeoutMs = 20_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => done(() => reject(new Error(`nothing came; stderr: ${this.stderr}`))), timeoutMs);
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        this.#wakers.delete(look);
        settle();
      };
      const look = (): void => {
        const found = find();
        if (found !== undefined) done(() => resolve(found));
      };
      this.#wakers.add(look);
      look();
    });
  }

  /** Sends a request without waiting; answers its id. */
  send(
    channel: Channel | "stdin",
    type: string,
    content: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
    key = this.key,
  ): string {
    const message = new Message(type);
    message.content = content;
    message.metadata = metadata;
    void this[channel].send(message.encode(key));
    return message.header.msg_id;
  }

  /** Queues a cell; answers the request's id. */
  sendCell(code: string, options: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): string {
    const defaults = { silent: false, store_history: true, allow_stdin: true, stop_on_error: true };
    return this.send("shell", "execute_request", { code, ...defaults, user_expressions: {}, ...options }, metadata);
  }

  /** What has been broadcast about a request. */
  about(id: string): Message[] {
    return this.seen.filter((message) => message.parent.msg_id === id);
  }

  /** Waits for a request's reply and for the status that ends it. */
  async finished(id: string): Promise<Exchange> {
    const reply = await this.until(() =>
      this.replies.find((message) => message.parent.msg_id === id && message.header.msg_type.endsWith("_reply")),
    );
    await this.until(() => this.about(id).find((message) => message.content.execution_state === "idle"));
    return { reply, iopub: this.about(id) };
  }

  /** Asks and waits. */
  request(channel: Channel, type: string, content: Record<string, unknown> = {}): Promise<Exchange> {
    return this.finished(this.send(channel, type, content));
  }

  /** Runs a cell and waits. */
  run(code: string, options?: Record<string, unknown>, metadata?: Record<string, unknown>): Promise<Exchange> {
    return this.finished(this.sendCell(code, options, metadata));
  }

  /** Waits for a broadcast about the request of the given type. */
  broadcast(id: string, type: string): Promise<Message> {
    return this.until(() => this.about(id).find((message) => message.header.msg_type === type));
  }

  /** Waits until the kernel's process has ended; answers its exit code. */
  async ended(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
    return this.process.exitCode;
  }

  /** Leaves nothing behind. */
  async close(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended();
    for (const socket of [this.shell, this.control, this.stdin, this.iopub, this.heartbeat]) socket.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The types of messages, with the state for a status and the text for a stream. */
export function outline(messages: readonly Message[]): string[] {
  return messages.map(({ header, content }) => {
    if (header.msg_type === "status") return String(content.execution_state);
    return header.msg_type === "stream" ? `${content.name}: ${content.text}` : header.msg_type;
  });
}
