import type { IncomingMessage, ServerResponse } from "node:http";

/** One body being received, and its share of the common memory limit. */
export interface BodyShare {
  /** More bytes have arrived. False if there is no room: refuse the body and release its share. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: () => void;
}

export interface BodyBudget {
  /** The given function aborts the body: it has received nothing for long, and its memory is needed. */
  readonly open: (end: () => void) => BodyShare;
  /** Aborts bodies that have received nothing for too long; call it every few seconds. */
  readonly sweep: () => void;
  readonly heldBytes: () => number;
}

/** So much of each body is free: events of the floor are never refused because of other bodies. */
const freeBytes = 64 * 1024;
/** The longest pause of a body while its memory is not needed, and while it is. */
const longestStillMs = 20_000;
const stillMs = 3_000;

interface Held {
  bytes: number;
  lastAt: number;
  readonly end: () => void;
}

/**
 * Limits the memory of all bodies being received or processed, whatever their sender. When it is used up, a body that
 * has received nothing for a while is aborted; if all are active, the body that needs more is refused.
 */
export function bodyBudget({ maxBytes, now }: { readonly maxBytes: number; readonly now: () => number }): BodyBudget {
  /** Ordered by their last bytes, the least recently active first. */
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
          // Removed and added again, so that the set stays ordered by the last bytes.
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

/** A budget of its own that is also limited by a common one: whoever uses up its own leaves room for the others. */
export function shareOf(common: BodyBudget, own: BodyBudget): BodyBudget {
  return {
    open: (end) => {
      const shares = [own.open(end), common.open(end)];
      return {
        take: (bytes) => shares.every((share) => share.take(bytes)),
        giveBack: () => {
          for (const share of shares) share.giveBack();
        },
      };
    },
    sweep: own.sweep,
    heldBytes: own.heldBytes,
  };
}

const responses = new WeakMap<IncomingMessage, ServerResponse>();

/** Call for every request that may have a large body, before it is read. */
export const rememberResponse = (request: IncomingMessage, response: ServerResponse): void => {
  responses.set(request, response);
};

/** Calls back when the answer was sent or the client is gone. Not for small bodies, which are not registered. */
export function whenAnswered(request: IncomingMessage, then: () => void): void {
  const response = responses.get(request);
  if (response === undefined) request.once("close", then);
  else response.once("close", then);
}
