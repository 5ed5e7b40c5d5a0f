import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Type } from "typebox";
import { Fault } from "../../operation/fault.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { contains, isLoopbackAddress, networkOf, type Resolve } from "./address-guard.ts";
import { decodedPart } from "./decoded-part.ts";

/** What a client needs from the machine it runs on. */
export interface Network {
  /** All addresses of a name. */
  readonly resolve: Resolve;
  /** The environment variables that name proxies; undefined means no proxy. */
  readonly environment?: Environment | undefined;
}

/** DNS and proxies of this machine. */
export const systemNetwork: Network = {
  resolve: (hostname) => lookup(hostname, { all: true, verbatim: true }),
  environment: process.env,
};

/** The environment variables about proxies. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyNeeds {
  /** The configured value: a URL, `none`, or undefined. */
  readonly proxy?: string | undefined;
  readonly environment?: Environment | undefined;
}

/**
 * Returns the proxy for a URL; null for a direct connection. The configuration overrides the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, lower case first). A proxy of the environment is never used for this
 * machine itself: for the proxy, "localhost" is a different machine.
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

/** The host without brackets and without the trailing dot of a fully qualified name. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/(.)\.$/, "$1");

const isThisMachine = (host: string): boolean =>
  isIP(host) === 0 ? host === "localhost" || host.endsWith(".localhost") : isLoopbackAddress(host);

function proxyUrl(text: string, name: string): URL {
  const problem = proxyProblem(text);
  if (problem !== null) throw new Fault("invalid", `${name}: ${problem}`);
  return new URL(withScheme(text));
}

/**
 * Whether `NO_PROXY` contains the host: `*`, a name (or `.name`) with all subdomains, `*.name` for subdomains only,
 * an address, or a network such as `10.0.0.0/8`; each optionally with a port.
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

/** Splits `host:port` and `[address]:port`. An IPv6 address without brackets has no port. */
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

/** The value of `proxy` for a direct connection, whatever the environment says. */
const noProxy = "none";

/** A connector's `proxy` setting. */
export const proxyOption = Type.Optional(
  Type.String({
    description:
      "Proxy to use, such as `http://proxy.example.com:3128`, with user name and password if it requires them; " +
      "`none`: connect directly. Default: as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.",
    minLength: 1,
  }),
);

const example = "http://proxy.example.com:3128";

/** Why a text is not a valid proxy; null if it is. The text itself may contain a password and is not repeated. */
export function proxyProblem(text: string): string | null {
  if (text === noProxy) return null;
  const url = URL.parse(withScheme(text));
  if (url === null) return `this is not the URL of a proxy, such as ${example}`;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `only http and https proxies can be used, such as ${example}`;
  }
  const hasMore = url.pathname !== "/" || url.search !== "" || url.hash !== "";
  return hasMore ? `the URL of a proxy must end with its port, such as ${example}` : null;
}

/** The problems of the setting `proxy`, for a connector's own check. */
export function proxyProblems(proxy: string | undefined, path: OptionProblem["path"] = ["proxy"]): OptionProblem[] {
  const text = proxy === undefined ? null : proxyProblem(proxy);
  return text === null ? [] : [{ path, text, hint: "Or none, to connect directly." }];
}

/** Adds the scheme, which is often left out: `proxy.corp:3128`. */
const withScheme = (text: string): string => (text.includes("://") ? text : `http://${text}`);

/** The password in a proxy's URL, which no text may show. */
export function proxySecrets(proxy: string | undefined): string[] {
  const { password = "" } = (proxy === undefined ? null : URL.parse(withScheme(proxy))) ?? {};
  return [password, decodedPart(password)];
}
