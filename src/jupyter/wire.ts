import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { ConnectionInfo, Outlet, TslabMessage } from "./tslab.ts";

/** The version of the messaging protocol that the kernel speaks. */
export const protocolVersion = "5.4";

/** The header of a message: who sent what, when. */
export interface Header {
  version: string;
  date: string;
  session: string;
  username: string;
  msg_type: string;
  msg_id: string;
}

const delimiter = Buffer.from("<IDS|MSG>");
/** Names this process in every header, so that a client notices a restart. */
const kernelSession = randomUUID();

/** The address of a port; `ipc` joins with a dash. */
export function addressOf(info: Pick<ConnectionInfo, "transport" | "ip">, port: number): string {
  return `${info.transport}://${info.ip}${info.transport === "ipc" ? "-" : ":"}${port}`;
}

/** The signature of a message's parts; empty without a key, which is the protocol's way to switch signing off. */
export function sign(key: string, parts: readonly (Buffer | string)[]): string {
  if (key === "") return "";
  const hmac = createHmac("sha256", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest("hex");
}

function isAuthentic(key: string, signature: Buffer, parts: readonly Buffer[]): boolean {
  const wanted = Buffer.from(sign(key, parts));
  return signature.length === wanted.length && timingSafeEqual(signature, wanted);
}

function parseObject(part: Buffer): Record<string, unknown> {
  const value: unknown = JSON.parse(part.toString());
  if (typeof value !== "object" || value === null) throw new TypeError("a message part must be a JSON object");
  return value as Record<string, unknown>;
}

/**
 * A message of the Jupyter protocol.
 *
 * Takes the place of tslab's ZmqMessage, which parses before it checks the signature, and sends
 * binary buffers as JSON. Its members are those that tslab's server calls.
 */
export class Message implements TslabMessage {
  identity: Buffer[] = [];
  header: Header;
  parent: Partial<Header> = {};
  metadata: Record<string, unknown> = {};
  content: Record<string, unknown> = {};
  buffers: Buffer[] = [];

  constructor(type: string) {
    this.header = {
      version: protocolVersion,
      date: new Date().toISOString(),
      session: kernelSession,
      username: "kernel",
      msg_type: type,
      msg_id: randomUUID(),
    };
  }

  /** Reads a message; null when it is malformed or its signature is wrong, to be dropped without a word. */
  static decode(key: string, frames: readonly Buffer[]): Message | null {
    const at = frames.findIndex((frame) => frame.equals(delimiter));
    const parts = frames.slice(at + 2);
    if (at < 0 || parts.length < 4 || !isAuthentic(key, frames[at + 1], parts)) return null;
    try {
      const message = new Message("");
      message.identity = frames.slice(0, at);
      // A cast because headers are only read, field by field, and a client may leave fields out.
      message.header = parseObject(parts[0]) as unknown as Header;
      message.parent = parseObject(parts[1]);
      message.metadata = parseObject(parts[2]);
      message.content = parseObject(parts[3]);
      message.buffers = parts.slice(4);
      return message;
    } catch {
      return null;
    }
  }

  /** A message that answers this one, addressed to its sender. */
  createReply(type = this.header.msg_type.replace(/_request$/, "_reply")): Message {
    const reply = new Message(type);
    reply.identity = this.identity;
    reply.header.username = this.header.username;
    reply.parent = this.header;
    return reply;
  }

  /** The message's frames, signed. */
  encode(key: string): (Buffer | string)[] {
    const parts = [this.header, this.parent, this.metadata, this.content].map((part) => JSON.stringify(part));
    return [...this.identity, delimiter, sign(key, parts), ...parts, ...this.buffers];
  }

  /** Sends the message; a socket that is closing loses it, as it would lose one a moment later. */
  signAndSend(key: string, outlet: Outlet): void {
    const frames = this.encode(key);
    try {
      Promise.resolve(outlet.send(frames)).catch(() => undefined);
    } catch {}
  }
}
