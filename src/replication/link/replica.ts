import { receiveMessageOnPort } from "node:worker_threads";
import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { type Replica, ReplicaRefused } from "../../journal/replica.ts";
import type { Database, Recording } from "../../kit/sqlite/sqlite.ts";
import { nextChange, type Position } from "../change.ts";
import { layoutOf } from "../copy/layout.ts";
import { localCopy } from "../copy/local-copy.ts";
import type { LinkAnswer, LinkCall, Numbered, ReplicaOptions } from "./link-messages.ts";

/**
 * Stores the writer's commits in PostgreSQL. The writer's thread sleeps meanwhile, as it does while a disk syncs. So a
 * batch is one transaction here and one statement there, and what arrives in between is the next batch.
 */
export function openReplica(database: Database, options: unknown, projection?: ProjectionModule): Replica {
  // `open-link.ts` passes these options.
  const request = blockingCalls(options as ReplicaOptions);
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
      recording = database.record();
    },
    confirm: () => {
      const body = recording?.changeset() ?? new Uint8Array();
      end();
      if (body.length === 0) return;
      const change = nextChange(position, body);
      ahead = change;
      const answer = request({ append: { ...change, layout } });
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

function blockingCalls({ port, isAnswered, patienceMs }: ReplicaOptions): (call: LinkCall) => LinkAnswer {
  const flag = new Int32Array(isAnswered);
  return (content) => {
    const id = nextId++;
    Atomics.store(flag, 0, 0);
    port.postMessage({ id, content } satisfies Numbered<LinkCall>);
    const until = performance.now() + patienceMs;
    for (;;) {
      const woken = Atomics.wait(flag, 0, 0, Math.max(0, until - performance.now()));
      Atomics.store(flag, 0, 0);
      const answer = answerTo(id);
      if (answer !== null) return answer;
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
