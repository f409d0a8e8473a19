import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import {
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBListVector,
  DuckDBScalarFunction,
  type DuckDBVector,
  LIST,
} from "@duckdb/node-api";
import { messageOf } from "../../core/errors.ts";
import { type Call, columnIn, type FromThread, type Ring, type ThreadOptions, type ToThread } from "./call-messages.ts";
import { connectTo, openInstance, runOn } from "./instance.ts";
import { itemsIn, itemsOf, listOf } from "./read/chunks.ts";
import { forgetCopies } from "./read/copies.ts";
import { putInto } from "./read/putting.ts";
import type { Run } from "./read/runs.ts";

// Runs statements that call functions of ours: see `Calls`.
const port = parentPort as MessagePort;
const { drained, ...options } = workerData as ThreadOptions;

/** A statement that runs, and the slot that it fills next. */
interface Running extends Call {
  next: number;
  put?: (run: Run) => void;
  connection?: DuckDBConnection;
}

const running = new Map<number, Running>();
const idle: DuckDBConnection[] = [];
const instance = openInstance(options).then(async (opened) => {
  const connection = await opened.connect();
  for (const each of functions()) connection.registerScalarFunction(each);
  connection.closeSync();
  return opened;
});
// Who calls is told.
instance.catch(() => undefined);
let isEnding = false;

port.on("message", (message: ToThread) => {
  if ("call" in message) void run({ ...message.call, next: 0 });
  else if ("interrupt" in message) running.get(message.interrupt)?.connection?.interrupt();
  else if ("exit" in message) endAll();
  else void close();
});

async function run(call: Running): Promise<void> {
  running.set(call.id, call);
  let failed: string | null = null;
  try {
    const connection = idle.pop() ?? (await connectTo(await instance));
    call.connection = connection;
    try {
      if (isStopped(call)) throw new Error("stopped");
      if (call.targets) call.put = putInto(call.targets);
      await runOn(connection, call.text, call.values);
    } finally {
      idle.push(connection);
    }
  } catch (error) {
    failed = messageOf(error);
  }
  running.delete(call.id);
  tell({ id: call.id, failed });
}

function tell(message: FromThread): void {
  port.postMessage(message);
}

function isStopped({ ring }: Call): boolean {
  return isEnding || (ring !== undefined && Atomics.load(ring.state, 0) === 1);
}

/** The process ends: it waits until nothing runs here, since a statement in the middle of a call would end it badly. */
function endAll(): void {
  isEnding = true;
  // A statement that has only just begun takes no notice of the first interruption.
  for (const { connection } of running.values()) connection?.interrupt();
  if (running.size > 0) {
    setTimeout(endAll, 2);
    return;
  }
  Atomics.store(drained, 0, 1);
  Atomics.notify(drained, 0);
}

async function close(): Promise<void> {
  for (const connection of idle.splice(0)) connection.closeSync();
  (await instance.catch(() => null))?.closeSync();
  port.close();
}

/** The functions, under the names that SQL calls them by. */
function functions(): DuckDBScalarFunction[] {
  return [
    DuckDBScalarFunction.create({
      name: "blocklab_take",
      varArgsType: DOUBLE,
      returnType: DOUBLE,
      // Without this the engine may take a call for superfluous.
      volatile: true,
      specialHandling: true,
      mainFunction: (_info, chunk) => hand(chunk),
    }),
    DuckDBScalarFunction.create({
      name: "blocklab_item",
      parameterTypes: [DOUBLE, DOUBLE],
      returnType: DOUBLE,
      mainFunction: (_info, chunk, output) => lookUp(chunk, output),
    }),
    DuckDBScalarFunction.create({
      name: "blocklab_list",
      parameterTypes: [DOUBLE, DOUBLE],
      returnType: LIST(DOUBLE),
      // The engine would work it out while it plans, into a value of its own for each item.
      volatile: true,
      mainFunction: (_info, chunk, output) => listOut(chunk, output as DuckDBListVector),
    }),
  ];
}

/** The statement that calls; its number is the first argument. */
function callOf(chunk: DuckDBDataChunk): Running {
  const call = running.get(itemsOf<Float64Array>(chunk, 0)[0]!);
  if (!call || isStopped(call)) throw new Error("stopped");
  return call;
}

/** Puts the numbers of a chunk into their places, or into the next slot. */
function hand(chunk: DuckDBDataChunk): void {
  const call = callOf(chunk);
  const { ring, put } = call;
  const rows = chunk.rowCount;
  put?.({ rows, column: (k) => itemsOf<Float64Array>(chunk, k + 1).subarray(0, rows) });
  if (ring) fillSlot(call, ring, chunk);
  forgetCopies(chunk);
}

/** The next slot, once it is free. */
function fillSlot(call: Running, ring: Ring, chunk: DuckDBDataChunk): void {
  const rows = chunk.rowCount;
  const slot = call.next++ % ring.slots;
  while (Atomics.load(ring.state, 1 + slot) === 1) Atomics.wait(ring.state, 1 + slot, 1);
  if (isStopped(call)) throw new Error("stopped");
  for (let k = 0; k < ring.columns; k++) {
    columnIn(ring, slot, k, rows).set(itemsOf<Float64Array>(chunk, k + 1).subarray(0, rows));
  }
  Atomics.store(ring.state, 1 + slot, 1);
  tell({ id: call.id, slot, rows });
}

function lookUp(chunk: DuckDBDataChunk, output: DuckDBVector): void {
  const { items } = callOf(chunk);
  const rows = itemsOf(chunk, 1);
  const found = itemsIn(output);
  for (let i = 0; items && i < chunk.rowCount; i++) found[i] = items[rows[i]!]!;
  output.flush();
  forgetCopies(chunk);
}

function listOut(chunk: DuckDBDataChunk, output: DuckDBListVector): void {
  const list = callOf(chunk).lists?.[itemsOf(chunk, 1)[0]!];
  output.setItem(0, list ? listOf(list) : null);
  output.flush();
}
