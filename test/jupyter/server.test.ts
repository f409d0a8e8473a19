import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KernelServer } from "../../src/jupyter/server.ts";
import { loadZeromq } from "../../src/jupyter/tslab.ts";
import { Message } from "../../src/jupyter/wire.ts";
import { freePorts } from "./client.ts";

const zmq = loadZeromq();
const key = "a key";

/** Asks the shell's port for the kernel's description before anybody listens there; answers once it has come. */
async function knock(port: number): Promise<string> {
  const client = new zmq.Dealer({ linger: 0, reconnectInterval: 1, receiveTimeout: 5_000 });
  try {
    client.connect(`tcp://127.0.0.1:${port}`);
    await client.send(new Message("kernel_info_request").encode(key));
    return Message.decode(key, await client.receive())?.header.msg_type ?? "not signed";
  } finally {
    client.close();
  }
}

it("answers all who were knocking while it opened its sockets", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-knocking-"));
  try {
    for (let round = 0; round < 20; round++) {
      const [shell_port, iopub_port, stdin_port, control_port, hb_port] = await freePorts(5);
      const ports = { shell_port, iopub_port, stdin_port, control_port, hb_port };
      const file = join(folder, `${round}.json`);
      writeFileSync(file, JSON.stringify({ ...ports, ip: "127.0.0.1", transport: "tcp", key }));
      const answers = Promise.all(Array.from({ length: 4 }, () => knock(shell_port)));
      await new Promise((resolve) => setTimeout(resolve, 5 + round));
      const server = new KernelServer(file, new Promise(() => undefined), () => undefined);
      try {
        await server.init();
        expect(await answers).toEqual(new Array(4).fill("kernel_info_reply"));
      } finally {
        await server.end();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
