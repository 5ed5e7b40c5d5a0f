import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { contains, networkOf } from "../../sdk/http/private-address.ts";

/** Whether an address lies in one of the networks; a text that is none matches nothing. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const lists = networks.flatMap((network) => networkOf(network) ?? []);
  return (address) => isIP(address) !== 0 && lists.some((list) => contains(list, address));
}

/**
 * Who calls. Behind a proxy that is trusted, the last address of `X-Forwarded-For` that is not itself such a proxy:
 * everything before it was written by the caller, and may be made up.
 */
export function clientAddress(request: Pick<FastifyRequest, "raw">, isProxy: (address: string) => boolean): string {
  let address = plainAddress(request.raw.socket.remoteAddress ?? "");
  if (!isProxy(address)) return address;
  const header = request.raw.headers["x-forwarded-for"];
  const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  for (const hop of hops.reverse()) {
    const next = plainAddress(hop.trim());
    if (isIP(next) === 0) return address;
    address = next;
    if (!isProxy(address)) return address;
  }
  return address;
}

/** An IPv4 address in IPv6 clothes is the IPv4 address: lists are written with that. */
const plainAddress = (address: string): string => {
  const bare = address.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return inner ?? bare;
};
