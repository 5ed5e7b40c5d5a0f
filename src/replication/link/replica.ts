import { receiveMessageOnPort, type Transferable } from "node:worker_threads";
import type { ProjectionModule } from "../../journal/inline-projection.ts";
import { type Replica, ReplicaRefused } from "../../journal/journal-replica.ts";
import type { Database, Recording } from "../../kit/sqlite/sqlite.ts";
import { type Change, nextChange, type Position } from "../change.ts";
import { layoutOf } from "../copy/layout.ts";
import { localCopy } from "../copy/local-copy.ts";
import { type DirectAppend, type DirectResult, directAppend } from "./direct-append.ts";
import {
  callState,
  isLeased,
  type LinkAnswer,
  type LinkCall,
  type Numbered,
  noteRenewed,
  type ReplicaOptions,
} from "./link-messages.ts";

/**
 * Stores the writer's commits in PostgreSQL. A batch is one transaction here and one statement there, and what arrives
 * in between is the next batch. The writer sends it itself, if it has a connection and all is well. Otherwise, and for
 * everything that cannot wait for an answer, another thread does it, while the writer's thread sleeps.
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
  /** Ends the recording; null if nothing was changed. */
  const recorded = (): Change | null => {
    const body = recording?.changeset() ?? new Uint8Array();
    end();
    if (body.length > 0) return { ...nextChange(position, body), layout };
    // A retry changes nothing. But to the next owner the same event may be a second piece.
    if (lost.isKnown() || !isLeased(given)) throw new ReplicaRefused("the lease could not be renewed", true);
    return null;
  };
  /** Takes over the memory of the body, which must be its own. */
  const append = (change: Change, isUnknown: boolean): void => {
    ahead = change;
    // The type of a body also allows shared memory, which no recording makes.
    const answer = request({ append: change, isUnknown }, [change.body.buffer as ArrayBuffer]);
    if ("refused" in answer) throw new ReplicaRefused(answer.refused, isUnknown || answer.isDoubtful);
  };
  const lost = lossOf(given);
  const appendDirectly = async (by: DirectAppend): Promise<void> => {
    const change = recorded();
    if (change === null) return;
    const sentAt = process.hrtime.bigint();
    // The other thread knows why, if nothing may be stored.
    const sent = lost.isKnown() || !isLeased(given) ? null : by.append(change);
    if (sent !== null) ahead = change;
    copy.moveTo(change);
    const result = sent && (await lost.before(sent));
    if (result === "stored") noteRenewed(given.renewedAt, sentAt);
    // A connection that was given up may still be reading the body.
    else append(sent === null ? change : { ...change, body: new Uint8Array(change.body) }, result === "unknown");
  };
  const direct = given.direct && directAppend(given.direct);
  return {
    begin: () => {
      // The last transaction was not abandoned, so it was committed.
      if (ahead !== null) position = ahead;
      ahead = null;
      end();
      recording = database.recordTransaction();
    },
    confirm: () => {
      const change = recorded();
      if (change === null) return;
      copy.moveTo(change);
      append(change, false);
    },
    ...(direct === null ? {} : { confirmLater: () => appendDirectly(direct) }),
    close: () => {
      direct?.close();
      lost.stop();
    },
    abandon: () => {
      end();
      const isAhead = ahead !== null;
      ahead = null;
      return isAhead;
    },
  };
}

/** Knows when this process may store nothing more, because the deployment is lost or its link has ended. */
function lossOf({ callState: shared }: ReplicaOptions) {
  const state = new Int32Array(shared);
  const isKnown = () => Atomics.load(state, 1) !== 0;
  let giveUp = () => {};
  const noted = Atomics.waitAsync(state, 1, 0);
  if (noted.async) void noted.value.then(() => giveUp());
  return {
    isKnown,
    /** Stops listening. A replica may be opened again every second, as long as a disk is full. */
    stop: () => void Atomics.notify(state, 1),
    /** Waits for what was sent, but only until the loss: PostgreSQL may not answer. */
    before: (sent: Promise<DirectResult>) =>
      new Promise<DirectResult>((resolve) => {
        giveUp = () => resolve("unknown");
        void sent.then(resolve);
        if (isKnown()) giveUp();
      }),
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
