import { connect, type Socket } from "node:net";
import { serveJobs } from "../../harness/processes/serve-jobs.ts";

/** Opens connections that stop in the middle of a request, and keeps them open. */
export type SocketsJob = Sockets | "stop";

export interface Sockets {
  readonly url: string;
  readonly count: number;
  /** The local addresses that the connections come from, in turn. */
  readonly from: readonly string[];
  /** The head of each request, or a part of it. */
  readonly head: string;
  /** Bytes of the body that are sent after the head. */
  readonly bodyBytes: number;
}

/** Of each connection, the milliseconds until the other side closed it; null for those that are still open. */
export type SocketsResult = readonly (number | null)[];

const mebi = new Uint8Array(2 ** 20).fill(0x20);
let sockets: { readonly socket: Socket; closedAfterMs: number | null }[] = [];

await serveJobs(() => ({
  run: async (given): Promise<SocketsResult | null> => {
    const job = given as SocketsJob;
    if (job !== "stop") {
      sockets = Array.from({ length: job.count }, (_, nth) => opened(job, nth));
      return null;
    }
    const result = sockets.map(({ closedAfterMs }) => closedAfterMs);
    for (const { socket } of sockets) socket.destroy();
    return result;
  },
}));

function opened({ url, from, head, bodyBytes }: Sockets, nth: number): (typeof sockets)[number] {
  const { port, hostname } = new URL(url);
  const startedAt = performance.now();
  const socket = connect({
    ...{ port: Number(port), host: hostname },
    localAddress: from[nth % from.length] ?? "127.0.0.1",
  });
  const one = { socket, closedAfterMs: null as number | null };
  // A connection that the other side resets has been closed by it.
  socket.on("error", () => {});
  socket.on("close", () => {
    one.closedAfterMs ??= performance.now() - startedAt;
  });
  socket.resume();
  socket.write(head);
  sendBody(socket, bodyBytes);
  return one;
}

/** Sends as fast as the other side reads. What it never reads must not fill the memory of this process. */
function sendBody(socket: Socket, bytes: number): void {
  let left = bytes;
  const goOn = () => {
    while (left > 0 && !socket.destroyed) {
      const part = mebi.subarray(0, Math.min(left, mebi.length));
      left -= part.length;
      if (!socket.write(part)) {
        socket.once("drain", goOn);
        return;
      }
    }
  };
  goOn();
}
