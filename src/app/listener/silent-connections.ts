import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface SilentConnections {
  /** The number of connections that were accepted and have not sent a request yet. */
  readonly count: () => number;
}

/**
 * Follows the connections from which no request has come. A stop waits a moment for them: a connection that was accepted
 * last may have its request on the way.
 */
export function silentConnections(server: Server): SilentConnections {
  // By address: with TLS, the socket of a request is not the one that was accepted.
  const silent = new Set<string>();
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    silent.add(name);
    socket.once("close", () => silent.delete(name));
  });
  server.on("request", ({ socket }) => {
    // Nearly always nobody is silent, and then no request pays for a name.
    if (silent.size > 0) silent.delete(nameOf(socket));
  });
  return { count: () => silent.size };
}

const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
