import type { IncomingMessage, ServerResponse } from "node:http";

/** A body that is being received, and its share of the common memory limit. */
export interface BodyShare {
  /** Counts bytes that have arrived. Returns false if there is no room: then refuse the body and release its share. */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: () => void;
}

export interface BodyBudget {
  /** `end` aborts the body. It is called if the body has received nothing for a while and its memory is needed. */
  readonly open: (end: () => void) => BodyShare;
  /** Aborts bodies that have received nothing for too long; call it every few seconds. */
  readonly sweep: () => void;
  readonly heldBytes: () => number;
}

/** This much of each body is not counted, so events of the floor are never refused because of other bodies. */
const freeBytes = 64 * 1024;
/** The longest pause of a body: the first limit holds while memory is free, the second when memory is needed. */
const longestStillMs = 20_000;
const stillMs = 3_000;

interface Held {
  bytes: number;
  lastAt: number;
  readonly end: () => void;
}

/**
 * Limits the memory of all bodies that are being received or processed, whoever sends them. When the limit is reached,
 * a body that has received nothing for a while is aborted. If all bodies are active, the one that needs more is
 * refused.
 */
export function bodyBudget({ maxBytes, now }: { readonly maxBytes: number; readonly now: () => number }): BodyBudget {
  /** Ordered by the arrival of the last bytes, the least recently active first. */
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
          // Removed and added again, so that the set stays ordered by the arrival of the last bytes.
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

/** A budget that is also limited by a common one: whoever uses up its own budget leaves room for the others. */
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

/** Call it for every request that may have a large body, before the body is read. */
export const rememberResponse = (request: IncomingMessage, response: ServerResponse): void => {
  responses.set(request, response);
};

/**
 * Calls back when the answer was sent or the client has gone. Does nothing for small bodies, which are not registered.
 */
export function whenAnswered(request: IncomingMessage, then: () => void): void {
  const response = responses.get(request);
  if (response === undefined) request.once("close", then);
  else response.once("close", then);
}
