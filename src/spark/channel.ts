import {
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { type Connection, placeOf } from "./connection.ts";
import type { Message } from "./protobuf.ts";

/** A method of the service: its name, what it is asked and what it answers. */
export interface Method<Q, A> {
  readonly name: string;
  readonly request: Message<Q>;
  readonly response: Message<A>;
}

/** How a channel is made. */
export interface ChannelOptions {
  /** Certificates in PEM that are trusted in place of the well-known ones. */
  readonly certificates?: string | undefined;
  /** How long a server may take to accept a connection, and to answer what it has at hand; in milliseconds. */
  readonly patienceMs: number;
}

/** No answer, and no refusal either. */
export class NoAnswer extends Error {}

/** As large as Spark's own clients and its server let a message be. */
const mostBytes = 128 * 2 ** 20;

/**
 * The way to one server: requests with one answer, and with a stream of them.
 *
 * What fails is thrown as gRPC tells it (ServiceError), or as NoAnswer.
 */
export class Channel {
  readonly #connection: Connection;
  readonly #options: ChannelOptions;
  readonly #metadata = new Metadata();
  #client: Client;

  constructor(connection: Connection, options: ChannelOptions) {
    this.#connection = connection;
    this.#options = options;
    for (const [name, value] of Object.entries(connection.headers)) this.#metadata.set(name, value);
    // As a header: gRPC's own credentials refuse to go to a server on this machine without TLS.
    if (connection.token !== undefined) this.#metadata.set("authorization", `Bearer ${connection.token}`);
    this.#client = this.#opened();
  }

  /** Asks for one answer, which must come within the channel's patience unless told that it may take long. */
  async ask<Q, A>(
    { name, request, response }: Method<Q, A>,
    question: Q,
    { signal, mayTakeLong }: { signal?: AbortSignal | undefined; mayTakeLong?: boolean } = {},
  ): Promise<A> {
    await this.#connected();
    signal?.throwIfAborted();
    return await new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        path(name),
        (value: Q) => Buffer.from(request.encode(value)),
        (bytes) => response.decode(bytes),
        question,
        this.#metadata,
        mayTakeLong ? {} : { deadline: Date.now() + this.#options.patienceMs },
        (error, answer) => {
          signal?.removeEventListener("abort", stop);
          if (error) reject(signal?.aborted ? signal.reason : error);
          else resolve(answer as A);
        },
      );
      const stop = () => call.cancel();
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  /** Asks for a stream of answers; no more of them are taken from the server than are read here. */
  async stream<Q, A>({ name, request, response }: Method<Q, A>, question: Q): Promise<ClientReadableStream<A>> {
    await this.#connected();
    return this.#client.makeServerStreamRequest(
      path(name),
      (value: Q) => Buffer.from(request.encode(value)),
      (bytes) => response.decode(bytes),
      question,
      this.#metadata,
    );
  }

  close(): void {
    this.#client.close();
  }

  /** Waits until there is a connection or a reason why there is none, which the call then tells. */
  async #connected(): Promise<void> {
    const { IDLE, CONNECTING, TRANSIENT_FAILURE } = connectivityState;
    const until = Date.now() + this.#options.patienceMs;
    // What failed before would fail the call at once, although the server may be back.
    if (this.#client.getChannel().getConnectivityState(false) === TRANSIENT_FAILURE) {
      this.#client.close();
      this.#client = this.#opened();
    }
    const channel = this.#client.getChannel();
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state !== IDLE && state !== CONNECTING) return;
      await new Promise<void>((resolve, reject) => {
        channel.watchConnectivityState(state, until, (error) => (error ? reject(new NoAnswer()) : resolve()));
      });
    }
  }

  #opened(): Client {
    const { isEncrypted, host } = this.#connection;
    return new Client(placeOf(this.#connection), this.#credentials(isEncrypted), {
      "grpc.max_receive_message_length": mostBytes,
      "grpc.max_send_message_length": mostBytes,
      // Shared connections would keep other clients' failures.
      "grpc.use_local_subchannel_pool": 1,
      // A proxy that is set for the web knows nothing of this machine.
      ...(/^(localhost|127\.|::1)/.test(host) ? { "grpc.enable_http_proxy": 0 } : {}),
    });
  }

  #credentials(isEncrypted: boolean): ChannelCredentials {
    const { certificates } = this.#options;
    if (!isEncrypted) return credentials.createInsecure();
    return credentials.createSsl(certificates === undefined ? null : Buffer.from(certificates));
  }
}

function path(method: string): string {
  return `/spark.connect.SparkConnectService/${method}`;
}

/** Is it a failure as gRPC tells it? */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "metadata" in error && "details" in error && "code" in error;
}
