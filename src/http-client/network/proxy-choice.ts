import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Type } from "typebox";
import { Fault } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { contains, isLoopbackAddress, networkOf, type Resolve } from "./address-guard.ts";

/** What a client needs of the machine it runs on. */
export interface Network {
  /** All addresses of a name. */
  readonly resolve: Resolve;
  /** Where the proxies are named; absent: there are none. */
  readonly environment?: Environment | undefined;
}

/** The names and proxies of this machine. */
export const systemNetwork: Network = {
  resolve: (hostname) => lookup(hostname, { all: true, verbatim: true }),
  environment: process.env,
};

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

/** Goes directly, whatever the environment says. */
const noProxy = "none";

/** The setting of a connector that names its proxy. */
export const proxyOption = Type.Optional(
  Type.String({
    description:
      "Proxy to go through, such as `http://proxy.example.com:3128`, with user name and password where it wants them; " +
      "`none`: go directly. Absent: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.",
    minLength: 1,
  }),
);

const example = "http://proxy.example.com:3128";

/** Why a text names no proxy; null where it does. The text itself may hold a password and is not repeated. */
export function proxyProblem(text: string): string | null {
  if (text === noProxy) return null;
  const url = URL.parse(withScheme(text));
  if (url === null) return `this is no address of a proxy, such as ${example}`;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `only http and https proxies can be used, such as ${example}`;
  }
  const hasMore = url.pathname !== "/" || url.search !== "" || url.hash !== "";
  return hasMore ? `the address of a proxy ends with its port, such as ${example}` : null;
}

/** What is wrong with the setting `proxy`, for a connector's own check. */
export function proxyProblems(proxy: string | undefined, path: OptionProblem["path"] = ["proxy"]): OptionProblem[] {
  const text = proxy === undefined ? null : proxyProblem(proxy);
  return text === null ? [] : [{ path, text, hint: "Or none, to go directly." }];
}

/** Many write `proxy.corp:3128`. */
const withScheme = (text: string): string => (text.includes("://") ? text : `http://${text}`);

/** The password in the address of a proxy, which no text may show. */
export function proxySecrets(proxy: string | undefined): string[] {
  const { password = "" } = (proxy === undefined ? null : URL.parse(withScheme(proxy))) ?? {};
  return [password, decodeURIComponent(password)];
}
