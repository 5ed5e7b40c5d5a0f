import type { IdempotentCall } from "../../idempotency-record.ts";
import { hasNews, type Moved } from "../../journal.ts";
import type { StagedWritten, Sync } from "../writer/writer.ts";
import type { ChunkPart, MovedChunk, Stagings } from "./stagings.ts";

/** Commands to the writer about a call that is stored in chunks. */
export type BulkJob =
  | { readonly call: number; readonly firstIndex: number; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly call: number; readonly idempotency: IdempotentCall | null }
  /** An earlier process committed the call, so it continues. */
  | { readonly call: number; readonly isResumed: true }
  | { readonly call: number; readonly isDropped: true };

/** The writer's reports about such a call. */
export type BulkNews =
  /** The oldest chunks that were handed over are stored. */
  | { readonly call: number; readonly isStored: true }
  | { readonly call: number; readonly isKnown: true }
  | {
      readonly call: number;
      readonly moved: Moved;
      readonly ids: readonly Uint8Array<ArrayBuffer>[];
      unchanged: number;
    }
  | { readonly call: number; readonly isOver: true }
  /** The call is not committed, and nothing of it is left. */
  | { readonly call: number; readonly failed: string };

export interface BulkTurns {
  readonly add: (job: BulkJob) => void;
  /** Deletes the ids of a call in parts, when the writer has nothing else to do. */
  readonly eraseIds: (call: number) => void;
  readonly isWaiting: () => boolean;
  /** One commit that takes a few milliseconds. */
  readonly turn: () => void;
}

type Work = <Done>(work: (staging: Stagings) => Done, sync: Sync) => StagedWritten<Done>;
type Chunks = Extract<BulkJob, { chunks: unknown }>;

/** An event that arrives during a turn waits for its end: longer turns would be noticed on the floor. */
const turnMs = 2;
/** The pause after a disk failure. */
const pauseMs = 1_000;

/** A commit of the floor goes first. But a push must not wait longer than this, even if the floor never pauses. */
export const longestWaitMs = 50;
/** The floor counts as active if it sent something within this time. */
const activeFloorMs = 200;

/**
 * The pause of the writer before the next turn. While the floor is active, pushes get at most half of the time: after a
 * turn that took long, because the processor or the disk is busy with other work, the pause is longer.
 */
export function restMs({ lastTurnMs, sinceFloorMs }: { lastTurnMs: number; sinceFloorMs: number }): number {
  return sinceFloorMs < activeFloorMs ? Math.min(longestWaitMs, Math.max(1, Math.ceil(lastTurnMs))) : 0;
}

/**
 * Works on calls that are stored in chunks, between the commits of the floor. First chunks are stored, because their
 * senders wait; then committed calls become entries, one call after the other; last, unneeded rows are deleted.
 */
export function bulkTurns(needs: {
  readonly work: Work;
  readonly send: (news: BulkNews) => void;
  readonly now: () => number;
  readonly after: (ms: number, then: () => void) => void;
}): BulkTurns {
  const { work, send, now } = needs;
  let storing: Chunks[] = [];
  const marking: Extract<BulkJob, { idempotency: unknown }>[] = [];
  const moving: number[] = [];
  const erasing: { readonly table: "staged_chunk" | "once_ids"; readonly call: number }[] = [];
  let chunkPart: ChunkPart = "whole";
  let isPaused = false;

  const store = () => {
    const jobs: Chunks[] = [];
    const written = work((staging) => {
      const until = now() + turnMs;
      for (const job of storing) {
        if (jobs.length > 0 && now() >= until) break;
        for (const [index, entries] of job.chunks.entries()) staging.store(job.call, job.firstIndex + index, entries);
        jobs.push(job);
      }
    }, "later");
    // If the disk failed before the first job, none was stored; the first one is answered with the error.
    const over = jobs.length > 0 ? jobs : storing.slice(0, 1);
    storing = storing.slice(over.length);
    // The memory is released at once, because the garbage collector does not notice memory outside its heap.
    for (const { buffer } of over.flatMap(({ chunks }) => chunks)) buffer.transfer(0);
    for (const { call } of over) send("error" in written ? { call, failed: written.error } : { call, isStored: true });
  };

  const mark = () => {
    const job = marking.shift();
    if (job === undefined) return;
    const { call } = job;
    const written = work((staging) => staging.mark(call, job.idempotency), "now");
    if ("error" in written) return send({ call, failed: written.error });
    if (written.done) return moving.push(call);
    erasing.push({ table: "staged_chunk", call });
    return send({ call, isKnown: true });
  };

  const move = (call: number) => {
    const chunks: MovedChunk[] = [];
    const written = work((staging) => {
      const until = now() + turnMs;
      do {
        const chunk = staging.move(call, chunkPart, () => now() >= until);
        if (chunk === null) break;
        chunks.push(chunk);
      } while (chunkPart === "whole" && now() < until);
    }, "later");
    if ("error" in written) return onFailure(written);
    if (chunks.length === 0) return finish(call);
    chunkPart = chunkPart === "refused" ? "one" : chunkPart;
    return send(newsOf(call, chunks));
  };

  const finish = (call: number) => {
    const written = work((staging) => staging.finish(call), "now");
    if ("error" in written) return onFailure({ isOfEntry: false });
    moving.shift();
    chunkPart = "whole";
    return send({ call, isOver: true });
  };

  /** Handles a failure of a committed call, which is retried: its sender waits until it can be stored. */
  const onFailure = ({ isOfEntry }: { readonly isOfEntry: boolean }) => {
    if (isOfEntry && chunkPart !== "refused") {
      chunkPart = chunkPart === "whole" ? "one" : "refused";
      return;
    }
    // The disk is full or fails, which is not the fault of an entry: pause before the next try.
    chunkPart = "whole";
    isPaused = true;
    needs.after(pauseMs, () => {
      isPaused = false;
    });
  };

  const erase = () => {
    const [next] = erasing;
    if (next === undefined) return;
    const written = work((staging) => staging.erase(next.table, next.call), "later");
    // The next start deletes what could not be deleted now.
    if ("error" in written || !written.done) erasing.shift();
  };

  return {
    add: (job) => {
      const { call } = job;
      if ("chunks" in job) storing.push(job);
      else if ("idempotency" in job) marking.push(job);
      else if ("isResumed" in job) moving.push(call);
      else {
        storing = storing.filter((one) => one.call !== call);
        erasing.push({ table: "staged_chunk", call });
      }
    },
    eraseIds: (call) => {
      erasing.push({ table: "once_ids", call });
    },
    isWaiting: () => storing.length + marking.length + erasing.length > 0 || (moving.length > 0 && !isPaused),
    turn: () => {
      const [call] = moving;
      if (storing.length > 0) store();
      else if (marking.length > 0) mark();
      else if (call !== undefined && !isPaused) move(call);
      else erase();
    },
  };
}

function newsOf(call: number, chunks: readonly MovedChunk[]): BulkNews {
  const all = chunks.flatMap(({ appended }) => appended);
  return {
    call,
    moved: { appended: all.filter(hasNews), touched: all.some(({ touched }) => touched) },
    ids: chunks.map(({ ids }) => ids),
    unchanged: all.filter((one) => "repeatOf" in one).length,
  };
}
