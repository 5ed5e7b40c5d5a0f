import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface RequestsInProgress {
  /** Settles when every request is answered; those that take longer lose their connection. */
  readonly finished: (withinMs: number) => Promise<void>;
}

/**
 * The requests of a server that does not listen itself: it gets them from another listener, so closing it waits for
 * none of them.
 */
export function requestsInProgress(server: Server): RequestsInProgress {
  const running = new Set<ServerResponse>();
  let onEmpty = () => {};
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    running.add(response);
    response.once("close", () => {
      running.delete(response);
      if (running.size === 0) onEmpty();
    });
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
