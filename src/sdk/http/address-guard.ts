import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Fault } from "../fault.ts";
import { contains, isLoopbackAddress, isPrivateAddress, networkOf } from "./private-address.ts";

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface GuardNeeds {
  readonly url: URL;
  readonly allowHosts: readonly string[] | undefined;
  readonly allowPrivate: boolean | undefined;
  readonly resolve: Resolve;
}

/**
 * Finds the addresses that may be connected to. It stands between the name and the socket, so that what was
 * checked is what is connected: a name that points elsewhere a moment later gains nothing.
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
  // Sockets to a literal address never ask for a name, so it is checked here.
  if (isIP(host) !== 0 && isPrivateAddress(host) && allowPrivate === false) {
    throw new Fault("invalid", `${host} is a private address and allowPrivate is false`);
  }

  return lookupOf(resolve, isAllowed);
}

/** The same without a check, for what the operator named as the way to everything else. */
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
      : `${hostname} resolves to ${addresses}, which is not in the public internet: ` +
          "set allowPrivate: true, or list the network in allowHosts, if that is meant",
  );
}
