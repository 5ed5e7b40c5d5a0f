import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Requests whose senders wait for permission to send the body. */
const asking = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Answers `Expect: 100-continue` only when the body is going to be read. Node answers it at once, and the client then
 * sends megabytes that are refused because of their length or a missing key.
 */
export function continueWhenRead(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    asking.set(request, response);
    // Without the permission it is unclear whether the next bytes are the body or another request.
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    response.once("continue", () => {
      response.shouldKeepAlive = shouldKeepAlive;
    });
    server.emit("request", request, response);
  });
}

/** Call it when the body of a request is about to be read. */
export function giveLeave(request: IncomingMessage): void {
  const response = asking.get(request);
  if (response === undefined) return;
  asking.delete(request);
  response.writeContinue();
  response.emit("continue");
}
