import type { Server } from "node:http";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

/** How long open connections may send another request at a stop. It delays every stop that has any. */
const lastRequestsMs = 100;
const lookEveryMs = 20;

/**
 * Called at a stop, before connections are closed: a request may be on its way on a connection that looks idle, or may
 * have arrived without having been read. A close would reset it, and its sender could not know whether it was executed.
 * Every answer from now on says that its connection ends.
 */
export async function takeLastRequests(server: Server): Promise<void> {
  server.prependListener("request", (_request, response) => response.setHeader("connection", "close"));
  // Time of its own: it is the network that is waited for.
  const until = performance.now() + lastRequestsMs;
  while (performance.now() < until && (await openConnections(server)) > 0) await pause(lookEveryMs);
  // If the process was held up, its timers come first: what has arrived meanwhile would be reset without being read.
  await nextTurn();
}

const openConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
