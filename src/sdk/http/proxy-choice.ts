import { isIP } from "node:net";
import { Fault } from "../fault.ts";
import { contains, isLoopbackAddress, networkOf } from "./private-address.ts";
import { noProxy, proxyProblem, withScheme } from "./proxy-option.ts";

/** Variables of the process, as far as they are about proxies. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyNeeds {
  /** What the configuration says: an address, `none`, or nothing. */
  readonly proxy?: string | undefined;
  readonly environment?: Environment | undefined;
}

/**
 * The proxy for an address; null where it is reached directly. What is configured goes before the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, lower case first). This machine itself is never reached through a proxy of
 * the environment: "localhost" is somebody else there.
 */
export function proxyFor(url: URL, { proxy, environment = {} }: ProxyNeeds): URL | null {
  if (proxy === noProxy) return null;
  if (proxy !== undefined) return proxyUrl(proxy, "proxy");
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const given = variable(environment, name);
  if (given === "" || isThisMachine(bareHost(url))) return null;
  if (isExempt(url, variable(environment, "NO_PROXY"))) return null;
  return proxyUrl(given, name);
}

const variable = (environment: Environment, name: string): string =>
  (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();

/** The host without brackets and without the dot that a full name may end with. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/(.)\.$/, "$1");

const isThisMachine = (host: string): boolean =>
  isIP(host) === 0 ? host === "localhost" || host.endsWith(".localhost") : isLoopbackAddress(host);

function proxyUrl(text: string, name: string): URL {
  const problem = proxyProblem(text);
  if (problem !== null) throw new Fault("invalid", `${name}: ${problem}`);
  return new URL(withScheme(text));
}

/**
 * Whether `NO_PROXY` names the host: `*`, a name (or `.name`) with everything below it, `*.name` for what is below it only,
 * an address, a network such as `10.0.0.0/8`; each with a port where only that one is meant.
 */
function isExempt(url: URL, list: string): boolean {
  const host = bareHost(url);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const { name, port: only } = entryOf(entry);
      return (only === undefined || only === port) && isNamed(host, name);
    });
}

/** `host:port` and `[address]:port`; an address of version 6 without brackets has no port. */
function entryOf(entry: string): { name: string; port: string | undefined } {
  const [, bracketed, bare, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: (bracketed ?? bare ?? entry).replace(/(.)\.$/, "$1"), port };
}

function isNamed(host: string, name: string): boolean {
  if (name === "*") return true;
  const network = networkOf(name);
  if (network !== null) return isIP(host) !== 0 && contains(network, host);
  const suffix = name.replace(/^\*?\./, "");
  return host.endsWith(`.${suffix}`) || (host === suffix && !name.startsWith("*"));
}
