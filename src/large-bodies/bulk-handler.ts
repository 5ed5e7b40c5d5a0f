import { operationRow, type QueryId } from "../contract/operations.ts";
import type { Timers } from "../kit/time/timers.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { say } from "../messages/message.ts";
import { Fault } from "../operation/fault.ts";
import { ok, ReadyJsonList } from "../operation/outcome.ts";
import type { BulkAnswer, BulkHandler } from "../server/connection/bulk-parser.ts";
import { answerOutcome } from "../server/contract/answer.ts";
import { type Arrival, bulkArrival } from "./bulk-arrival.ts";
import { bulkThread, bulkThreads } from "./bulk-threads.ts";
import type { BulkJob, BulkSettings } from "./bulk-worker.ts";

/**
 * Small enough to keep two threads evenly busy, large enough to make the hand-over cheap. From one megabyte on, the
 * text of a piece would be stored outside the heap, where only a full garbage collection finds it.
 */
const pieceBytes = 896 * 2 ** 10;
/** Waiting bodies take memory, so further ones are refused. */
const maxWaiting = 8;
/** The limit for all arriving bodies together, so that slow senders cannot fill the memory. */
const mostArrivingBytes = 256 * 2 ** 20;
const busy = { operatorText: say("general.busy") };

/** Handles large bodies in separate threads. */
export function openBulkHandler(needs: {
  readonly settings: BulkSettings;
  /** The queries whose lists may be answered in parts. */
  readonly byElement: readonly QueryId[];
  readonly threadCount: number;
  readonly timers: Timers;
  readonly maxArrivingBytes?: number;
}): BulkHandler & {
  /** Resolves when every body that has begun to arrive is answered. A new handler gets the next ones. */
  readonly retire: () => Promise<void>;
} {
  const { settings, byElement, threadCount, timers, maxArrivingBytes = mostArrivingBytes } = needs;
  const threads = bulkThreads({ threads: Array.from({ length: threadCount }, () => bulkThread(settings)), timers });
  let ahead: Arrival | null = null;
  let waiting = 0;
  let arriving = 0;
  let arrivingBytes = 0;
  let onIdle: (() => void) | null = null;
  const checkIdle = () => {
    if (waiting === 0 && arriving === 0) onIdle?.();
  };

  /** Admits a body. Call the returned function when the body needs no more work. */
  const admit = () => {
    if (waiting >= maxWaiting) throw new Fault("unreachable", "too many large bodies at once", busy);
    waiting++;
    return () => {
      waiting--;
      checkIdle();
    };
  };

  const run = async (job: BulkJob, release: () => void): Promise<BulkAnswer> => {
    const reply = await threads.run(job);
    if (reply === null) throw new Error("the threads for large bodies have been stopped");
    void reply.over.then(release);
    // The reply to a whole body is always an answer.
    return (await reply.first) as BulkAnswer;
  };

  const answer = async (arrival: Arrival, id: QueryId, acceptLanguage: string | undefined): Promise<BulkAnswer> => {
    const release = admit();
    const elements = await arrival.elements().catch((error: unknown) => {
      release();
      throw error;
    });
    if (elements === null) return await run({ id, chunks: arrival.chunks(), acceptLanguage }, release);
    release();
    const outcome = ok(new ReadyJsonList(elements));
    const { status, contentType, body, result } = answerOutcome(
      operationRow(id),
      outcome,
      chooseLanguage(acceptLanguage),
    );
    return {
      status,
      contentType,
      chunks: typeof body === "string" ? [body] : body,
      facts: [],
      ...(result === undefined ? {} : { result }),
    };
  };

  return {
    receive: (id, acceptLanguage) => {
      const isByElement = byElement.includes(id);
      // Only one body at a time is processed ahead: otherwise, with slow senders, many answers would wait in memory for
      // the last byte.
      const isAhead = isByElement && ahead === null;
      const { listMs: budgetMs } = settings.config.budgets;
      const arrival = bulkArrival({ id, acceptLanguage, isByElement, isAhead, pieceBytes, budgetMs, threads });
      if (isAhead) ahead = arrival;
      arriving++;
      let isHere = true;
      let ownBytes = 0;
      const leave = () => {
        arrival.drop();
        if (ahead === arrival) ahead = null;
        if (isHere) arriving--;
        isHere = false;
        arrivingBytes -= ownBytes;
        ownBytes = 0;
        checkIdle();
      };
      const take = (chunk: Uint8Array) => {
        if (!isHere) return;
        ownBytes += chunk.length;
        arrivingBytes += chunk.length;
        // The rest is read and discarded, so that the sender reads the refusal.
        if (arrivingBytes > maxArrivingBytes) leave();
        else arrival.take(chunk);
      };
      const query = async () => {
        if (!isHere) throw new Fault("unreachable", "too many large bodies at once", busy);
        return await answer(arrival, id, acceptLanguage).finally(leave);
      };
      return { take, query, drop: leave };
    },
    close: threads.close,
    retire: async () => {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        checkIdle();
      });
      await threads.close();
    },
  };
}
