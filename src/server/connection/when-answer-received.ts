import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AnswerNotes } from "../../engine/events/take-event.ts";

/** The last answer on a connection, until a further request proves that it arrived. */
interface LastAnswer {
  readonly take: () => void;
  readonly takeBack: () => void;
  /** Unless a further request has proved it. */
  readonly giveUp: () => void;
}

const last = new WeakMap<Socket, LastAnswer | null>();

/**
 * Tells when an answer was written completely to a sender that was still there. Written is not taken: one
 * that has lost patience may have hung up, and the system accepts the bytes all the same. So the connection must
 * outlive what the system already knew when the answer was written, which is read within the next two turns.
 * Whoever hangs up later without having read the answer resets the connection: then it is taken back. The promise
 * settles when that much is known, whichever way.
 */
export function whenAnswerReceived(response: ServerResponse, notes: AnswerNotes): Promise<void> {
  // Of the request: an answer that waits behind another on the same connection has none of its own yet.
  const { socket } = response.req;
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
  // Whoever has hung up before is known not to have got it, and nothing more will be heard of this answer.
  if (response.destroyed || socket.destroyed) return Promise.resolve();
  const isThere = () => !socket.destroyed && !socket.readableEnded;
  let isNoted = false;
  const note = () => {
    isNoted = true;
    notes.written();
  };
  // It may never be written to the end.
  response.once("close", () => {
    if (response.writableFinished) return;
    if (isNoted) notes.unread();
    decide();
  });
  // Right behind the writing, where the system has taken all of it; "finish" comes behind all that this turn writes.
  response.once("prefinish", () => {
    if (socket.writableLength === 0 && isThere()) note();
  });
  response.once("finish", () => {
    const answer = lastAnswer(notes);
    watchReset(socket);
    last.set(socket, answer);
    // A sender that asked for the connection to be closed after the answer: its end says nothing, a reset does.
    if (!response.shouldKeepAlive) {
      if (!isNoted) note();
      answer.take();
      return decide();
    }
    if (!isNoted && isThere()) note();
    setImmediate(() =>
      setImmediate(() => {
        if (isThere()) answer.take();
        else answer.giveUp();
        decide();
      }),
    );
  });
  return decided;
}

/** A further request on the same connection proves that the answer before it arrived. */
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
      takeBack ??= notes.taken();
    },
    takeBack: () => (takeBack ?? notes.unread)(),
    giveUp: () => {
      if (takeBack !== null) return;
      notes.unread();
      // What is heard of the connection later is not about this answer any more.
      takeBack = () => {};
    },
  };
}

/** One listener per connection, however many answers it carries. */
function watchReset(socket: Socket): void {
  if (last.has(socket)) return;
  socket.once("error", () => last.get(socket)?.takeBack());
}

/** Answers that were written and are not known yet to have arrived, by what they answer. */
export interface UndecidedAnswers {
  readonly get: (said: string) => Promise<void> | undefined;
  /** Kept until it is decided. */
  readonly add: (said: string, decided: Promise<void>) => void;
}

export function undecidedAnswers(): UndecidedAnswers {
  const bySaid = new Map<string, Promise<void>>();
  return {
    get: (said) => bySaid.get(said),
    add: (said, decided) => {
      bySaid.set(said, decided);
      void decided.then(() => {
        if (bySaid.get(said) === decided) bySaid.delete(said);
      });
    },
  };
}
