import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface RequestsInProgress {
  /** Settles when every request is answered. Requests that take longer lose their connection. */
  readonly finished: (withinMs: number) => Promise<void>;
}

/**
 * Counts the running requests of a server that does not listen itself. Its requests come from another listener, so
 * closing the server waits for none of them.
 */
export function requestsInProgress(server: Server): RequestsInProgress {
  const running = new Set<ServerResponse>();
  let onEmpty = () => {};
  /** One function for all answers: a function for each would cost every scan. */
  function forget(this: ServerResponse): void {
    running.delete(this);
    if (running.size === 0) onEmpty();
  }
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    running.add(response);
    response.on("close", forget);
  });
  return {
    finished: (withinMs) =>
      new Promise((resolve) => {
        if (running.size === 0) {
          resolve();
          return;
        }
        const force = setTimeout(() => {
          for (const response of running) response.destroy();
          resolve();
        }, withinMs);
        onEmpty = () => {
          clearTimeout(force);
          resolve();
        };
      }),
  };
}
