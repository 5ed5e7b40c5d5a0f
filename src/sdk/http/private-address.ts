import { BlockList, isIP } from "node:net";

const ranges = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  // Link-local, and with it the address where clouds hand out credentials.
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
  // Unspecified, loopback, and IPv4 addresses in IPv6 clothes of any cut.
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

/** Networks by their text, `10.0.0.0/8` or a single address; null where a text is no network. */
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

/** Whether an address lies anywhere but in the public internet. */
export const isPrivateAddress = (address: string): boolean =>
  privateNetworks.some((network) => contains(network, address));

export const isLoopbackAddress = (address: string): boolean =>
  loopbackNetworks.some((network) => contains(network, address));
