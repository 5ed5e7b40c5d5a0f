import { receiveMessageOnPort, type Transferable } from "node:worker_threads";
import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { type Replica, ReplicaRefused } from "../../journal/journal-replica.ts";
import type { Database, Recording } from "../../kit/sqlite/sqlite.ts";
import { nextChange, type Position } from "../change.ts";
import { layoutOf } from "../copy/layout.ts";
import { localCopy } from "../copy/local-copy.ts";
import {
  callState,
  isLeased,
  type LinkAnswer,
  type LinkCall,
  type Numbered,
  type ReplicaOptions,
} from "./link-messages.ts";

/**
 * Stores the writer's commits in PostgreSQL. The writer's thread sleeps meanwhile, as it does while a disk syncs. So a
 * batch is one transaction here and one statement there, and what arrives in between is the next batch.
 */
export function openReplica(database: Database, options: unknown, projection?: ProjectionModule): Replica {
  // `open-link.ts` passes these options.
  const given = options as ReplicaOptions;
  const request = blockingCalls(given);
  const copy = localCopy(database);
  for (;;) {
    const answer = request({ changesAfter: copy.position().number });
    if (!("changes" in answer)) throw new ReplicaRefused("refused" in answer ? answer.refused : "no changes came");
    if (answer.changes.length === 0) break;
    copy.apply(answer.changes);
  }

  const layout = layoutOf(database, projection);
  let position = copy.position();
  let recording: Recording | null = null;
  /** The position that PostgreSQL already has, and this file only after its commit. */
  let ahead: Position | null = null;

  const end = () => {
    recording?.close();
    recording = null;
  };
  return {
    begin: () => {
      // The last transaction was not abandoned, so it was committed.
      if (ahead !== null) position = ahead;
      ahead = null;
      end();
      recording = database.recordTransaction();
    },
    confirm: () => {
      const body = recording?.changeset() ?? new Uint8Array();
      end();
      if (body.length === 0) {
        // A retry changes nothing. But to the next owner the same event may be a second piece.
        if (!isLeased(given)) throw new ReplicaRefused("the lease could not be renewed", true);
        return;
      }
      const change = nextChange(position, body);
      ahead = change;
      // Not copied: nobody else uses the body, and the recording gave it memory of its own.
      const answer = request({ append: { ...change, layout } }, [body.buffer as ArrayBuffer]);
      if ("refused" in answer) throw new ReplicaRefused(answer.refused, answer.isDoubtful);
      copy.moveTo(change);
    },
    abandon: () => {
      end();
      const isAhead = ahead !== null;
      ahead = null;
      return isAhead;
    },
  };
}

/** The calls take over the memory of what they are given to transfer. */
function blockingCalls({ port, callState: shared, patienceMs }: ReplicaOptions) {
  const { waiting, answered, over } = callState;
  const state = new Int32Array(shared);
  const isOver = () => Atomics.load(state, 0) === over;
  return (content: LinkCall, transfer: readonly Transferable[] = []): LinkAnswer => {
    // Nothing was sent, so nothing is in doubt.
    if (isOver()) return { refused: "the link to PostgreSQL has ended" };
    const id = nextId++;
    Atomics.compareExchange(state, 0, answered, waiting);
    port.postMessage({ id, content } satisfies Numbered<LinkCall>, transfer);
    const until = performance.now() + patienceMs;
    for (;;) {
      const woken = Atomics.wait(state, 0, waiting, Math.max(0, until - performance.now()));
      Atomics.compareExchange(state, 0, answered, waiting);
      const answer = answerTo(id);
      if (answer !== null) return answer;
      if (isOver()) return { refused: "the link to PostgreSQL has ended", isDoubtful: true };
      if (woken === "timed-out") return { refused: "the link to PostgreSQL does not answer", isDoubtful: true };
    }
  };

  /** Returns the answer to a call; drops answers to earlier calls, which nobody waits for any more. */
  function answerTo(id: number): LinkAnswer | null {
    for (;;) {
      // Only the link writes to the other end of this port.
      const message = receiveMessageOnPort(port)?.message as Numbered<LinkAnswer> | undefined;
      if (message === undefined) return null;
      if (message.id === id) return message.content;
    }
  }
}

/** Counts across all handles of this thread, because they share the port. */
let nextId = 1;
