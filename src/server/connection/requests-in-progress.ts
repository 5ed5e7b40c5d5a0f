import type { ServerResponse } from "node:http";

/**
 * The running requests of a server that does not listen itself. Its requests come from another listener, so closing the
 * server waits for none of them.
 */
export interface RequestsInProgress {
  readonly begin: (response: ServerResponse) => void;
  readonly end: (response: ServerResponse) => void;
  /** Settles when every request is answered. Requests that take longer lose their connection. */
  readonly finished: (withinMs: number) => Promise<void>;
}

export function requestsInProgress(): RequestsInProgress {
  const running = new Set<ServerResponse>();
  let onEmpty = () => {};
  return {
    begin: (response) => void running.add(response),
    end: (response) => {
      running.delete(response);
      if (running.size === 0) onEmpty();
    },
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
