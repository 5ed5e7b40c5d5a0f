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

const place = Symbol("place");
interface Listed extends ServerResponse {
  [place]?: Place;
}
/** A place in a ring of responses. */
interface Place {
  readonly response: ServerResponse | null;
  before: Place | null;
  after: Place | null;
}

/**
 * The responses are linked with one another. In a set that every request enters and leaves, V8 would keep what former
 * tables of the set held, with all that belongs to the request, until the next full garbage collection.
 */
export function requestsInProgress(): RequestsInProgress {
  const ring: Place = { response: null, before: null, after: null };
  ring.before = ring;
  ring.after = ring;
  const isEmpty = () => ring.after === ring;
  let onEmpty = () => {};

  const destroyAll = () => {
    // Ending a response may end others, so each one is looked up from the beginning.
    for (let first = ring.after; first !== null && first.response !== null; first = ring.after) {
      leave(first);
      first.response.destroy();
    }
  };

  return {
    begin: (response: Listed) => {
      const last = ring.before;
      const own: Place = { response, before: last, after: ring };
      ring.before = own;
      if (last !== null) last.after = own;
      response[place] = own;
    },
    end: (response: Listed) => {
      const own = response[place];
      if (own === undefined) return;
      leave(own);
      if (isEmpty()) onEmpty();
    },
    finished: (withinMs) =>
      new Promise((resolve) => {
        if (isEmpty()) {
          resolve();
          return;
        }
        const force = setTimeout(() => {
          destroyAll();
          resolve();
        }, withinMs);
        onEmpty = () => {
          clearTimeout(force);
          resolve();
        };
      }),
  };
}

/** Takes it out of the ring. It keeps no link: as garbage it would keep everything that came after it. */
function leave(own: Place): void {
  if (own.before !== null) own.before.after = own.after;
  if (own.after !== null) own.after.before = own.before;
  own.before = null;
  own.after = null;
}
