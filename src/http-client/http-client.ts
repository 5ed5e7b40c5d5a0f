import { Fault } from "../operation/fault.ts";
import type { RecordSent } from "../operation/record-sent.ts";
import type { Answer } from "./answers/read-body.ts";
import type { Authenticator, Proof } from "./auth/renewable-proof.ts";
import { addressGuard, unguardedLookup } from "./network/address-guard.ts";
import {
  type ConnectionPool,
  openPool,
  type PoolProxy,
  type Timeouts,
  type TlsFiles,
} from "./network/connection-pool.ts";
import { exchange } from "./network/exchange.ts";
import { type Network, proxyFor } from "./network/proxy-choice.ts";

export interface ClientNeeds extends Network {
  /** Its host is the only one this client ever talks to. */
  readonly url: URL;
  readonly allowHosts?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly tls?: TlsFiles | undefined;
  readonly timeouts: Timeouts;
  readonly maxAnswerBytes: number;
  readonly decodes: boolean;
  /** The proxy to go through, or `none`; absent: the one that the environment names. */
  readonly proxy?: string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Of an event: keeps what is really sent, and what comes back. */
  readonly record?: RecordSent | undefined;
}

export interface HttpClient {
  /** One request and its answer, whatever the status. Redirects are answers like any other: nothing follows them. */
  readonly send: (request: HttpRequest) => Promise<Answer>;
  readonly close: () => void;
}

const nothing = Buffer.alloc(0);

/** Requests to one host, over connections that are kept and whose addresses were checked. */
export function httpClient(needs: ClientNeeds): HttpClient {
  const { url: home, tls = {}, timeouts, maxAnswerBytes, decodes, allowHosts, allowPrivate, resolve } = needs;
  const lookup = addressGuard({ url: home, allowHosts, allowPrivate, resolve });
  const proxyUrl = proxyFor(home, needs);
  // Through a proxy it is the proxy that finds the address. Whoever rules private addresses out has the name looked up
  // here as well: it must have a public address on this machine, too.
  const proxy: PoolProxy | null =
    proxyUrl === null
      ? null
      : { url: proxyUrl, lookup: unguardedLookup(resolve), checksOrigin: allowPrivate === false };
  const own = loginOf(home);
  let pool: Promise<ConnectionPool> | null = null;
  let isClosed = false;
  return {
    send: async ({ method, url, headers, body = nothing, signal }) => {
      // The guard was made for the home's host, and so were the secrets that go along.
      if (url.origin !== home.origin) throw new Fault("rejected", `${url.origin} is not ${home.origin}`);
      if (isClosed) throw new Fault("unreachable", "the connections were closed");
      pool ??= openPool({ origin: home.origin, lookup, tls, connectMs: timeouts.connectMs, proxy });
      const all = { ...own, ...headers };
      const given = { method, url, pool: await pool, headers: all, body, timeouts, signal, maxAnswerBytes, decodes };
      return exchange(given);
    },
    close: () => {
      isClosed = true;
      // Requests under way end with an error of their own, which reaches who waits for them.
      pool?.then((opened) => opened.close()).catch(() => {});
    },
  };
}

/** User name and password that stand in the address itself. */
function loginOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

/**
 * A client that tells what it really sends, proof included, where the request wants it to be kept; `mask` takes out of it what
 * only the connector knows to be secret.
 */
export function recordingClient(client: HttpClient, mask: (text: string) => string): HttpClient {
  return {
    send: async (request) => {
      const { record, ...plain } = request;
      if (record === undefined) return client.send(plain);
      const { method, url, headers, body } = plain;
      const to = `${method} ${url.href}`;
      const answered = record({ to, headers, mask, ...(body === undefined ? {} : { body }) });
      const answer = await client.send(plain);
      answered({ status: answer.status, headers: answer.headers, body: answer.body });
      return answer;
    },
    close: client.close,
  };
}

/** A client whose requests show who asks. A proof that is not taken is replaced once, and the request sent again. */
export function authorisedClient(client: HttpClient, auth: Authenticator): HttpClient {
  return {
    send: async (request) => {
      const proof = await auth.proof();
      const answer = await client.send(withProof(request, proof));
      if (!auth.refusedStatuses.includes(answer.status) || !auth.renew(proof)) return answer;
      return client.send(withProof(request, await auth.proof()));
    },
    close: () => {
      auth.close();
      client.close();
    },
  };
}

function withProof(request: HttpRequest, { headers, query }: Proof): HttpRequest {
  const added = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return { ...request, url: withQuery(request.url, added), headers: { ...request.headers, ...headers } };
}

/** Added as text: setting them as parameters would write the whole query anew, in another spelling. */
function withQuery(url: URL, added: readonly string[]): URL {
  if (added.length === 0) return url;
  const extended = new URL(url);
  extended.search = [url.search.slice(1), ...added].filter((part) => part !== "").join("&");
  return extended;
}
