import { constants, openSync, readSync } from "node:fs";
import { Session } from "node:inspector";
import { isatty } from "node:tty";
import { parentPort, workerData } from "node:worker_threads";
import { type StopKeyData, slot } from "./stop-key.ts";

const tickMs = 100;
/** Ticks without a beat after which the main thread counts as busy. */
const patience = 3;
const ctrlC = 0x03;

const port = parentPort!;
// A cast because worker data comes as it was sent, by stop-key.ts alone.
const data = workerData as StopKeyData;
const state = new Int32Array(data.state);
const terminal = opened();
const isTerminal = terminal !== null && isatty(terminal);
const buffer = new Uint8Array(256);

/** The terminal; null where it went away before this thread began. */
function opened(): number | null {
  try {
    return openSync(data.path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENXIO" || code === "EIO") return null;
    throw error;
  }
}

/** Is ctrl-c among what was typed? The rest is dropped, as the prompt drops it while a cell runs. */
function isPressed(): boolean {
  if (terminal === null) return endProgram();
  try {
    const length = readSync(terminal, buffer);
    if (length === 0 && isTerminal) return endProgram();
    return buffer.subarray(0, length).includes(ctrlC);
  } catch (error) {
    // Nothing was typed.
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? false : endProgram();
  }
}

/** The terminal is gone, so nobody can ever stop what keeps the main thread busy. */
function endProgram(): false {
  process.kill(process.pid, "SIGKILL");
  return false;
}

/** Ends what the main thread is doing with an exception that can't be caught. */
function terminate(): void {
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
  port.postMessage("stopped");
}

let lastBeat = -1;
let silent = 0;

setInterval(() => {
  const beat = Atomics.load(state, slot.beat);
  const isSilent = Atomics.load(state, slot.running) === 1 && beat === lastBeat;
  silent = isSilent ? silent + 1 : 0;
  lastBeat = beat;
  if (silent >= patience && isPressed()) terminate();
}, tickMs);
