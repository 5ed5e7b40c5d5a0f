import { Fault } from "../operation/fault.ts";
import type { MaskSecrets, RecordSent } from "../operation/record-sent.ts";
import type { Answer } from "./answers/read-body.ts";
import type { Authenticator, SentCredentials } from "./auth/renewable-credentials.ts";
import { addressGuard, unguardedLookup } from "./network/address-guard.ts";
import {
  type ConnectionPool,
  openPool,
  type PoolProxy,
  type Timeouts,
  type TlsFiles,
} from "./network/connection-pool.ts";
import { decodedPart } from "./network/decoded-part.ts";
import { exchange } from "./network/exchange.ts";
import { type Network, proxyFor } from "./network/proxy-choice.ts";

export interface ClientNeeds extends Network {
  /** The host of all requests. The client connects to no other. */
  readonly url: URL;
  readonly allowHosts?: readonly string[] | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly tls?: TlsFiles | undefined;
  readonly timeouts: Timeouts;
  readonly maxAnswerBytes: number;
  readonly decodes: boolean;
  /** The proxy to use, or `none`. Undefined: the proxy that the environment names. */
  readonly proxy?: string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /**
   * Whether sending the request twice changes nothing, such as a POST that only reads; absent: decided by the method.
   * Only such a request is sent again automatically if a kept connection turns out to be closed.
   */
  readonly isRepeatable?: boolean | undefined;
  /** The time until the answer is complete; absent: the client's own limit. */
  readonly timeoutMs?: number | undefined;
  /** Records what is sent and received for an event. */
  readonly record?: RecordSent | undefined;
  /** Whether the content of an answer means that the login has expired. */
  readonly isLoginExpired?: ((answer: Answer) => Promise<boolean>) | undefined;
}

export interface HttpClient {
  /**
   * Sends one request and returns its answer, whatever the status. Redirects are returned like any other answer and not
   * followed.
   */
  readonly send: (request: HttpRequest) => Promise<Answer>;
  readonly close: () => void;
}

const nothing = Buffer.alloc(0);

/** Sends requests to one host over kept-alive connections whose addresses were checked. */
export function httpClient(needs: ClientNeeds): HttpClient {
  const { url: home, tls = {}, timeouts, maxAnswerBytes, decodes, allowHosts, allowPrivate, resolve } = needs;
  const lookup = addressGuard({ url: home, allowHosts, allowPrivate, resolve });
  const proxyUrl = proxyFor(home, needs);
  // With a proxy, the proxy resolves the name. If private addresses are forbidden, the name is also resolved here and
  // must have a public address on this machine too.
  const proxy: PoolProxy | null =
    proxyUrl === null
      ? null
      : { url: proxyUrl, lookup: unguardedLookup(resolve), checksOrigin: allowPrivate === false };
  const own = loginOf(home);
  let pool: Promise<ConnectionPool> | null = null;
  let isClosed = false;
  return {
    send: async ({ method, url, headers, body = nothing, signal, timeoutMs, isRepeatable }) => {
      // The address check and the secrets are meant for the configured host only.
      if (url.origin !== home.origin) throw new Fault("rejected", `${url.origin} is not ${home.origin}`);
      if (isClosed) throw new Fault("unreachable", "the connections were closed");
      pool ??= openPool({ origin: home.origin, lookup, tls, connectMs: timeouts.connectMs, proxy });
      const all = { ...own, ...headers };
      const limits = timeoutMs === undefined ? timeouts : { ...timeouts, headersMs: timeoutMs, totalMs: timeoutMs };
      const given = {
        method,
        url,
        pool: await pool,
        headers: all,
        body,
        timeouts: limits,
        signal,
        maxAnswerBytes,
        decodes,
        isRepeatable,
      };
      return exchange(given);
    },
    close: () => {
      isClosed = true;
      // Running requests fail with their own errors, which reach their callers.
      pool?.then((opened) => opened.close()).catch(() => {});
    },
  };
}

/** User name and password in the URL itself. */
function loginOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const login = `${decodedPart(username)}:${decodedPart(password)}`;
  return { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

/**
 * A client that records what it really sends, including credentials, if the request asks for it. `mask` removes secrets
 * that only the connector knows.
 */
export function recordingClient(client: HttpClient, mask: MaskSecrets): HttpClient {
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

/** A client that authenticates its requests. Refused credentials are renewed once, and the request is sent again. */
export function authorisedClient(client: HttpClient, auth: Authenticator): HttpClient {
  return {
    send: async (request) => {
      const credentials = await auth.credentials();
      const answer = await client.send(withCredentials(request, credentials));
      const isExpired = auth.isRefused(answer) || (await request.isLoginExpired?.(answer)) === true;
      if (!isExpired || !auth.renew(credentials)) return answer;
      return client.send(withCredentials(request, await auth.credentials()));
    },
    close: () => {
      auth.close();
      client.close();
    },
  };
}

function withCredentials(request: HttpRequest, { headers, query }: SentCredentials): HttpRequest {
  const added = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return { ...request, url: withQuery(request.url, added), headers: { ...request.headers, ...headers } };
}

/** Appends the parameters as text: setting them on the URL would re-encode the whole query. */
function withQuery(url: URL, added: readonly string[]): URL {
  if (added.length === 0) return url;
  const extended = new URL(url);
  extended.search = [url.search.slice(1), ...added].filter((part) => part !== "").join("&");
  return extended;
}

const connection =
  /^(host|connection|keep-alive|content-length|content-encoding|transfer-encoding|upgrade|te|trailer|expect|proxy-.*)$/;
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Checks the configured headers. A header that the adapter sets itself, or that controls the connection, is refused.
 */
export function staticHeaders(given: Readonly<Record<string, string>>, own?: RegExp): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [givenName, value] of Object.entries(given)) {
    const name = givenName.toLowerCase();
    if (!token.test(name)) throw new Fault("invalid", `${JSON.stringify(givenName)} is not a valid header name`);
    if (own?.test(name) || connection.test(name)) {
      throw new Fault("invalid", `the header ${givenName} cannot be configured: it is set with each event`);
    }
    headers[name] = headerText(value);
  }
  return headers;
}

const encodeBytes = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");

/**
 * A value as CloudEvents write it into a header: everything but visible ASCII is percent-encoded,
 * quotes and percent signs too, so that decoding returns the exact value.
 */
export const attributeText = (text: string): string => text.replace(/[^\x21-\x7e]|["%]/gu, encodeBytes);

/**
 * Percent-encodes what a header cannot carry: line breaks, control characters, non-Latin letters. The rest of the
 * configured value stays unchanged.
 */
export const headerText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not get through.
  text.replace(/[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/gu, encodeBytes);
