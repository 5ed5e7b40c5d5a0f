import type { OperationId } from "../../../contract/operations.ts";
import type { Random } from "../../../kit/ids.ts";
import type { Tally } from "./call-tally.ts";
import { type Answered, type Channel, isAnswered, type Manner, type Reply, type Sending } from "./channel.ts";
import type { NetworkFault } from "./fault-rates.ts";

export interface FaultNeeds {
  readonly id: OperationId;
  readonly sending: Sending;
  /** Whether a copy may be sent even after the answer. */
  readonly isCopyable: boolean;
  /** Sent in place of events that must not be sent twice. */
  readonly harmless: Sending;
  readonly random: Random;
  readonly tally: Tally;
  /** Sends once, in the given manner. */
  readonly send: (manner: Manner) => Promise<Reply>;
  /** Sends normally until there is an answer. */
  readonly retryUntilDone: () => Promise<Answered>;
  readonly spare: () => Channel;
  readonly pause: (ms: number) => Promise<void>;
}

/** Simulates a fault in a call. In the end the call is answered. */
export async function playFault(fault: NetworkFault, needs: FaultNeeds): Promise<Answered> {
  const { sending, isCopyable, tally, send, retryUntilDone, spare } = needs;
  tally.countFault(fault);
  const draw = needs.random.whole(0, 12);
  const again = () => {
    tally.resend();
    return retryUntilDone();
  };
  switch (fault) {
    case "repeat": {
      const reply = await send({ kind: "given up", afterMs: draw });
      // Answered in time. A copy of a distinguishable event may still be sent, as if the answer had been lost.
      return isAnswered(reply) && !isCopyable ? reply : again();
    }
    case "abort": {
      const isCut = draw % 2 === 0 && sending.body !== null;
      const reply = await send(isCut ? { kind: "cut" } : { kind: "given up", afterMs: 0 });
      return isAnswered(reply) ? reply : again();
    }
    case "late":
      return isCopyable && sending.body !== null ? sendLate(needs, again) : sendSlowly(needs, 10 * draw);
    case "parallel": {
      if (isCopyable) tally.resend();
      const [reply] = await Promise.all([retryUntilDone(), spare().send(isCopyable ? sending : needs.harmless)]);
      return reply;
    }
  }
}

/** Sends the bytes in two parts. */
async function sendSlowly({ send, retryUntilDone, pause }: FaultNeeds, betweenMs: number): Promise<Answered> {
  const reply = await send({ kind: "halves", until: pause(betweenMs) });
  return isAnswered(reply) && reply.status < 500 ? reply : retryUntilDone();
}

/** Sends the first half, sends the same bytes again and waits for the answer, and then sends the rest of the first. */
async function sendLate({ sending, spare }: FaultNeeds, again: () => Promise<Answered>): Promise<Answered> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const lateSend = spare().send(sending, { kind: "halves", until });
  const reply = await again().finally(() => release());
  await lateSend;
  return reply;
}
