import type { IncomingMessage, ServerResponse } from "node:http";

/** One body that is being received, and what it holds of the memory that all of them share. */
export interface BodyShare {
  /** More bytes have come. False where there is no room for them: the body is to be refused, and its share given back. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: () => void;
}

export interface BodyBudget {
  /** The given function ends the body: nothing has come of it for long, and others need its memory. */
  readonly open: (end: () => void) => BodyShare;
  /** Ends bodies of which nothing has come for too long; to be called every few seconds. */
  readonly sweep: () => void;
  readonly heldBytes: () => number;
}

/** Of each body so much is free: events of the floor are never refused for what others send. */
const freeBytes = 64 * 1024;
/** Before others need its memory, and after. */
const longestStillMs = 20_000;
const stillMs = 3_000;

interface Held {
  bytes: number;
  lastAt: number;
  readonly end: () => void;
}

/**
 * Bounds the memory of all bodies that are being received or worked on, whoever sends them. Where it is used up, a body of
 * which nothing has come for a while gives way; where all of them come on, the one that asks for more is refused.
 */
export function bodyBudget({ maxBytes, now }: { readonly maxBytes: number; readonly now: () => number }): BodyBudget {
  /** In the order of their last bytes, the longest still first. */
  const all = new Set<Held>();
  let heldBytes = 0;

  const free = (held: Held) => {
    if (!all.delete(held)) return;
    heldBytes -= held.bytes;
    held.bytes = 0;
  };
  const endStill = (ms: number): boolean => {
    for (const held of all) {
      if (now() - held.lastAt < ms) return false;
      free(held);
      held.end();
      return true;
    }
    return false;
  };

  return {
    open: (end) => {
      const held: Held = { bytes: 0, lastAt: now(), end };
      let receivedBytes = 0;
      let isOver = false;
      return {
        take: (bytes) => {
          if (isOver) return false;
          const free = Math.max(0, freeBytes - receivedBytes);
          receivedBytes += bytes;
          const counted = Math.max(0, bytes - free);
          // Out and in again: the set keeps the order of the last bytes.
          all.delete(held);
          while (heldBytes + counted > maxBytes) if (!endStill(stillMs)) break;
          const isRoom = heldBytes + counted <= maxBytes;
          all.add(held);
          held.lastAt = now();
          if (!isRoom) return false;
          held.bytes += counted;
          heldBytes += counted;
          return true;
        },
        giveBack: () => {
          isOver = true;
          free(held);
        },
      };
    },
    sweep: () => {
      while (endStill(longestStillMs));
    },
    heldBytes: () => heldBytes,
  };
}

const responses = new WeakMap<IncomingMessage, ServerResponse>();

/** To be told of every request that may have a large body, before it is read. */
export const rememberResponse = (request: IncomingMessage, response: ServerResponse): void => {
  responses.set(request, response);
};

/** Calls when the answer has gone out, or nobody is there to take it. Not for small bodies, which nobody remembers. */
export function whenAnswered(request: IncomingMessage, then: () => void): void {
  const response = responses.get(request);
  if (response === undefined) request.once("close", then);
  else response.once("close", then);
}
