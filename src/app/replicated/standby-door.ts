import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from "node:http";
import type { StandbyView } from "../../replication/standby/standby.ts";

/** Where a process is reached while another one owns the deployment. */
export interface StandbyDoor {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface DoorNeeds {
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
  readonly view: () => StandbyView;
}

/** Tells the owner that the request came through another process: it is not passed on again. */
const passedOn = "crossdock-passed-on";
/** How long requests that are being passed on may finish when the role changes. */
const finishMs = 500;
const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** Answers health checks itself and passes everything else on to the owner, so that callers may use any process. */
export async function openStandbyDoor({ host, port, basePath, view }: DoorNeeds): Promise<StandbyDoor> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (path === `${basePath}/health/live`) response.writeHead(200, json).end('{"live":true}');
    else if (path === `${basePath}/health/ready`) response.writeHead(503, json).end(JSON.stringify(readiness(view())));
    else passOn(request, response, view());
  });
  await listening(server, { host, port });
  // A server on a port has an address of this kind.
  const { port: bound } = server.address() as { port: number };
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}${basePath}`,
    close: () =>
      new Promise((resolve) => {
        // Whoever keeps a request open must not keep this process from taking over.
        const cut = setTimeout(() => server.closeAllConnections(), finishMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function readiness({ owner, ownerUrl, behind, position, trouble }: StandbyView) {
  const reason = trouble === null ? `standby; ${owner ?? "nobody"} owns the deployment` : `standby: ${trouble}`;
  return { ready: false, reasons: [reason], standby: { owner, ownerUrl, behind, position } };
}

function passOn(request: IncomingMessage, response: ServerResponse, { ownerUrl }: StandbyView): void {
  const refuse = (text: string) => {
    request.resume();
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { ...json, "retry-after": "1" }).end(JSON.stringify({ error: text }));
  };
  if (ownerUrl === null || request.headers[passedOn] !== undefined) {
    refuse("this process is a standby, and no owner can be reached");
    return;
  }
  const { hostname, port } = new URL(ownerUrl);
  const { method, url: path, headers } = request;
  const onward = send({ hostname, port, method, path, headers: { ...headers, [passedOn]: "1" } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  onward.on("error", () => refuse("the owner of the deployment did not answer"));
  // The caller hung up: the owner should know, or it would take the answer for received.
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}
