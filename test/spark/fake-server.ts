import { Metadata, Server, ServerCredentials, type ServerWritableStream, type sendUnaryData } from "@grpc/grpc-js";
import type { Method } from "../../src/spark/channel.ts";
import type { Response } from "../../src/spark/execution.ts";
import type { ExecutePlanRequest } from "../../src/spark/messages.ts";
import { ErrorInfo, Status } from "../../src/spark/messages.ts";
import * as methods from "../../src/spark/methods.ts";
import type { Of } from "../../src/spark/protobuf.ts";

/** A failure as gRPC and Spark tell it. */
export interface Failure {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

/** What the fake server does in place of Spark. */
export interface Behaviour {
  readonly version?: string;
  /** Refuses any call by its headers. */
  readonly guard?: (headers: Metadata) => Failure | null;
  /** Answers a run, and what it is taken up again with. */
  readonly execute?: (request: Of<typeof ExecutePlanRequest>, stream: Stream) => void;
  readonly reattach?: (request: { last_response_id?: string; operation_id?: string }, stream: Stream) => void;
  /** Doesn't answer such calls at all. */
  readonly silent?: readonly string[];
  /** Knows only sessions that it has not lost. */
  readonly isLost?: (session: string) => boolean;
}

export interface Stream {
  /** Answers false where the client has enough for now; `drained` is called when it wants more. */
  write(response: Response): boolean;
  drained(then: () => void): void;
  end(): void;
  fail(failure: Failure): void;
}

/** What the server was asked, in order. */
export type Asked = { readonly method: string; readonly request: Record<string, unknown> };

/** Starts a server that speaks the protocol and has no Spark behind it. */
export async function startFake(behaviour: Behaviour) {
  const asked: Asked[] = [];
  const server = new Server();
  const definition: Record<string, unknown> = {};
  const handlers: Record<string, unknown> = {};
  const refused = (name: string, request: unknown, headers: Metadata): Failure | null => {
    asked.push({ method: name, request: request as Record<string, unknown> });
    const { session_id = "" } = request as { session_id?: string };
    if (behaviour.isLost?.(session_id)) return sparkFailure("INVALID_HANDLE.SESSION_CLOSED", "The session was closed.");
    return behaviour.guard?.(headers) ?? null;
  };
  const define = (method: Method<never, never>, responseStream: boolean) => {
    definition[method.name] = {
      path: `/spark.connect.SparkConnectService/${method.name}`,
      requestStream: false,
      responseStream,
      requestDeserialize: (bytes: Buffer) => method.request.decode(bytes),
      responseSerialize: (value: never) => Buffer.from(method.response.encode(value)),
    };
  };
  const unary = <Q, A>(method: Method<Q, A>, answer: (request: Q) => A) => {
    define(method as unknown as Method<never, never>, false);
    handlers[method.name] = (call: { request: Q; metadata: Metadata }, done: sendUnaryData<A>) => {
      const failure = refused(method.name, call.request, call.metadata);
      if (failure) done(failure);
      else if (!behaviour.silent?.includes(method.name)) done(null, answer(call.request));
    };
  };
  const streaming = <Q>(method: Method<Q, Response>, answer?: (request: Q, stream: Stream) => void) => {
    define(method as unknown as Method<never, never>, true);
    handlers[method.name] = (call: ServerWritableStream<Q, Response>) => {
      const failure = refused(method.name, call.request, call.metadata);
      const fail = (error: Failure) => call.emit("error", error);
      if (failure) fail(failure);
      else
        answer?.(call.request, {
          write: (each) => call.write(each),
          drained: (then) => call.once("drain", then),
          end: () => call.end(),
          fail,
        });
    };
  };
  unary(methods.analyzePlan, () => ({
    server_side_session_id: "there",
    spark_version: { version: behaviour.version ?? "4.0.1" },
  }));
  unary(methods.config, () => ({}));
  unary(methods.interrupt, ({ operation_id = "" }) => ({ interrupted_ids: [operation_id] }));
  unary(methods.releaseExecute, () => ({}));
  unary(methods.releaseSession, () => ({}));
  streaming(methods.executePlan, behaviour.execute);
  streaming(methods.reattachExecute, behaviour.reattach as never);
  server.addService(definition as never, handlers as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `sc://127.0.0.1:${port}`, port, asked, stop: () => server.forceShutdown() };
}

/** A failure with an error class, as Spark tells it. */
export function sparkFailure(errorClass: string, text: string, parameters: Record<string, string> = {}): Failure {
  const info = ErrorInfo.encode({
    metadata: [
      { key: "errorClass", value: errorClass },
      { key: "messageParameters", value: JSON.stringify(parameters) },
    ],
  });
  const details = `[${errorClass}] ${text} SQLSTATE: 00000`;
  const metadata = new Metadata();
  const any = { type_url: "type.googleapis.com/google.rpc.ErrorInfo", value: info };
  metadata.set("grpc-status-details-bin", Buffer.from(Status.encode({ code: 13, message: details, details: [any] })));
  return { code: 13, details, metadata };
}
