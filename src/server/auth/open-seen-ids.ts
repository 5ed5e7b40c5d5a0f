import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from "fastify";
import { operationIds } from "../../contract/operations.ts";
import { blob, integer, pick, row } from "../../kit/sqlite/row.ts";
import { openSideDatabase, type SideDatabaseOptions, type SideFile } from "../../kit/sqlite/side-database.ts";
import { wholeTransaction } from "../../kit/sqlite/whole-transaction.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { routePath } from "../connection/request-marks.ts";

export interface SeenIdsNeeds extends SideDatabaseOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  /**
   * The default takes about 60 MB of disk. Above it, the ids that expire first are dropped early, and the log says so.
   */
  readonly maxIds?: number;
}

interface Waiting {
  readonly digest: Uint8Array;
  readonly untilMs: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The rows of the table of ids. */
export const takenRow = row({ id: blob, until: integer });

export const senderFile: SideFile = {
  name: "senders.db",
  withoutIt: "a recorded signed push could be replayed",
  createTables: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS taken (id BLOB NOT NULL PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS taken_by_until ON taken (until)`),
};

/** Ids are stored in a separate file and synced to the disk. All ids of one turn of the event loop share one commit. */
export function openSeenIds({ maxIds = 1_000_000, ...needs }: SeenIdsNeeds): SeenIds {
  const { clock, timers, log } = needs;
  const database = openSideDatabase(senderFile, needs);
  const find = database.query("SELECT until FROM taken WHERE id = ?", pick(takenRow, "until"));
  const write = database.statement("INSERT OR REPLACE INTO taken (id, until) VALUES (?, ?)");
  const forget = database.statement(
    "DELETE FROM taken WHERE id IN (SELECT id FROM taken WHERE until < ? ORDER BY until LIMIT 500)",
  );
  const evict = database.statement("DELETE FROM taken WHERE id IN (SELECT id FROM taken ORDER BY until LIMIT ?)");
  let total = database.query("SELECT count(*) AS total FROM taken", row({ total: integer })).get()?.total ?? 0;
  const underWay = new Set<string>();
  let waiting: Waiting[] = [];

  const commit = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      let next = total;
      wholeTransaction(database, () => {
        next -= forget.run(clock.now()).changes;
        for (const { digest, untilMs } of batch) next += write.run(digest, untilMs).changes;
        if (next > maxIds) {
          next -= evict.run(next - maxIds).changes;
          log.warn(
            { maxIds },
            "the limit of stored delivery ids is exceeded; some signed deliveries could be accepted twice",
          );
        }
      });
      total = next;
      for (const { done } of batch) done();
    } catch (error) {
      log.error({ err: error }, "the ids of signed deliveries could not be stored");
      for (const { failed } of batch) failed(error);
    }
  };

  return {
    begin: (id) => {
      if (underWay.has(id)) return "under way";
      const row = find.get(digestOf(id));
      if (row !== undefined && row.until >= clock.now()) return "taken";
      underWay.add(id);
      return "new";
    },
    keep: (id, untilMs) =>
      new Promise<void>((done, failed) => {
        if (waiting.length === 0) timers.soon(commit);
        waiting.push({ digest: digestOf(id), untilMs, done, failed });
        // If the id could not be written it stays pending, so that at least this process does not accept it twice.
      }).then(async () => {
        await database.stored();
        underWay.delete(id);
      }),
    release: (id) => {
      underWay.delete(id);
    },
    close: () => {
      commit();
      database.close();
    },
  };
}

/** Ids come from outside and may be long; this many bytes of a digest are enough to tell them apart. */
const digestOf = (id: string): Uint8Array => createHash("sha256").update(id).digest().subarray(0, 20);

/** The ids of accepted signed deliveries. A captured request cannot be replayed while its id is stored. */
export interface SeenIds {
  /** Only the first caller for an id gets `new`, and must then call `keep` or `release`. */
  readonly begin: (id: string) => "new" | "under way" | "taken";
  /** Resolves when the id is on the disk, so that it survives a restart or a power failure. */
  readonly keep: (id: string, untilMs: number) => Promise<void>;
  /** Call it if the delivery was not accepted: the same delivery may then come again. */
  readonly release: (id: string) => void;
  readonly close: () => void;
}

interface SignedDelivery {
  readonly id: string;
  readonly rememberMs: number;
}

// Stored on the request itself: a reload may meanwhile have replaced the check that set it.
const delivery = Symbol("signed delivery");
interface Signed extends FastifyRequest {
  [delivery]?: SignedDelivery | undefined;
}

export function markDelivery(request: Signed, signed: SignedDelivery): void {
  request[delivery] = signed;
}

/**
 * Stores the id of a successful delivery before its answer is sent, and releases the other ids. In the opposite order,
 * a push that could not be stored would be refused as a repetition when its sender retries, and be lost.
 */
export function rememberDeliveries(app: FastifyInstance, { seenIds, clock }: { seenIds: SeenIds; clock: Clock }): void {
  const remember: onSendHookHandler = (request: Signed, reply, payload, done) => {
    const signed = request[delivery];
    if (signed === undefined) return done(null, payload);
    request[delivery] = undefined;
    if (reply.statusCode < 200 || reply.statusCode >= 300) {
      seenIds.release(signed.id);
      return done(null, payload);
    }
    // The push is stored: a failure to store its id must not make the sender send it again.
    const goOn = () => done(null, payload);
    seenIds.keep(signed.id, clock.now() + signed.rememberMs).then(goOn, goOn);
  };
  // Only on routes for pushes: the platform does not sign its requests, and the hook would run for every scan.
  const contractRoutes = new Set(operationIds.map(routePath));
  app.addHook("onRoute", (route) => {
    if (!contractRoutes.has(route.url)) route.onSend = [remember, ...[route.onSend ?? []].flat()];
  });
}
