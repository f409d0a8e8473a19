import { writeSync } from "node:fs";

/** The exit status of a program whose terminal went away, as shells have it. */
export const hungUp = 129;

/** How long to wait for a terminal that is busy. */
const busyMs = 2;

/**
 * The terminal, written to past Node's stream.
 *
 * ctrl-c ends a loop with an exception that nothing can catch, most likely while the loop prints. Within the stream's
 * `write` it would leave the stream waiting for that write for ever, and the screen dead. Windows has no such
 * exception, and needs the stream for its letters.
 */
export function directScreen(stream: NodeJS.WriteStream & { readonly fd: number }): NodeJS.WriteStream {
  // Cells' output is diverted at the stream's own `write`; the app itself writes past that.
  const write = process.platform === "win32" ? stream.write.bind(stream) : writer(stream.fd);
  return Object.create(stream, { write: { value: write } });
}

function writer(fd: number) {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    writeAll(fd, typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // Without a terminal there is nobody left to write for.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(hungUp);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
    }
  }
}
