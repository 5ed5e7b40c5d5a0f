import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Receiver {
  readonly url: string;
  /** Every connection that was ever opened. */
  readonly connections: Socket[];
  /** Resolves when no connection is open any more. */
  readonly allClosed: () => Promise<void>;
}

/** A server on the loopback address that does what the test says with each complete request. */
export async function receiver(
  answer: (response: ServerResponse, request: ReceivedRequest, position: number) => void,
): Promise<Receiver & { readonly requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const take: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const received = { method, path, headers, body: Buffer.concat(chunks) };
      requests.push(received);
      answer(response, received, requests.length);
    });
  };
  return { ...(await listening(createServer(take))), requests };
}

/**
 * A server for behaviour that no HTTP server has: the test gets the socket as soon as the first bytes of a request have
 * arrived.
 */
export async function rawReceiver(misbehave: (socket: Socket, position: number) => void): Promise<Receiver> {
  let position = 0;
  const server = createRawServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => {
      position += 1;
      misbehave(socket, position);
    });
  });
  return listening(server);
}

async function listening(server: Server): Promise<Receiver> {
  const connections: Socket[] = [];
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // A server on a port has this type; only a server on a pipe has a string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    connections,
    allClosed: async () => {
      const open = connections.filter((socket) => !socket.destroyed);
      await Promise.all(open.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    },
  };
}
