import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import type { TlsOptions } from "node:tls";
import {
  answerInOrder,
  type ConnectionLimits,
  connectionCaps,
  type RequestOrder,
} from "./connection/connection-caps.ts";
import { continueWhenRead } from "./connection/expect-continue.ts";
import { problemAnswer, problemContentType } from "./contract/answer.ts";

/**
 * Connections are checked twice a second, so that a late request is found within the promised ten seconds, also on a busy
 * machine.
 */
export const within10s = { headersTimeout: 9_000, connectionsCheckingInterval: 500 };

/** The limits of every listener, whichever server its requests go to. */
export const listenerLimits = {
  // Long enough for large uploads over slow lines. Smaller bodies have a guard of their own.
  requestTimeout: 120_000,
  keepAliveTimeout: 72_000,
} as const;
/** Of a listener for one deployment: one address may have at most half of all connections. */
export const mostConnections = { mostPerAddress: 500, mostInAll: 1_000 };
/**
 * How many connections may wait until they are accepted. With Node's 511, a thousand that come at once from one address
 * make others wait for a second, until their system tries again.
 */
export const backlog = 4_096;
/** How long a process that was waited for may take to answer what had gathered in the queue. */
const queueMs = 10_000;

/**
 * A socket of the service manager takes connections while no process serves it. They are accepted all at once, and none
 * of them has had its answer, so those beyond the limits would be closed although their callers only waited.
 */
export function limitsWithQueue(
  limits: ConnectionLimits,
  { socketFd, passed }: { readonly socketFd?: number | undefined; readonly passed: () => number },
): ConnectionLimits {
  if (socketFd === undefined) return limits;
  let firstAt: number | null = null;
  const more = () => {
    firstAt ??= passed();
    return passed() - firstAt < queueMs ? backlog : 0;
  };
  return { ...limits, more };
}

/** Listens at the socket of the service manager. */
export async function listenAtSocket(server: Server, fd: number): Promise<void> {
  // Node takes the length of the queue from the argument only; with an option it would shorten the queue to 511.
  await once(server.listen({ fd }, backlog), "listening");
}

// Without a Host header Node would answer with an empty 400; our answer says what is wrong.
export const listenerEdges = { ...within10s, requireHostHeader: false };

export interface ListenerNeeds {
  readonly handle: RequestListener;
  readonly newReference: () => string;
  readonly connections: ConnectionLimits;
  /**
   * Connections of one address are counted by this name, so that a flood for one name takes no connections from
   * another. Absent: there is only one.
   */
  readonly groupOf?: ((request: IncomingMessage) => string) | undefined;
  /** Certificates; absent: plain HTTP. */
  readonly tls?: TlsOptions;
}

export interface Listener extends RequestOrder {
  readonly server: Server;
}

/** Listens for servers that do not listen themselves. Each request is passed on to the server it is meant for. */
export function createListener({ handle, newReference, connections, groupOf, tls }: ListenerNeeds): Listener {
  const limits = { ...listenerLimits, ...listenerEdges };
  const server: Server =
    tls === undefined
      ? createHttpServer(limits, handle)
      : createHttpsServer({ ...limits, handshakeTimeout: 10_000, ...tls }, handle);
  server.on("clientError", answerClientError(newReference));
  const noteUse = connectionCaps(server, { ...connections, ...(groupOf === undefined ? {} : { groupOf }) });
  const order = answerInOrder(server, noteUse);
  continueWhenRead(server);
  return { server, ...order };
}

/** Answers data that is not HTTP, is too long, or comes too late. */
export function answerClientError(newReference: () => string) {
  return (error: Error & { readonly code?: string }, socket: Duplex): void => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    const { body } = problemAnswer({ status, traceId: newReference() });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: ${problemContentType}\r\n` +
        `Content-Length: ${Buffer.byteLength(String(body))}\r\n\r\n${String(body)}`,
    );
  };
}
