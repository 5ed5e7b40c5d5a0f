import type { IncomingMessage, ServerResponse } from "node:http";

/** Every way in which a receiver can fail to answer properly. None of them may count as delivered. */
export const misbehaviours = {
  hangs: () => {},
  resets: ({ request }) => request.socket.resetAndDestroy(),
  "hangs up": ({ request }) => request.socket.destroy(),
  "is broken": ({ response }) => response.writeHead(500, { "content-type": "text/plain" }).end("out of order"),
  "is unavailable": ({ response }) => response.writeHead(503).end(),
  "is busy": ({ response }) => response.writeHead(429, { "retry-after": "1" }).end(),
  "shows a login page": ({ response }) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Please log in</title>"),
  "answers garbage": ({ request }) => request.socket.end(Buffer.from("\x00\xff\x13garbage\r\n\r\n", "latin1")),
  "is cut off": ({ request, response }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"result":');
    setImmediate(() => request.socket.destroy());
  },
  "sends 1 GB": ({ response }) => pour(response, 2 ** 30),
  "sends elsewhere": ({ response }) => response.writeHead(307, { location: elsewhere }).end(),
} satisfies Record<string, (call: { request: IncomingMessage; response: ServerResponse }) => unknown>;

export type Misbehaviour = keyof typeof misbehaviours;

/** The target of redirects, where nothing may ever arrive, because redirects are not followed. */
export const elsewhere = "/elsewhere";

const chunk = Buffer.alloc(2 ** 16, " ");

function pour(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  let left = bytes;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}
