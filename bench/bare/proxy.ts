import { Agent, createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { childSettings, serveJobs } from "../harness/processes/serve-jobs.ts";

/** The minimum that passes requests on: the same library and kept connections, and nothing else. */
const { to } = childSettings<{ to: string }>();
const { hostname, port } = new URL(to);
const agent = new Agent({ keepAlive: true });

await serveJobs(async () => {
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = send({ hostname, port, method, path, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // A server on a port has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  };
  return { ready: { url }, close };
});
