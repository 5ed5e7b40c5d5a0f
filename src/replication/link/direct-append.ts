import type { Client } from "pg";
import { errorCode } from "../../kit/narrow.ts";
import type { Change } from "../change.ts";
import { appendChange } from "../postgres/append-change.ts";
import { hangUp, openClient } from "../postgres/open-client.ts";
import { noRoom } from "../postgres/store-change.ts";
import type { DirectSettings } from "./link-messages.ts";

// Loaded with this module, because a standby loads it beforehand: an owner that has just taken over has other work.
import("pg").catch(() => {
  // Whoever opens a connection gets the error.
});

/**
 * `not-stored`: PostgreSQL has said so. `unknown`: it did not answer, or with an error, and may have the change
 * nevertheless.
 */
export type DirectResult = "stored" | "not-stored" | "unknown";

/** The writer's own connection to PostgreSQL. It saves a lone event the way to another thread and back. */
export interface DirectAppend {
  /** Sends the change at once, and only once. Null if there is no connection; then one is opened for the next change. */
  readonly append: (change: Change) => Promise<DirectResult> | null;
  readonly close: () => void;
}

/** A firewall may forget an idle connection after minutes, and tells nobody. */
const mostIdleMs = 10_000;
/** The pause after a connection could not be opened. */
const retryMs = 1_000;

export function directAppend(
  { owner, ...options }: DirectSettings,
  { open = openClient, now = () => performance.now() } = {},
): DirectAppend {
  let client: Client | null = null;
  let isSending = false;
  let usedAt = 0;
  let isOpening = false;
  let isClosed = false;
  let openAgainAt = Number.NEGATIVE_INFINITY;

  const drop = () => {
    const dropped = client;
    client = null;
    if (dropped !== null) void hangUp(dropped);
  };
  const connect = async () => {
    isOpening = true;
    try {
      const opened = await open({ ...options, isWatched: true });
      if (isClosed) return void hangUp(opened);
      opened.once("end", () => {
        if (client === opened) client = null;
      });
      client = opened;
      usedAt = now();
    } catch {
      // The other thread has a connection of its own, and says what is wrong.
      openAgainAt = now() + retryMs;
    } finally {
      isOpening = false;
    }
  };
  const connection = (): Client | null => {
    if (now() - usedAt > mostIdleMs) drop();
    if (client === null && !isOpening && now() >= openAgainAt) void connect();
    return client;
  };
  // One timer for all changes. With a new one for each, as in the driver, V8 takes what belongs to a change for old.
  const watch = setTimeout(() => {
    if (isSending) drop();
  }, options.timeoutMs).unref();
  const send = async (by: Client, change: Change): Promise<DirectResult> => {
    isSending = true;
    watch.refresh();
    try {
      return (await appendChange(by, owner, change)) ? "stored" : "not-stored";
    } catch (error) {
      if (client === by) drop();
      return noRoom.has(errorCode(error)) ? "not-stored" : "unknown";
    } finally {
      isSending = false;
      usedAt = now();
    }
  };

  void connect();
  return {
    append: (change) => {
      const by = connection();
      return by === null ? null : send(by, change);
    },
    close: () => {
      isClosed = true;
      clearTimeout(watch);
      drop();
    },
  };
}
