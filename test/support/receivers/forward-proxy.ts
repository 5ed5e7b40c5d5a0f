import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";

export interface SeenByProxy {
  /** `CONNECT` for a tunnel, otherwise the method of the request that was passed on. */
  readonly method: string;
  /** The target as it is in the request line. */
  readonly target: string;
  readonly login: string | undefined;
}

export interface ForwardProxy {
  readonly url: string;
  readonly seen: SeenByProxy[];
  readonly connections: Socket[];
}

/**
 * A small proxy as in many company networks: tunnels with CONNECT, plain requests in absolute form. It connects every
 * name to this machine, at the requested port.
 */
export async function forwardProxy(
  refuse: (seen: SeenByProxy) => number | "silence" | "hang-up" | null = () => null,
  tls?: { readonly cert: string; readonly key: string },
): Promise<ForwardProxy> {
  const seen: SeenByProxy[] = [];
  const note = ({ method = "", url: target = "", headers }: IncomingMessage) => {
    const one = { method, target, login: headers["proxy-authorization"] };
    seen.push(one);
    return refuse(one);
  };
  const take: RequestListener = (request, response) => {
    const refused = note(request);
    if (refused === "silence") return;
    if (refused === "hang-up") request.socket.destroy();
    else if (refused !== null) response.writeHead(refused).end("the proxy says no");
    else passOn(request, response);
  };
  const server = tls === undefined ? createServer(take) : createSecureServer(tls, take);
  server.on("connect", (request: IncomingMessage, client: Duplex) => {
    client.on("error", () => {});
    const refused = note(request);
    if (refused === "silence") return;
    if (refused === "hang-up") client.destroy();
    else if (refused !== null) client.end(`HTTP/1.1 ${refused} No\r\nContent-Length: 0\r\n\r\n`);
    else tunnel(client, Number(request.url?.split(":").at(-1)));
  });
  const connections: Socket[] = [];
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // A server on a port has this type; only a server on a pipe has a string.
  const { port } = server.address() as AddressInfo;
  return { url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`, seen, connections };
}

function tunnel(client: Duplex, port: number): void {
  const far = connect(port, "127.0.0.1", () => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.pipe(client).pipe(far);
  });
  far.on("error", () => client.destroy());
  client.on("close", () => far.destroy());
  far.on("close", () => client.destroy());
}

function passOn(request: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(request.url ?? "");
  const { "proxy-authorization": _login, ...headers } = request.headers;
  const options = { host: "127.0.0.1", port: port || 80, path: pathname + search, method: request.method, headers };
  const far = requestHttp(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  far.on("error", () => response.destroy());
  request.pipe(far);
}
