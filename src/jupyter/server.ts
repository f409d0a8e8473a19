import { setImmediate as turn } from "node:timers/promises";
import type { Publisher, Reply as ReplySocket, Router } from "zeromq";
import { Broadcast } from "./broadcast.ts";
import { Control } from "./control.ts";
import { Executions } from "./executions.ts";
import { Handler } from "./handler.ts";
import type { KernelHost, KernelIO } from "./host.ts";
import { Stdin } from "./stdin.ts";
import type { Outlet } from "./tslab.ts";
import { jupyter } from "./tslab-jupyter.ts";
import { addressOf, Message } from "./wire.ts";

/** Requests answered by a look at the code or the kernel, without running anything. */
const lookups = {
  complete_request: "complete",
  inspect_request: "inspect",
  is_complete_request: "isComplete",
} as const;

/**
 * tslab's server with the rest of the protocol.
 *
 * From tslab: the connection file, the sockets and their receiving, status and kernel_info. New:
 * control and heartbeat on a thread of their own, cells in a queue with results and errors as
 * messages, interrupts, stdin, history, and replies while a cell waits for something.
 */
export class KernelServer extends jupyter.ZmqServer {
  readonly executions: Executions;
  readonly broadcast: Broadcast;
  readonly questions: Stdin;
  readonly #handler: Handler;
  readonly #onShutdown: () => void;
  #worker: Control | null = null;

  constructor(connectionFile: string, host: Promise<KernelHost>, onShutdown: () => void) {
    const handler = new Handler(host);
    super(handler, connectionFile);
    this.#handler = handler;
    this.#onShutdown = onShutdown;
    this.broadcast = new Broadcast((message) => message.signAndSend(this.connInfo.key, this.iopub));
    this.questions = new Stdin((message) => message.signAndSend(this.connInfo.key, this.stdin));
    this.executions = new Executions({
      host,
      broadcast: this.broadcast,
      publishStatus: (status, request) => this.publishStatus(status, request),
      reply: (request, outlet, content, metadata) => this.#reply(request, outlet, content, metadata),
      onBegin: (number) => this.#worker?.setBegun(number),
      onEnd: (number) => this.#worker?.setEnded(number),
      onCell: (number) => this.#worker?.setCell(number),
    });
  }

  /** Opens all sockets. */
  override async init(): Promise<void> {
    await super.init();
    this.#worker = new Control(this.connInfo, {
      onRequest: (frames, cell) => void this.#receive(this.#worker!, frames, cell),
      onOrphaned: () => this.#onShutdown(),
    });
    void this.#receiveStdin();
    await this.#worker.ready();
    const hello = new Message("status");
    hello.content = { execution_state: "starting" };
    hello.signAndSend(this.connInfo.key, this.iopub);
  }

  /** The host is there; from now on a main thread that doesn't answer may be stopped. */
  setLoaded(): void {
    this.#worker?.setLoaded();
  }

  /** Binds the three sockets of this thread; control and heartbeat are bound in their own. */
  override async bindSocket(socket: Publisher | Router | ReplySocket, port: number): Promise<void> {
    if (socket === this.control || socket === this.hb) return;
    socket.linger = 1_000;
    // Sending waits for nobody, so messages keep their order and leave during a loop, too.
    socket.sendTimeout = 0;
    // A cell may print faster than a client reads.
    socket.sendHighWaterMark = 0;
    // tslab receives from the socket already: what a client has sent by now would come while another thread binds it,
    // which zeromq refuses, and nothing would be received ever after.
    socket.bindSync(addressOf(this.connInfo, port));
  }

  /** Status comes after the text that was written before it. */
  override publishStatus(status: string, parent: Message): void {
    this.broadcast.flush();
    super.publishStatus(status, parent);
  }

  /** Takes a message of the shell channel. */
  override async handleShellMessage(outlet: Outlet, ...frames: Buffer[]): Promise<void> {
    await this.#receive(outlet, frames, 0);
  }

  /** Closes everything; resolves when the last replies have left. */
  async end(): Promise<void> {
    this.broadcast.flush();
    this.questions.cancel();
    await this.#worker?.close();
    this.close();
  }

  async #receiveStdin(): Promise<void> {
    for await (const frames of this.stdin) {
      const message = Message.decode(this.connInfo.key, frames);
      if (message) this.questions.receive(message);
    }
  }

  async #receive(outlet: Outlet, frames: readonly Buffer[], cell: number): Promise<void> {
    const message = Message.decode(this.connInfo.key, frames);
    if (!message) return;
    if (message.header.msg_type === "execute_request") {
      this.executions.add(message, outlet);
      return;
    }
    this.publishStatus("busy", message);
    try {
      await this.#answer(outlet, message, cell);
    } catch (error) {
      this.#reply(message, outlet, this.#handler.failure(error));
    }
    this.publishStatus("idle", message);
    // Clients show the newest status, whatever it was about; a cell that still waits is what counts.
    const { running } = this.executions;
    if (running) this.publishStatus("busy", running.request);
    if (message.header.msg_type === "shutdown_request") {
      await turn();
      this.#onShutdown();
    }
  }

  async #answer(outlet: Outlet, message: Message, cell: number): Promise<void> {
    const type = message.header.msg_type;
    if (type in lookups) {
      // A cast because the line above has just looked.
      const method = lookups[type as keyof typeof lookups];
      this.#reply(message, outlet, await this.#handler[method](message.content));
      return;
    }
    switch (type) {
      case "kernel_info_request":
        this.handleKernelInfo(outlet, message);
        break;
      case "history_request":
        this.#reply(message, outlet, { status: "ok", history: this.executions.history.answer(message.content) });
        break;
      case "comm_info_request":
        this.#reply(message, outlet, { status: "ok", comms: {} });
        break;
      case "comm_open":
        // The protocol's way to say that the target is unknown.
        this.broadcast.publish(message, "comm_close", { comm_id: message.content.comm_id ?? "", data: {} });
        break;
      case "interrupt_request":
        this.questions.cancel();
        this.executions.interrupt(cell);
        this.#reply(message, outlet, { status: "ok" });
        break;
      case "shutdown_request":
        this.#reply(message, outlet, { status: "ok", restart: message.content.restart === true });
        break;
    }
  }

  #reply(request: Message, outlet: Outlet, content: object, metadata: Record<string, unknown> = {}): void {
    const reply = request.createReply();
    reply.content = { ...content };
    reply.metadata = metadata;
    this.broadcast.flush();
    reply.signAndSend(this.connInfo.key, outlet);
  }
}

/** The front end as the host sees it. */
export function ioOf(server: KernelServer): KernelIO {
  const { broadcast, executions, questions } = server;
  const withCell = (cellId: string | undefined, tell: (request: Message) => void): void => {
    const execution = executions.find(cellId);
    if (execution && !execution.silent) tell(execution.request);
  };
  return {
    onOutput: (stream, text, cellId) => withCell(cellId, (request) => broadcast.stream(request, stream, text)),
    displayData: (bundle, options) => withCell(undefined, (request) => broadcast.display(request, bundle, options)),
    runningCell: () => executions.running?.number ?? 0,
    clearOutput: (wait = false) =>
      withCell(undefined, (request) => broadcast.publish(request, "clear_output", { wait })),
    prompt: (text = "", options = {}) => {
      if (!executions.running) return Promise.reject(new Error("prompt: no cell is running that could ask."));
      return questions.ask(executions.running.request, String(text), options);
    },
  };
}
