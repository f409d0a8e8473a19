import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { ArgsError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";

/** Networks of IPv4 that are not the public internet (RFC 6890 and its successors). */
const closed = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  closed.addSubnet(network, bits, "ipv4");
}

/** Of IPv6 only 2000::/3 is routed, but for these: tunnels (Teredo, 6to4) that carry any IPv4 address, and examples. */
const routed = new BlockList();
routed.addSubnet("2000::", 3, "ipv6");
const tunnels = new BlockList();
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  tunnels.addSubnet(network, bits, "ipv6");
}

/** Is the address one that a service may fetch from for a client? Loopback, private and mapped ones are not. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  if (mapped) return isIP(mapped) === 4 && isPublicAddress(mapped);
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  return family === 6 && routed.check(address, "ipv6") && !tunnels.check(address, "ipv6");
}

/** Where a service may connect to for its clients: the public internet, and what its operator allows besides. */
export class Reach {
  readonly #names = new Set<string>();
  readonly #networks = new BlockList();

  /** `allowed`: names of hosts, addresses, and networks such as 10.1.0.0/16. */
  constructor(allowed: readonly string[] = []) {
    for (const entry of allowed) this.#allow(entry.trim().toLowerCase());
  }

  /** May it connect to that address, which it has for that host? */
  allows(host: string, address: string): boolean {
    if (isPublicAddress(address) || this.#names.has(host.toLowerCase().replace(/\.$/, ""))) return true;
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const family = isIP(plain);
    return family !== 0 && this.#networks.check(plain, family === 6 ? "ipv6" : "ipv4");
  }

  /** A DNS lookup that leaves out what may not be connected to: the check is on the address that is connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const open = addresses.filter(({ address }) => this.allows(hostname, address));
      if (open.length === 0) {
        return callback(Object.assign(new Error(`${hostname} has no public address`), { code: "ENOTPUBLIC" }), "", 0);
      }
      if (options.all) return callback(null, open);
      callback(null, open[0].address, open[0].family);
    });
  };

  #allow(entry: string): void {
    const [address, bits, ...more] = entry.replace(/^\[|\]$/g, "").split("/");
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    if (family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits ?? String(most)) && Number(bits ?? most) <= most) {
      this.#networks.addSubnet(address, Number(bits ?? most), family === 6 ? "ipv6" : "ipv4");
    } else if (family === 0 && bits === undefined && /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(address)) {
      this.#names.add(address);
    } else {
      throw new ArgsError(
        `--fetch-from takes names of hosts, addresses, and networks such as 10.1.0.0/16, got ${quoted(entry)}.`,
        { path: "fetch-from", got: entry },
      );
    }
  }
}
