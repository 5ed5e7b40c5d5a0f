import type { LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Fault } from "../../operation/fault.ts";

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardNeeds {
  readonly url: URL;
  readonly allowHosts: readonly string[] | undefined;
  readonly allowPrivate: boolean | undefined;
  readonly resolve: Resolve;
}

/**
 * Finds the addresses that connections are allowed to. It runs between name resolution and the socket, so the checked
 * address is the one connected to: a name that resolves differently a moment later (DNS rebinding) gains nothing.
 */
export function addressGuard({ url, allowHosts, allowPrivate, resolve }: GuardNeeds): LookupFunction {
  const host = bareHost(url.hostname);
  const allowed = (allowHosts ?? [host]).map((entry) => entry.trim().toLowerCase());
  const networks = allowed.flatMap((entry) => networkOf(entry) ?? []);
  const isListed = (address: string) => networks.some((network) => contains(network, address));

  const isAllowed = (address: string): boolean => {
    if (isListed(address) || !isPrivateAddress(address)) return true;
    return allowPrivate ?? (isLocalName(host) && isLoopbackAddress(address));
  };

  const isNamed = allowed.some((entry) => bareHost(entry) === host) || (isIP(host) !== 0 && isListed(host));
  if (!isNamed) throw new Fault("invalid", `the host of ${url.origin} is not among allowHosts (${allowed.join(", ")})`);
  // A socket to a literal address resolves no name, so it is checked here.
  if (isIP(host) !== 0 && isPrivateAddress(host) && allowPrivate === false) {
    throw new Fault("invalid", `${host} is a private address and allowPrivate is false`);
  }

  return lookupOf(resolve, isAllowed);
}

/** A lookup without a check, for the proxy that the operator configured. */
export const unguardedLookup = (resolve: Resolve): LookupFunction => lookupOf(resolve, () => true);

const lookupOf =
  (resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const wanted = found.filter(({ family }) => !options.family || familyOf(options.family) === family);
        const usable = wanted.filter(({ address }) => isAllowed(address));
        const [first] = usable;
        if (first === undefined) callback(notAllowed(hostname, wanted), "");
        else if (options.all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };

const bareHost = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");
const familyOf = (family: number | "IPv4" | "IPv6"): number => (family === "IPv4" ? 4 : family === "IPv6" ? 6 : family);

function notAllowed(hostname: string, found: readonly LookupAddress[]): Fault {
  const addresses = found.map(({ address }) => address).join(", ");
  return new Fault(
    "unreachable",
    addresses === ""
      ? `${hostname} has no address`
      : `${hostname} resolves to ${addresses}, which is not a public address: ` +
          "set allowPrivate: true, or list the network in allowHosts, if this is intended",
  );
}

const ranges = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, which includes the metadata address where clouds hand out credentials.
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Unspecified, loopback, and IPv4 addresses in any IPv6 notation.
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2001:db8::/32",
  "2002::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

/** Reads a network such as `10.0.0.0/8`, or a single address. Returns null if the text is not a network. */
export function networkOf(text: string): BlockList | null {
  const [address = "", bits, ...rest] = text.replace(/^\[(.*)\]$/, "$1").split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return null;
  const maxBits = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? maxBits : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (!(prefix <= maxBits)) return null;
  const list = new BlockList();
  list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
  return list;
}

export const contains = (network: BlockList, address: string): boolean =>
  network.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

const privateNetworks = ranges.flatMap((range) => networkOf(range) ?? []);
const loopbackNetworks = ["127.0.0.0/8", "::1"].flatMap((range) => networkOf(range) ?? []);

/** Whether an address is not a public internet address. */
const isPrivateAddress = (address: string): boolean => privateNetworks.some((network) => contains(network, address));

export const isLoopbackAddress = (address: string): boolean =>
  loopbackNetworks.some((network) => contains(network, address));
