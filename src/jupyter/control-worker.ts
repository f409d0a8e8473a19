import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import type { Reply, Router } from "zeromq";
import { type ControlData, type FromWorker, idle, loading, slot, type ToWorker } from "./control-protocol.ts";
import { loadZeromq } from "./tslab.ts";
import { addressOf, Message } from "./wire.ts";

/** A loop that keeps the main thread from answering this long is stopped. */
const runningPatienceMs = 150;
/** Between cells only a stray callback can block; the kernel's own work must not be taken for one. */
const idlePatienceMs = 1_000;
/** How often an interrupted cell's late callbacks are looked for, with the patience of an idle kernel each time. */
const stragglerLooks = 2;
const parentPollMs = 2_000;
/** Time for the main thread to close by itself once the client is gone. */
const orphanGraceMs = 3_000;

const port = parentPort!;
// A cast because worker data comes as it was sent, by control.ts alone.
const data = workerData as ControlData;
const state = new Int32Array(data.state);
const say = (message: FromWorker): void => port.postMessage(message);

/** Answers the stack of what the main thread is doing, also in the middle of a loop. */
const whereExpression = `(() => {
  const { stackTraceLimit, prepareStackTrace } = Error;
  try { Object.assign(Error, { stackTraceLimit: 1e4, prepareStackTrace: undefined }); return new Error().stack; }
  finally { Object.assign(Error, { stackTraceLimit, prepareStackTrace }); }
})() //# sourceURL=blocklab-where`;

const ownFolder = new URL("..", import.meta.url).href;

/** Is there anything but the kernel's own code and Node's on the stack? What an async frame awaits does not run. */
function isForeign(stack: unknown): boolean {
  if (typeof stack !== "string") return true;
  const frames = stack.split("\n").filter((line) => /^ +at (?!async )/.test(line));
  return frames.some(
    (line) =>
      !/blocklab-where|\(<anonymous>\)$|node:|[\\/]node_modules[\\/](?:tslab|zeromq)[\\/]/.test(line) &&
      !line.includes(ownFolder),
  );
}

/**
 * Stops what the main thread is doing, if that is not the kernel's own work: JavaScript there ends with an exception
 * that can't be caught.
 *
 * On a busy machine the main thread may merely be late with its answer, and the exception would hit the very code that
 * takes in messages.
 */
function stopForeign(then: () => void): void {
  const session = new Session();
  session.connectToMainThread();
  const where = { expression: whereExpression, returnByValue: true, silent: true };
  session.post("Runtime.evaluate", where, (error, answer?: { result?: { value?: unknown } }) => {
    if (!error && isForeign(answer?.result?.value)) {
      session.post("Runtime.terminateExecution", () => session.disconnect());
    } else session.disconnect();
    then();
  });
}

/**
 * Looks again and again until the main thread has seen the request numbered `wanted`, and answered the cell `meant`.
 *
 * A cell that was interrupted while it waited may have a timer whose callback loops before the answer is out.
 */
function insist(wanted: number, meant: number): void {
  const isDone = () => Atomics.load(state, slot.seen) >= wanted && Atomics.load(state, slot.ended) >= meant;
  if (isDone()) {
    if (meant > 0) watchStragglers(stragglerLooks);
    return;
  }
  const cell = Atomics.load(state, slot.cell);
  const patience = cell === idle ? idlePatienceMs : runningPatienceMs;
  setTimeout(() => {
    // While it loads nothing is stopped; but the first cell may then be a loop that hears nothing.
    const isStuck = !isDone() && cell !== loading && Atomics.load(state, slot.cell) === cell;
    if (isStuck) stopForeign(() => insist(wanted, meant));
    else insist(wanted, meant);
  }, patience);
}

/**
 * Goes on looking for a while after an interrupt, and stops what blocks the main thread between cells.
 *
 * A timer of the interrupted cell may fire only now and loop; nobody would think of interrupting a cell that has ended.
 */
function watchStragglers(looks: number): void {
  if (looks === 0) return;
  const wanted = ++sent;
  say({ kind: "ping", number: wanted });
  setTimeout(() => {
    const isBlocked = Atomics.load(state, slot.seen) < wanted && Atomics.load(state, slot.cell) === idle;
    if (isBlocked) stopForeign(() => watchStragglers(looks));
    else watchStragglers(looks - 1);
  }, idlePatienceMs).unref();
}

let sent = 0;

async function serveControl(control: Router): Promise<void> {
  for await (const frames of control) {
    const message = Message.decode(data.key, frames);
    if (!message) continue;
    const type = message.header.msg_type;
    const urgent = type === "interrupt_request" || type === "shutdown_request";
    if (urgent) sent++;
    const cell = Atomics.load(state, slot.begun);
    say({ kind: "control", frames, number: sent, cell });
    if (urgent) insist(sent, type === "interrupt_request" ? cell : 0);
  }
}

async function serveHeartbeat(heartbeat: Reply): Promise<void> {
  for await (const frames of heartbeat) await heartbeat.send(frames);
}

function parentIsGone(parent: number): boolean {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    // A parent of another user may be out of reach and still there.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Ends the kernel when the server that started it has died, as Jupyter expects of kernels. */
function watchParent(): void {
  const parent = process.ppid;
  const poll = setInterval(() => {
    if (!parentIsGone(parent)) return;
    clearInterval(poll);
    say({ kind: "orphaned" });
    setTimeout(() => process.kill(process.pid, "SIGKILL"), orphanGraceMs);
  }, parentPollMs);
}

async function main(): Promise<void> {
  const zmq = loadZeromq();
  const control = new zmq.Router({ linger: 1_000, sendTimeout: 0 });
  const heartbeat = new zmq.Reply({ linger: 0 });
  port.on("message", (message: ToWorker) => {
    if (message.kind === "send") {
      control
        .send(message.frames.map((frame) => (typeof frame === "string" ? frame : Buffer.from(frame))))
        .catch(() => undefined);
      return;
    }
    control.close();
    heartbeat.close();
    port.close();
  });
  await Promise.all([
    control.bind(addressOf(data.info, data.info.control_port)),
    heartbeat.bind(addressOf(data.info, data.info.hb_port)),
  ]);
  if (data.watchParent) watchParent();
  say({ kind: "ready" });
  await Promise.all([serveControl(control), serveHeartbeat(heartbeat)]);
}

await main();
