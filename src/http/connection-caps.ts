import type { Server } from "node:http";
import type { Socket } from "node:net";

/** A connection, and when it last began a request or was opened: a count, not a time. */
interface Connection {
  readonly socket: Socket;
  readonly address: string;
  lastUse: number;
}

/**
 * Bounds the connections of one address and of all together. Who has too many loses the one that was not used for longest;
 * so a proxy that keeps many open goes on as before, and whoever opens a thousand takes them from nobody but itself.
 */
export function connectionCaps(
  server: Server,
  { mostPerAddress, mostInAll }: { readonly mostPerAddress: number; readonly mostInAll: number },
): void {
  const byAddress = new Map<string, Set<Connection>>();
  const bySocket = new WeakMap<Socket, Connection>();
  /** Behind TLS a request has another socket than the connection: address and port tell which. */
  const byPort = new Map<string, Connection>();
  let count = 0;
  let uses = 0;

  const remove = (connection: Connection) => {
    const own = byAddress.get(connection.address);
    if (own?.delete(connection) !== true) return;
    count--;
    if (own.size === 0) byAddress.delete(connection.address);
  };
  const end = (connection: Connection | undefined) => {
    if (connection === undefined) return;
    remove(connection);
    connection.socket.destroy();
  };

  const opened = (socket: Socket) => {
    const { remoteAddress: address = "", remotePort: port = 0 } = socket;
    const connection: Connection = { socket, address, lastUse: ++uses };
    const own = byAddress.get(address) ?? new Set();
    byAddress.set(address, own.add(connection));
    bySocket.set(socket, connection);
    byPort.set(portName(address, port), connection);
    count++;
    socket.once("close", () => {
      remove(connection);
      if (byPort.get(portName(address, port)) === connection) byPort.delete(portName(address, port));
    });
    if (own.size > mostPerAddress) end(leastUsed(own));
    else if (count > mostInAll) end(leastUsed(largest(byAddress)));
  };

  server.on("connection", opened);
  server.on("secureConnection", (secured: Socket) => {
    const connection = byPort.get(portName(secured.remoteAddress ?? "", secured.remotePort ?? 0));
    if (connection !== undefined) bySocket.set(secured, connection);
  });
  server.on("request", ({ socket }: { socket: Socket }) => {
    const connection = bySocket.get(socket);
    if (connection !== undefined) connection.lastUse = ++uses;
  });
}

const portName = (address: string, port: number) => `${address}|${port}`;

const leastUsed = (connections: Iterable<Connection>): Connection | undefined => {
  let least: Connection | undefined;
  for (const one of connections) if (least === undefined || one.lastUse < least.lastUse) least = one;
  return least;
};

const largest = (byAddress: ReadonlyMap<string, Set<Connection>>): Iterable<Connection> => {
  let most = new Set<Connection>();
  for (const own of byAddress.values()) if (own.size > most.size) most = own;
  return most;
};
