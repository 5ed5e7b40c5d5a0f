import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import type { Server as TlsServer } from "node:tls";
import type { Settings } from "../../config/settings.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import {
  backlog,
  createListener,
  limitsWithQueue,
  listenAtSocket,
  type ListenerNeeds as ServerNeeds,
} from "../../server/create-listener.ts";
import { takeLastRequests } from "./last-requests.ts";
import { type TlsFiles, tlsListener } from "./tls-listener.ts";

/** The listener of a process. It stays open while the roles of its deployments change. */
export interface ProcessListener {
  /** The address, without a base path. */
  readonly url: string;
  /** Reads the certificates again, from other files if they are given. */
  readonly reloadCertificates: (files: TlsFiles | undefined) => void;
  /**
   * Accepts no more connections, lets running requests finish while everything behind it is closed, and settles when
   * both are done.
   */
  readonly close: (closeBehind: () => Promise<unknown>) => Promise<void>;
}

export interface ListenerNeeds
  extends Pick<ServerNeeds, "handle" | "connections" | "groupOf">,
    Pick<Settings, "host" | "port"> {
  /** A socket of the service manager; absent: the process listens on the port. */
  readonly socketFd?: number | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /**
   * How long requests in progress may take before anything behind the listener is closed: those that wait for another
   * process need it. Absent: nothing waits for them.
   */
  readonly finishMs?: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** How long requests in progress may take at a stop, after everything behind the listener has begun to close. */
const closeMs = 2_000;
/** How long a connection that was accepted last may take to send its request. */
const firstRequestMs = 500;
const lookEveryMs = 20;

export async function openListener(needs: ListenerNeeds): Promise<ProcessListener> {
  const { handle, connections, groupOf, host, port, socketFd, finishMs, clock, timers, log } = needs;
  const during = async (isTrue: () => boolean, atMostMs: number) => {
    const until = timers.passed() + atMostMs;
    while (timers.passed() < until && isTrue())
      await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve));
  };
  const tls = needs.tls === undefined ? null : tlsListener({ files: needs.tls, clock, timers, log });
  const silent = silentConnections();
  const { server, hasUnanswered } = createListener({
    ...{ newReference, groupOf, connections: limitsWithQueue(connections, { socketFd, passed: timers.passed }) },
    handle: (request, response) => {
      silent.forget(request.socket);
      handle(request, response);
    },
    ...(tls === null ? {} : { tls: tls.options }),
  });
  server.on("connection", silent.opened);
  if (socketFd === undefined) await once(server.listen({ port, host, backlog }), "listening");
  else await listenAtSocket(server, socketFd);
  // The server was created with certificates; its declared type does not show that.
  tls?.follow(server as unknown as TlsServer);
  // A server on a port has an address of this kind.
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    reloadCertificates: (files) => tls?.reload(files),
    close: async (closeBehind) => {
      tls?.stop();
      await takeLastRequests(server);
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Behind the listener, nobody would answer a request that comes later.
      await during(() => silent.count() > 0, firstRequestMs);
      if (finishMs !== undefined) await during(hasUnanswered, finishMs);
      // At the same time: open consoles end with their deployment, and would keep the listener from closing.
      const closed = closeBehind();
      const force = setTimeout(() => server.closeAllConnections(), closeMs);
      try {
        await Promise.all([ended, closed]);
      } finally {
        clearTimeout(force);
      }
    },
  };
}

/**
 * Counts the connections from which no request has come. A stop waits a moment for them: a connection that was accepted
 * last may have its request on the way.
 */
function silentConnections() {
  // By address: with TLS, the socket of a request is not the one that was accepted.
  const silent = new Set<string>();
  return {
    opened: (socket: Socket) => {
      const name = nameOf(socket);
      silent.add(name);
      socket.once("close", () => silent.delete(name));
    },
    forget: (socket: Socket) => {
      // Nearly always nobody is silent, and then no request pays for a name.
      if (silent.size > 0) silent.delete(nameOf(socket));
    },
    count: () => silent.size,
  };
}

const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
