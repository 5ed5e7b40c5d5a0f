import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { longAnswerOf } from "../../test/support/receivers/long-answers.ts";
import { serveJobs } from "../harness/processes/serve-jobs.ts";

/** An ERP that answers with single records of some megabytes. */
await serveJobs(async () => {
  const server = createServer((request, response) => {
    const body = longAnswerOf(request.url ?? "/");
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The address of a server on a port has this type.
  const { port } = server.address() as AddressInfo;
  return {
    ready: { url: `http://127.0.0.1:${port}` },
    run: () => null,
    close: async () => void server.closeAllConnections(),
  };
});
