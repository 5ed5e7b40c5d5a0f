import type { ServerResponse } from "node:http";

/** The requests of one deployment: running ones, and those waiting for their turn. */
export interface Share {
  /** Runs a request now, or when it is this deployment's turn; never if the caller hangs up before. */
  readonly run: (response: ServerResponse, begin: () => void) => void;
  readonly running: () => number;
  readonly waiting: () => number;
}

interface Line {
  running: number;
  readonly waiting: Map<ServerResponse, () => void>;
}

/**
 * Divides the requests that run at the same time evenly among the deployments that have any. A deployment with a
 * thousand requests at once waits in its own line, and requests of other deployments do not wait behind it.
 */
export function fairShares({ mostAtOnce }: { readonly mostAtOnce: number }): { readonly open: () => Share } {
  const busy = new Set<Line>();

  const mayRun = (line: Line) => line.running < Math.max(1, Math.floor(mostAtOnce / busy.size));

  const begin = (line: Line, response: ServerResponse, start: () => void) => {
    line.running++;
    response.once("close", () => {
      line.running--;
      if (line.running === 0 && line.waiting.size === 0) busy.delete(line);
      // A deployment that is no longer busy leaves room for all others.
      for (const other of line.running === 0 ? busy : [line]) next(other);
    });
    start();
  };
  const next = (line: Line) => {
    for (const [response, start] of line.waiting) {
      if (!mayRun(line)) return;
      line.waiting.delete(response);
      begin(line, response, start);
    }
  };

  return {
    open: () => {
      const line: Line = { running: 0, waiting: new Map() };
      return {
        run: (response, start) => {
          // The caller hung up while the deployment was being opened.
          if (response.destroyed) return;
          busy.add(line);
          if (line.waiting.size === 0 && mayRun(line)) {
            begin(line, response, start);
            return;
          }
          line.waiting.set(response, start);
          response.once("close", () => {
            line.waiting.delete(response);
            if (line.running === 0 && line.waiting.size === 0) busy.delete(line);
          });
        },
        running: () => line.running,
        waiting: () => line.waiting.size,
      };
    },
  };
}
