import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Timers } from "../../kit/time/timers.ts";
import type { Mount } from "./mount.ts";
import { shortestWaitMs } from "./wait-limits.ts";

/** A handler that can be replaced while requests come: by an owner, by one that passes requests on, and back. */
export interface ExchangedHandler extends Pick<Mount, "serve" | "leave"> {
  readonly handle: RequestListener;
  /** Ends the requests that still wait; further ones lose their connection. */
  readonly close: () => void;
}

export interface ExchangedHandlerNeeds {
  readonly timers: Timers;
  /** Answers a request for which there was no handler in time. */
  readonly answerLate: RequestListener;
}

/** Requests that come while there is no handler wait for the next one. */
export function exchangedHandler({ timers, answerLate }: ExchangedHandlerNeeds): ExchangedHandler {
  let current: RequestListener | null = null;
  let isClosed = false;
  const waiting = new Map<ServerResponse, () => void>();

  const wait = (request: IncomingMessage, response: ServerResponse) => {
    const forget = () => {
      cancel();
      waiting.delete(response);
      response.off("close", forget);
    };
    const cancel = timers.after(shortestWaitMs, () => {
      forget();
      answerLate(request, response);
    });
    // The caller has hung up.
    response.once("close", forget);
    waiting.set(response, () => {
      forget();
      current?.(request, response);
    });
  };

  return {
    handle: (request, response) => {
      if (current !== null) current(request, response);
      else if (isClosed) response.destroy();
      else wait(request, response);
    },
    serve: (next) => {
      current = next;
      for (const begin of [...waiting.values()]) begin();
    },
    leave: (left) => {
      if (current === left) current = null;
    },
    close: () => {
      isClosed = true;
      for (const response of [...waiting.keys()]) response.destroy();
    },
  };
}
