import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { closeAtOnce, limitCrumbs } from "./body-parser.ts";
import { msSinceBegin } from "./request-marks.ts";

/** A connection and its last use: the time it was opened or last began a request, as a counter. */
interface Connection {
  readonly socket: Socket;
  /** The address; with groups, also the group of the last request. */
  group: string;
  lastUse: number;
}

export interface ConnectionLimits {
  readonly mostPerAddress: number;
  readonly mostInAll: number;
  /** How many more may be open at this moment. Absent: none. */
  readonly more?: () => number;
}

/**
 * Limits the connections per address and in total. Above a limit the least recently used connection is closed. So a
 * proxy with many connections is not affected, and a client that opens a thousand only loses its own.
 *
 * Returns a function that is to be called with each request when it begins.
 */
export function connectionCaps(
  server: Server,
  {
    mostPerAddress,
    mostInAll,
    more = () => 0,
    groupOf,
  }: ConnectionLimits & {
    /** Connections of one address are also counted apart by this name, which is taken from the last request. */
    readonly groupOf?: (request: IncomingMessage) => string;
  },
): (request: IncomingMessage) => void {
  const byGroup = new Map<string, Set<Connection>>();
  const bySocket = new WeakMap<Socket, Connection>();
  /** With TLS the socket of a request differs from that of the connection, so they are matched by address and port. */
  const byPort = new Map<string, Connection>();
  let count = 0;
  let uses = 0;

  const remove = (connection: Connection) => {
    const own = byGroup.get(connection.group);
    if (own?.delete(connection) !== true) return;
    count--;
    if (own.size === 0) byGroup.delete(connection.group);
  };
  const add = (connection: Connection) => {
    const own = byGroup.get(connection.group) ?? new Set();
    byGroup.set(connection.group, own.add(connection));
    count++;
    const extra = more();
    // Two for each that is opened, so that many above the limits get fewer, but not in one long step.
    for (let closed = 0; closed < 2; closed++) {
      if (own.size > mostPerAddress + extra) end(leastUsed(own));
      else if (count > mostInAll + extra) end(leastUsed(largest(byGroup)));
    }
  };
  const end = (connection: Connection | undefined) => {
    if (connection === undefined) return;
    remove(connection);
    connection.socket.destroy();
  };

  const opened = (socket: Socket) => {
    const { remoteAddress: address = "", remotePort: port = 0 } = socket;
    const connection: Connection = { socket, group: address, lastUse: ++uses };
    bySocket.set(socket, connection);
    byPort.set(portName(address, port), connection);
    socket.once("close", () => {
      remove(connection);
      if (byPort.get(portName(address, port)) === connection) byPort.delete(portName(address, port));
    });
    add(connection);
  };

  server.on("connection", opened);
  server.on("secureConnection", (secured: Socket) => {
    const connection = byPort.get(portName(secured.remoteAddress ?? "", secured.remotePort ?? 0));
    if (connection !== undefined) bySocket.set(secured, connection);
  });
  return (request) => {
    const connection = bySocket.get(request.socket);
    if (connection === undefined) return;
    connection.lastUse = ++uses;
    if (groupOf === undefined) return;
    const group = `${request.socket.remoteAddress ?? ""} ${groupOf(request)}`;
    // The connection has ended meanwhile, or already is in the right group.
    if (connection.group === group || byGroup.get(connection.group)?.has(connection) !== true) return;
    remove(connection);
    connection.group = group;
    add(connection);
  };
}

const portName = (address: string, port: number) => `${address}|${port}`;

const leastUsed = (connections: Iterable<Connection>): Connection | undefined => {
  let least: Connection | undefined;
  for (const one of connections) if (least === undefined || one.lastUse < least.lastUse) least = one;
  return least;
};

const largest = (byGroup: ReadonlyMap<string, Set<Connection>>): Iterable<Connection> => {
  let most = new Set<Connection>();
  for (const own of byGroup.values()) if (own.size > most.size) most = own;
  return most;
};

/**
 * Closes connections that send a small body too slowly. The server's own time limit must allow large files over slow
 * lines; without this guard, a thousand idle senders could hold every connection for two minutes.
 *
 * Returns a function that is to be called with each request that may have a body. Connections are noted, not requests:
 * a map that every request enters and leaves is rebuilt all the time, and V8 keeps what its former tables held, with
 * all that belongs to the request, until the next full garbage collection.
 */
export function slowBodyGuard(
  app: FastifyInstance,
  { maxMs, sparedBytes }: { maxMs: number; sparedBytes: number },
): (request: IncomingMessage) => void {
  /** By connection, the request whose body may still be arriving; null if it may take its time. */
  const reading = new Map<Socket, IncomingMessage | null>();
  const sweep = setInterval(() => {
    for (const [socket, request] of reading) {
      if (socket.destroyed || request === null || request.complete || request.destroyed) reading.delete(socket);
      else if (msSinceBegin(request) > maxMs) request.destroy();
    }
  }, 5_000);
  sweep.unref();

  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
  return (request) => {
    reading.set(request.socket, Number(request.headers["content-length"]) > sparedBytes ? null : request);
  };
}

/**
 * Keeps reading after an answer that was sent before the body was complete. Many clients, for example those of .NET,
 * read the answer only after they have sent everything; if the connection is closed, they only see a broken pipe.
 * Limited by time and size, because the data is dropped.
 */
export function linger(
  request: IncomingMessage,
  response: ServerResponse,
  { maxMs, maxBytes }: { readonly maxMs: number; readonly maxBytes: number },
): void {
  response.once("finish", () => {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    const { bytesRead } = socket;
    let checks = 0;
    const timer = setInterval(() => {
      checks++;
      // Dropped data causes no data events, so the count comes from the connection.
      if (checks * everyMs >= maxMs || socket.bytesRead - bytesRead > maxBytes) request.destroy();
    }, everyMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    request.once("end", stop).once("close", stop);
    request.resume();
  });
}

const everyMs = 200;

/** No real client sends this many requests ahead, and a waiting request takes fifty times the memory of its bytes. */
const mostWaiting = 256;

/** A connection that has sent a request. */
interface Line {
  /** The answer to the running request; null between two requests. */
  running: ServerResponse | null;
  readonly waiting: (() => void)[];
}

export interface RequestOrder {
  /**
   * Whether a request has no answer yet. Answers that have begun do not count: consoles keep theirs open for hours.
   */
  readonly hasUnanswered: () => boolean;
}

/**
 * Begins a request only when the previous one on its connection is answered. A client may send hundreds of requests in
 * one packet, and Node would begin all of them at once, so that everybody else waits. The answers go out in order in
 * any case. `onBegin` is called first; each listener of the server would cost every scan.
 */
export function answerInOrder(server: Server, onBegin: (request: IncomingMessage) => void): RequestOrder {
  const lines = new Map<Socket, Line>();
  const emit = server.emit.bind(server);

  const lineOf = (socket: Socket): Line => {
    const known = lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { running: null, waiting: [] };
    lines.set(socket, line);
    socket.once("close", () => lines.delete(socket));
    return line;
  };
  /** One function for all answers: a function for each would cost every scan. */
  function beginNext(this: ServerResponse): void {
    const line = lines.get(this.req.socket);
    if (line === undefined) return;
    const next = line.waiting.shift();
    if (next === undefined) line.running = null;
    else setImmediate(next);
  }
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.running = response;
    response.on("close", beginNext);
    onBegin(request);
    emit("request", request, response);
  };

  // Replaces `emit` instead of adding a listener, because every listener has to wait for the request's turn.
  server.emit = (event: string, ...given: unknown[]): boolean => {
    if (event !== "request") return emit(event, ...given);
    // Node emits every request with these two.
    const [request, response] = given as [IncomingMessage, ServerResponse];
    const { socket } = request;
    // Only these bodies have chunks. They are rare, and others do not pay for the count.
    if (request.headers["transfer-encoding"] !== undefined) limitCrumbs(request);
    const line = lineOf(socket);
    if (line.running === null) begin(line, request, response);
    else if (line.waiting.length < mostWaiting) {
      line.waiting.push(() => {
        if (lines.has(socket)) begin(line, request, response);
      });
    } else closeAtOnce(socket);
    return true;
  };
  return {
    hasUnanswered: () =>
      lines.values().some(({ running, waiting }) => waiting.length > 0 || (running !== null && !running.headersSent)),
  };
}
