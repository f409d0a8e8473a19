import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy before a server that cuts its connections after so many bytes from the server, so many times. */
export async function cuttingProxy(port: number, { afterBytes, times }: { afterBytes: number; times: number }) {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    let bytes = 0;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.on("close", () => other.destroy());
    }
    near.pipe(far);
    far.on("data", (data) => {
      bytes += data.length;
      if (cuts < times && bytes > afterBytes) {
        cuts++;
        near.destroy();
      } else if (!near.write(data)) far.pause();
    });
    near.on("drain", () => far.resume());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    address: `sc://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close() {
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
}
