import type { OperationId } from "../../contract/operations.ts";
import type { Random } from "../../kit/seeded-random.ts";
import { type Answered, type Channel, isAnswered, type Manner, type Reply, type Sending } from "./channel.ts";
import type { FaultName, FaultRates } from "./fault-rates.ts";
import type { Tally } from "./tally.ts";

/** Faults around a single call; the others are played by the floor. */
const networkFaults = ["repeat", "abort", "late", "parallel"] as const satisfies readonly FaultName[];
export type NetworkFault = (typeof networkFaults)[number];

export function drawFault(random: Random, rates: FaultRates): NetworkFault | null {
  // Always the same number of draws, so that one fault switched off does not move all others.
  const drawn = networkFaults.filter((name) => random.chance(rates[name]));
  return drawn[0] ?? null;
}

export interface FaultNeeds {
  readonly id: OperationId;
  readonly sending: Sending;
  /** Whether a copy may come even after the answer. */
  readonly isCopyable: boolean;
  /** Sent beside what must not be sent twice. */
  readonly harmless: Sending;
  readonly random: Random;
  readonly tally: Tally;
  /** Sends once, in some manner. */
  readonly send: (manner: Manner) => Promise<Reply>;
  /** Sends properly until somebody answers. */
  readonly insist: () => Promise<Answered>;
  readonly spare: () => Channel;
  readonly pause: (ms: number) => Promise<void>;
}

/** Plays a fault around a call; in the end the call is answered, as on any floor. */
export async function playFault(fault: NetworkFault, needs: FaultNeeds): Promise<Answered> {
  const { sending, isCopyable, tally, send, insist, spare } = needs;
  tally.countFault(fault);
  const draw = needs.random.whole(0, 12);
  const again = () => {
    tally.resend();
    return insist();
  };
  switch (fault) {
    case "repeat": {
      const reply = await send({ kind: "given up", afterMs: draw });
      // Answered in time all the same: a copy of what can be told apart may still come, as if the answer was lost.
      return isAnswered(reply) && !isCopyable ? reply : again();
    }
    case "abort": {
      const isCut = draw % 2 === 0 && sending.body !== null;
      const reply = await send(isCut ? { kind: "cut" } : { kind: "given up", afterMs: 0 });
      return isAnswered(reply) ? reply : again();
    }
    case "late":
      return isCopyable && sending.body !== null ? straggle(needs, again) : dribble(needs, 10 * draw);
    case "parallel": {
      if (isCopyable) tally.resend();
      const [reply] = await Promise.all([insist(), spare().send(isCopyable ? sending : needs.harmless)]);
      return reply;
    }
  }
}

/** The bytes come in two parts. */
async function dribble({ send, insist, pause }: FaultNeeds, betweenMs: number): Promise<Answered> {
  const reply = await send({ kind: "halves", until: pause(betweenMs) });
  return isAnswered(reply) && reply.status < 500 ? reply : insist();
}

/** The first sending gets stuck half way, the same is sent again and answered, and then the rest of the first comes. */
async function straggle({ sending, spare }: FaultNeeds, again: () => Promise<Answered>): Promise<Answered> {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const straggler = spare().send(sending, { kind: "halves", until });
  const reply = await again().finally(() => release());
  await straggler;
  return reply;
}
