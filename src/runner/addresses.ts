import { lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const closed = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  closed.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  ["::", 128],
  ["::1", 128],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  closed.addSubnet(network, bits, "ipv6");
}

/** Is the address one that a service may fetch from for a client? Loopback, private and mapped ones are not. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  if (mapped) return isIP(mapped) === 4 && isPublicAddress(mapped);
  const family = isIP(address);
  return family !== 0 && !closed.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** A DNS lookup that fails for addresses which aren't public, so that the check is on what is connected to. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0);
    const open = addresses.filter(({ address }) => isPublicAddress(address));
    if (open.length === 0) {
      return callback(Object.assign(new Error(`${hostname} has no public address`), { code: "ENOTPUBLIC" }), "", 0);
    }
    if (options.all) return callback(null, open);
    callback(null, open[0].address, open[0].family);
  });
};
