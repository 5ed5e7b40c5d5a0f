import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** A connection, and when it last began a request or was opened: a counter, not a time. */
interface Connection {
  readonly socket: Socket;
  /** Its address; with groups, also the group of its last request. */
  group: string;
  lastUse: number;
}

/**
 * Limits the connections per address and in total. Above a limit the least recently used one is closed. So a proxy
 * with many connections is not affected, and a client that opens a thousand only loses its own.
 */
export function connectionCaps(
  server: Server,
  {
    mostPerAddress,
    mostInAll,
    groupOf,
  }: {
    readonly mostPerAddress: number;
    readonly mostInAll: number;
    /** Connections of one address are also told apart by this name of their last request. */
    readonly groupOf?: (request: IncomingMessage) => string;
  },
): void {
  const byGroup = new Map<string, Set<Connection>>();
  const bySocket = new WeakMap<Socket, Connection>();
  /** With TLS the socket of a request is not that of the connection: they are matched by address and port. */
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
    if (own.size > mostPerAddress) end(leastUsed(own));
    else if (count > mostInAll) end(leastUsed(largest(byGroup)));
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
  server.on("request", (request: IncomingMessage) => {
    const connection = bySocket.get(request.socket);
    if (connection === undefined) return;
    connection.lastUse = ++uses;
    if (groupOf === undefined) return;
    const group = `${request.socket.remoteAddress ?? ""} ${groupOf(request)}`;
    // It was ended meanwhile, or is in the right group.
    if (connection.group === group || byGroup.get(connection.group)?.has(connection) !== true) return;
    remove(connection);
    connection.group = group;
    add(connection);
  });
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
 * Closes connections that send a small body too slowly. The server's own limit must allow large files over slow lines;
 * without this one, a thousand idle senders could hold every connection for two minutes.
 */
export function slowBodyGuard(
  app: FastifyInstance,
  { maxMs, sparedBytes }: { maxMs: number; sparedBytes: number },
): void {
  const reading = new Map<IncomingMessage, number>();
  let sweeps = 0;
  const sweepMs = 5_000;
  const sweep = setInterval(() => {
    sweeps++;
    for (const [request, since] of reading) {
      if ((sweeps - since) * sweepMs > maxMs) request.destroy();
      if (request.destroyed) reading.delete(request);
    }
  }, sweepMs);
  sweep.unref();

  // On the server itself: a hook of the library would run for every scan, which has no body.
  app.server.on("request", (request: IncomingMessage) => {
    if (request.method === "GET" || Number(request.headers["content-length"]) > sparedBytes) return;
    reading.set(request, sweeps);
    request.once("end", () => reading.delete(request));
  });
  app.addHook("onClose", (_instance, done) => {
    clearInterval(sweep);
    done();
  });
}

/**
 * Keeps reading after an answer that was sent before the body was complete. Many clients, among them those of .NET,
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
    let looks = 0;
    const timer = setInterval(() => {
      looks++;
      // Dropped data causes no data events: only the connection knows how much it was.
      if (looks * everyMs >= maxMs || socket.bytesRead - bytesRead > maxBytes) request.destroy();
    }, everyMs);
    timer.unref();
    const stop = () => clearInterval(timer);
    request.once("end", stop).once("close", stop);
    request.resume();
  });
}

const everyMs = 200;
