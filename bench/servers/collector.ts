import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

let messages = 0;
let bytes = 0;

/**
 * An OpenTelemetry collector that accepts everything and reads nothing. It usually runs on another machine, so it must
 * need as little as possible of this one.
 */
await serveJobs(async () => {
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => {
      messages++;
      response.writeHead(200, { "content-type": String(request.headers["content-type"]) }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The address of a server on a port has this type.
  const { port } = server.address() as AddressInfo;
  return { ready: { url: `http://127.0.0.1:${port}` }, run: () => ({ messages, bytes }) };
});
