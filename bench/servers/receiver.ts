import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { machineMs } from "../harness/machine-ms.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/**
 * The external system that gets the events. It uses plain sockets and one prepared answer, because it usually runs on
 * another machine and must need as little as possible of this one.
 */
export type ReceiverJob =
  /** Number of events that have arrived so far. */
  | "count"
  /** The events since the previous call. */
  | "take";

export interface Arrival {
  readonly order: string;
  readonly atMs: number;
}

const headEnd = "\r\n\r\n";
const answer = Buffer.from("HTTP/1.1 204 No Content\r\n\r\n");

let count = 0;
let arrivals: Arrival[] = [];

await serveJobs(async () => {
  const server = createServer((socket) => receive(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The address of a server on a port has this type.
  const { port } = server.address() as AddressInfo;
  return {
    ready: { url: `http://127.0.0.1:${port}/events` },
    run: (job) => {
      if (job === ("count" satisfies ReceiverJob)) return count;
      const taken = arrivals;
      arrivals = [];
      return taken;
    },
  };
});

function receive(socket: Socket): void {
  let received = "";
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    for (let length = requestLength(received); length <= received.length; length = requestLength(received)) {
      note(received.slice(0, length));
      received = received.slice(length);
      socket.write(answer);
    }
  });
}

/** Returns the length of the first request in the text; Infinity while its headers are incomplete. */
function requestLength(text: string): number {
  const end = text.indexOf(headEnd);
  if (end === -1) return Number.POSITIVE_INFINITY;
  return end + headEnd.length + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
}

function note(request: string): void {
  if (!request.startsWith("POST ")) return;
  count++;
  arrivals.push({ order: /\r\nce-subject: (.*)\r\n/i.exec(request)?.[1] ?? "", atMs: machineMs() });
}
