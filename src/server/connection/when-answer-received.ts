import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AnswerNotes } from "../../engine/events/take-event.ts";

/** The last answer on a connection, until the next request proves that it arrived. */
interface LastAnswer {
  readonly take: () => void;
  readonly takeBack: () => void;
  /** Not called if the next request has proved the arrival. */
  readonly giveUp: () => void;
}

const last = new WeakMap<Socket, LastAnswer | null>();
/** Connections that their sender has closed in order, with nothing unread in them. */
const closedInOrder = new WeakSet<Socket>();

/**
 * Reports when an answer was written completely to a sender that was still connected. Written does not mean received: a
 * sender may have hung up, and the system accepts the bytes anyway. So the connection must survive the events that the
 * system already knew when the answer was written; those are read within the next two turns of the event loop. A sender
 * that hangs up later without having read the answer resets the connection: then the report is withdrawn. A sender that
 * closes right after it has read the answer does not reset it. The promise settles when the result is known, either way.
 */
export function whenAnswerReceived(response: ServerResponse, notes: AnswerNotes): Promise<void> {
  // The request's socket: a response that waits behind another one on the same connection has no socket yet.
  const { socket } = response.req;
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
  // The sender has already hung up: it did not get the answer, and no further event will follow.
  if (response.destroyed || socket.destroyed) return Promise.resolve();
  watch(socket);
  let isNoted = false;
  const note = () => {
    isNoted = true;
    notes.written();
  };
  // The write may never complete.
  response.once("close", () => {
    if (response.writableFinished) return;
    if (isNoted) notes.unread();
    decide();
  });
  // Runs right after the write if the system has accepted everything. "finish" comes later, after all writes of this
  // turn.
  response.once("prefinish", () => {
    if (socket.writableLength === 0 && isThere(socket)) note();
  });
  response.once("finish", () => {
    const answer = lastAnswer(notes);
    last.set(socket, answer);
    // The sender wanted the connection closed after the answer: its end proves nothing, but a reset does.
    if (!response.shouldKeepAlive) {
      if (!isNoted) note();
      answer.take();
      return decide();
    }
    if (!isNoted && isThere(socket)) note();
    if (isNoted) {
      setImmediate(decideSoon, socket, answer, decide);
      return;
    }
    // The sender had closed the connection before.
    answer.giveUp();
    decide();
  });
  return decided;
}

const isThere = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;

// Both are given what they need: functions of their own would keep the whole request for two more turns.
function decideSoon(socket: Socket, answer: LastAnswer, decide: () => void): void {
  setImmediate(decideNow, socket, answer, decide);
}
function decideNow(socket: Socket, answer: LastAnswer, decide: () => void): void {
  if (isThere(socket) || closedInOrder.has(socket)) answer.take();
  else answer.giveUp();
  decide();
}

/** Called for the next request on the same connection, which proves that the previous answer arrived. */
export function provesReceipt(socket: Socket): void {
  const answer = last.get(socket);
  if (answer === undefined || answer === null) return;
  last.set(socket, null);
  answer.take();
}

function lastAnswer(notes: AnswerNotes): LastAnswer {
  let takeBack: (() => void) | null = null;
  return {
    take: () => {
      takeBack ??= notes.arrived();
    },
    takeBack: () => (takeBack ?? notes.unread)(),
    giveUp: () => {
      if (takeBack !== null) return;
      notes.unread();
      // Later events of the connection do not concern this answer any more.
      takeBack = () => {};
    },
  };
}

/** Two listeners per connection, however many answers it carries. */
function watch(socket: Socket): void {
  if (last.has(socket)) return;
  last.set(socket, null);
  socket.once("error", () => last.get(socket)?.takeBack());
  // Before the server's own listener, which closes the connection.
  socket.prependOnceListener("end", () => {
    if (!isReset(socket)) closedInOrder.add(socket);
  });
}

/**
 * Whether the system has got a reset for an ended connection. The stream does not say so: it only sees the end that came
 * before. But the system no longer knows whom the connection is with. Only the handle of the socket can ask for that: the
 * socket itself keeps the first answer.
 */
function isReset(socket: Socket): boolean {
  const { _handle: handle } = socket as { _handle?: { getpeername?: (address: object) => number } | null };
  return handle?.getpeername?.({}) !== 0;
}

/** Answers that were written and are not yet known to have arrived, by the kind and text of the event they answer. */
export interface UndecidedAnswers {
  /** May also wait for answers to other long events that begin alike. */
  readonly get: (kind: string, text: string) => Promise<unknown> | undefined;
  /** Kept until `decided` settles. */
  readonly add: (kind: string, text: string, decided: Promise<void>) => void;
  /** Settles when it is known of all of them whether they have arrived. */
  readonly allDecided: () => Promise<void>;
}

/** Of a longer text only the beginning is compared: megabytes would be copied and hashed at once to look them up. */
const comparedLength = 64 * 1024;
/** So many answers share one map. */
const replacedAfter = 256;

export function undecidedAnswers(): UndecidedAnswers {
  let byEvent = new Map<string, Promise<unknown>>();
  let additions = 0;
  const keyOf = (kind: string, text: string) =>
    text.length <= comparedLength ? `${kind} ${text}` : `${kind} ${text.length} ${text.slice(0, comparedLength)}`;
  return {
    get: (kind, text) => byEvent.get(keyOf(kind, text)),
    add: (kind, text, decided) => {
      // A map that is never replaced is rebuilt all the time, and V8 keeps what its former tables held until the next
      // full garbage collection.
      if (++additions % replacedAfter === 0) byEvent = new Map(byEvent);
      const key = keyOf(kind, text);
      const others = byEvent.get(key);
      const all = others === undefined ? decided : Promise.all([others, decided]);
      byEvent.set(key, all);
      void all.then(() => {
        if (byEvent.get(key) === all) byEvent.delete(key);
      });
    },
    allDecided: async () => void (await Promise.all(byEvent.values())),
  };
}
