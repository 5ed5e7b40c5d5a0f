import { type Journal, JournalFailed, type Moved } from "../../journal.ts";
import type { StagedOutcome, Staging } from "../../staging.ts";
import type { WriterPort } from "../prepare-writer.ts";
import type { FromWriter } from "../writer/writer-messages.ts";
import type { BulkJob, BulkNews } from "./bulk-turns.ts";

interface Call {
  /** Calls whose chunks are not stored yet, oldest first. */
  readonly storing: { readonly resolve: () => void; readonly reject: (error: Error) => void }[];
  committing: { readonly resolve: (outcome: StagedOutcome) => void; readonly reject: (error: Error) => void } | null;
  readonly idPieces: Uint8Array[];
  count: number;
  unchanged: number;
}

/** Calls that are stored in chunks, as the main thread sees them. */
export function bulkCalls(
  worker: WriterPort,
  { nextCall, unfinished }: { readonly nextCall: number; readonly unfinished: readonly number[] },
): Pick<Journal, "stage" | "onMoved" | "isCatchingUp"> {
  const calls = new Map<number, Call>();
  /** Committed calls of an earlier process that continue without a caller. */
  const alone = new Set(unfinished);
  let next = nextCall;
  let dead: JournalFailed | null = null;
  let onMoved: (moved: Moved) => void = () => {};

  const post = (job: BulkJob) =>
    worker.postMessage({ bulk: job }, "chunks" in job ? job.chunks.map(({ buffer }) => buffer) : []);

  const fail = (id: number, error: JournalFailed) => {
    const call = calls.get(id);
    if (call === undefined) return;
    calls.delete(id);
    for (const { reject } of call.storing) reject(error);
    call.committing?.reject(error);
    call.committing = null;
  };

  const handle = (news: BulkNews) => {
    const { call: id } = news;
    if ("moved" in news) onMoved(news.moved);
    if ("isOver" in news || "isKnown" in news) alone.delete(id);
    const call = calls.get(id);
    if (call === undefined) return;
    if ("failed" in news) return fail(id, new JournalFailed(news.failed));
    if ("isStored" in news) return call.storing.shift()?.resolve();
    if ("moved" in news) {
      call.idPieces.push(...news.ids);
      call.unchanged += news.unchanged;
      return;
    }
    calls.delete(id);
    const { idPieces, count, unchanged } = call;
    call.committing?.resolve("isKnown" in news ? { isKnown: true } : { idPieces, count, unchanged });
  };

  const die = (reason: string) => {
    dead ??= new JournalFailed(reason);
    for (const id of [...calls.keys()]) fail(id, dead);
  };
  worker.on("message", (message: FromWriter) => {
    if ("bulk" in message) handle(message.bulk);
  });
  worker.on("error", (error) => die(`the journal's writer failed: ${error.message}`));
  worker.on("exit", () => die("the journal's writer has stopped"));

  const stage = (): Staging => {
    const id = next++;
    const call: Call = { storing: [], committing: null, idPieces: [], count: 0, unchanged: 0 };
    calls.set(id, call);
    let index = 0;
    const gone = () => Promise.reject(dead ?? new JournalFailed("the call was dropped"));
    return {
      add: ({ count, chunks }) =>
        calls.get(id) !== call || dead !== null
          ? gone()
          : new Promise<void>((resolve, reject) => {
              call.storing.push({ resolve, reject });
              call.count += count;
              post({ call: id, firstIndex: index, chunks });
              index += chunks.length;
            }),
      commit: (idempotency) =>
        calls.get(id) !== call || dead !== null
          ? gone()
          : new Promise<StagedOutcome>((resolve, reject) => {
              call.committing = { resolve, reject };
              post({ call: id, idempotency });
            }),
      drop: () => {
        if (call.committing !== null) return;
        calls.delete(id);
        if (dead === null) post({ call: id, isDropped: true });
      },
    };
  };

  return {
    stage,
    onMoved: (listener) => {
      onMoved = listener;
      for (const call of unfinished) post({ call, isResumed: true });
    },
    isCatchingUp: () => alone.size > 0,
  };
}
