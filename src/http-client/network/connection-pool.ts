import { type LookupFunction, Socket } from "node:net";
import { getCACertificates } from "node:tls";
import type { buildConnector, Client, Dispatcher } from "undici";
import type { Timers } from "../../kit/time/timers.ts";

/** Idle connections are kept this long, because the next event or scan usually comes sooner. */
const idleMs = 30_000;
/**
 * The library's timers fire this much later than our own, so that our error text is used. They only end requests that
 * nobody waits for.
 */
const graceMs = 1_000;

export interface TlsFiles {
  /** Certificates (PEM) to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Client certificate and key (PEM), if the server requires them. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface PoolNeeds {
  readonly origin: string;
  /** Finds the addresses of the origin that connections are allowed to. */
  readonly lookup: LookupFunction;
  readonly tls: TlsFiles;
  readonly connectMs: number;
  readonly proxy: PoolProxy | null;
}

export interface PoolProxy {
  readonly url: URL;
  /** Finds the addresses of the proxy. */
  readonly lookup: LookupFunction;
  /** Whether the origin's name is also checked here, before the proxy connects to it. */
  readonly checksOrigin: boolean;
}

/** The connection that a request was given. */
export interface Connection {
  /** The current socket; null before the first one, and while a proxy is connecting. */
  readonly socket: () => Socket | null;
  /** How many requests its socket has carried, including this one. */
  readonly countRequest: () => number;
  /** Must be called when the answer is complete. */
  readonly answered: () => void;
}

export interface ConnectionPool {
  readonly dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void;
  readonly connectionOf: (handler: Dispatcher.DispatchHandler) => Connection | undefined;
  readonly close: () => Promise<void>;
}

/** Loading waits this long, because a start has more urgent work in its first moments. */
const loadAfterMs = 1_000;

/**
 * Loads the library soon after the start. Otherwise the first request would load it and hold up everybody for some 80
 * ms. Returns a function that cancels the loading.
 */
export const loadSoon = (timers: Pick<Timers, "after">): (() => void) =>
  // If loading fails, the first request reports why.
  timers.after(loadAfterMs, () => void import("undici").catch(() => {}));

/** Connections to one origin, directly or through a proxy, with one request at a time on each. */
export async function openPool({ origin, lookup, tls, connectMs, proxy }: PoolNeeds): Promise<ConnectionPool> {
  // Loaded only when needed: loading takes a while, and many installations make no requests.
  const undici = await import("undici");
  const connections = new WeakMap<Dispatcher.DispatchHandler, Connection>();
  const timeout = connectMs + graceMs;
  const trusted = tls.ca === undefined ? {} : { ca: [...getCACertificates("default"), tls.ca] };
  const secure = { ...trusted, ...given("cert", tls.cert), ...given("key", tls.key) };
  const common = {
    // With pipelining, a second request would fail together with the first and be resent without our knowledge.
    pipelining: 1,
    // With HTTP/2, a lost connection would end all requests, and early answers would have a different meaning.
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // Each exchange has its own timers, counted from its start.
    headersTimeout: 0,
    bodyTimeout: 0,
  } satisfies Client.Options;
  const poolTo = (to: string | URL, connect: buildConnector.connector) =>
    new undici.Pool(to, {
      ...common,
      connect,
      factory: (at) => followedClient(at, connect),
    });

  function followedClient(to: URL, connect: buildConnector.connector): Client {
    const followed = followSocket(connect, answered);
    const client = new undici.Client(to, { ...common, connect: followed.connect });
    const dispatch = client.dispatch.bind(client);
    client.dispatch = (request, handler) => {
      connections.set(handler, followed);
      return dispatch(request, handler);
    };
    return client;
  }

  const open = (): Dispatcher => {
    if (proxy === null) {
      return poolTo(origin, undici.buildConnector({ ...secure, lookup, allowH2: false, timeout }));
    }
    return new undici.ProxyAgent({
      uri: proxy.url.href,
      allowH2: false,
      requestTls: { ...secure, timeout },
      // The client certificate is for the origin only; the proxy has its own login.
      proxyTls: { ...trusted, lookup: proxy.lookup, timeout },
      factory: (to, options) => poolTo(to, throughProxy(connectOf(options), proxy, { origin, lookup })),
      // Used only for tunnels: a proxy that accepts the connection and stays silent must time out too.
      clientFactory: (to, options) => new undici.Pool(to, { ...options, ...common, headersTimeout: timeout }),
    });
  };

  // undici releases a connection one turn after its answer. A request sent at once would open a second connection.
  let freeing: Promise<void> | null = null;
  function answered(): void {
    const released = new Promise<void>((resolve) => queueMicrotask(() => setImmediate(resolve)));
    freeing = released;
    void released.then(() => {
      if (freeing === released) freeing = null;
    });
  }

  const dispatcher = open();
  return {
    dispatch: (options, handler) => {
      if (freeing === null) dispatcher.dispatch(options, handler);
      else void freeing.then(() => dispatcher.dispatch(options, handler));
    },
    connectionOf: (handler) => connections.get(handler),
    close: () => dispatcher.destroy(),
  };
}

const given = <Name extends string>(name: Name, value: string | undefined) =>
  // The object has exactly this one member.
  (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: string };

/**
 * The `connect` in the arguments of ProxyAgent's factory. The agent makes connections itself, so it is always a
 * function.
 */
const connectOf = (options: object): buildConnector.connector =>
  (options as { readonly connect: buildConnector.connector }).connect;

/** Opens connections through a proxy. Their errors name the proxy, because it causes most of them. */
function throughProxy(
  connect: buildConnector.connector,
  { url, checksOrigin }: PoolProxy,
  { origin, lookup }: Pick<PoolNeeds, "origin" | "lookup">,
): buildConnector.connector {
  const open: buildConnector.connector = (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new Error(`no connection through the proxy ${url.origin}`, { cause: error }), null);
    });
  if (!checksOrigin) return open;
  return (options, callback) =>
    lookup(new URL(origin).hostname, { all: true }, (error) => {
      if (error === null) open(options, callback);
      else callback(error, null);
    });
}

/** Tracks the socket of one pool slot from its opening. */
function followSocket(
  open: buildConnector.connector,
  answered: () => void,
): Connection & { readonly connect: buildConnector.connector } {
  let socket: Socket | null = null;
  let requests = 0;
  let expectAnswer = () => {};
  return {
    socket: () => socket,
    answered,
    countRequest: () => {
      expectAnswer();
      requests += 1;
      return requests;
    },
    connect: (options, callback) => {
      requests = 0;
      socket = null;
      const opening: unknown = open(options, (...[error, opened]) => {
        if (error !== null) {
          callback(error, null);
          return;
        }
        socket = opened;
        expectAnswer = skipContinue(opened);
        callback(null, opened);
      });
      // A direct connection can be aborted while it is being opened.
      if (opening instanceof Socket && socket === null) socket = opening;
    },
  };
}

/** Timeouts, each counted from the start of the request. */
export interface Timeouts {
  /** Until the connection is established, including DNS and TLS. */
  readonly connectMs: number;
  /** Until the answer begins. */
  readonly headersMs: number;
  /** Until the answer is complete. */
  readonly totalMs: number;
}

export const defaultTimeouts: Timeouts = { connectMs: 3_000, headersMs: 10_000, totalMs: 15_000 };

const interimStart = Buffer.from("HTTP/1.1 100");
const interimEnd = Buffer.from("\r\n\r\n");
/** An interim answer has one or two lines; longer input goes to the parser, which ends the connection. */
const maxInterimBytes = 1_024;

/**
 * Removes interim answers `100 Continue` from a socket's input. Old SOAP services and proxies send them
 * without being asked, and clients must ignore them (RFC 9110, 15.2); undici ends the connection instead. The returned
 * function announces that an answer is expected: within a body the same bytes are content.
 */
function skipContinue(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let isDue = false;
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (chunk === null || !isDue) return chunk;
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    while (rest.length > 0 && mayBeInterim(rest)) {
      const endsAt = rest.indexOf(interimEnd);
      if (endsAt === -1 && rest.length > maxInterimBytes) break;
      if (endsAt === -1) {
        held = rest;
        return null;
      }
      rest = rest.subarray(endsAt + interimEnd.length);
    }
    if (rest.length === 0) return null;
    isDue = false;
    return rest;
  };
  return () => {
    isDue = true;
  };
}

function mayBeInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, interimStart.length);
  return bytes.subarray(0, length).equals(interimStart.subarray(0, length));
}
