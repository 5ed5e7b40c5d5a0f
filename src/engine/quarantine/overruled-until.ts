import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { Log } from "../../kit/log.ts";
import { isOneOf } from "../../kit/narrow.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { Fault } from "../../operation/fault.ts";
import { numberOfLane } from "../../operation/lane.ts";
import type { KnownRecords } from "./open-known-records.ts";

/** Entries as the journal has them. */
export interface StoredPushes {
  readonly lastSeq: () => number;
  /** The entries of pushes, files and polls after one number, up to another, in order. */
  readonly between: (after: number, upTo: number) => readonly StoredPush[];
}

export interface StoredPush {
  readonly topic: string;
  readonly receivedAt: number;
  readonly lanes: readonly string[];
  /** The name of who pushed it, or of the connector that found it. */
  readonly sender: string | null;
}

export interface Overruled {
  readonly topic: PushTopic;
  readonly numbers: readonly string[];
}

/** A push from the moment before it is stored. */
export interface PushUnderWay {
  /** Overrules what was said before about these orders or items. Call this after the push is stored. */
  readonly overrule: (about: Iterable<Overruled>) => Promise<void>;
  readonly end: () => void;
}

export interface Overruling {
  readonly begin: () => PushUnderWay;
  /** Whether a push of this topic can overrule anything. */
  readonly mayOverrule: KnownRecords["mayOverrule"];
  /** Resolves when every stored push has overruled what was said before it. Call this before records are compared. */
  readonly upToDate: () => Promise<void>;
  /** Every push up to this entry has overruled what was said before it. */
  readonly until: () => number;
}

/** How many orders or items are overruled before the event loop continues with other work. */
const perTurn = 200;
const entriesPerTurn = 500;

/**
 * A push is stored in the journal, and what it overrules in another file. So a process that ends in between, or a power
 * cut, leaves a push that has overruled nothing: the next file with the older state would be called unchanged. Therefore
 * the other file also says up to which entry this was done, and the rest is done before records are compared.
 */
export function openOverruling(needs: {
  readonly knownRecords: Pick<KnownRecords, "overrule" | "overruleStored" | "overruledUntil" | "mayOverrule">;
  readonly stored: StoredPushes;
  /**
   * Whether entries of this sender were found by a connector. They overrule when they are remembered, and only what
   * differs: found again after a kill, they are remembered then.
   */
  readonly isConnector: (sender: string) => boolean;
  /** Whether the journal still stores a push of an earlier process. */
  readonly isCatchingUp: () => boolean;
  readonly timers: Pick<Timers, "soon">;
  readonly log: Log;
}): Overruling {
  const { knownRecords, stored, timers, log } = needs;
  /** The last entry before each push that is being stored. */
  const before = new Map<symbol, number>();
  /** The same for those that could not overrule, or whose process ended before. */
  let behindAfter = Math.min(knownRecords.overruledUntil() ?? Number.POSITIVE_INFINITY, stored.lastSeq());
  let repairedTo = Number.POSITIVE_INFINITY;
  let repairing: Promise<void> | null = null;
  const until = () => Math.min(stored.lastSeq(), behindAfter, repairedTo, ...before.values());
  const isPushed = ({ sender }: StoredPush) => sender === null || !needs.isConnector(sender);
  const nextTurn = () => new Promise<void>((next) => timers.soon(next));

  const repair = async () => {
    if (needs.isCatchingUp()) throw new Fault("broken", "an earlier push is still being stored; these are read again");
    let done = behindAfter;
    behindAfter = Number.POSITIVE_INFINITY;
    try {
      const last = stored.lastSeq();
      do {
        repairedTo = Math.min(done + entriesPerTurn, last);
        knownRecords.overruleStored(stored.between(done, repairedTo).filter(isPushed).flatMap(overruling), until());
        done = repairedTo;
        await nextTurn();
      } while (done < last);
    } catch (error) {
      behindAfter = Math.min(behindAfter, done);
      throw error;
    } finally {
      repairedTo = Number.POSITIVE_INFINITY;
    }
  };

  const overruleAll = async (about: Iterable<Overruled>) => {
    let isFirst = true;
    for (const { topic, numbers } of about) {
      for (let from = 0; from < numbers.length && knownRecords.mayOverrule(topic); from += perTurn) {
        // A long push must not block events of the floor.
        if (!isFirst) await nextTurn();
        isFirst = false;
        knownRecords.overrule(topic, numbers.slice(from, from + perTurn), until());
      }
    }
  };

  return {
    until,
    mayOverrule: knownRecords.mayOverrule,
    begin: () => {
      const call = Symbol("push");
      const last = stored.lastSeq();
      before.set(call, last);
      return {
        end: () => void before.delete(call),
        overrule: async (about) => {
          try {
            await overruleAll(about);
          } catch (error) {
            // The push is already in the journal, so an error here must not make it fail. The rest is done later.
            behindAfter = Math.min(behindAfter, last);
            log.error({ err: error }, "the records that a push overrules could not be updated");
          }
        },
      };
    },
    upToDate: async () => {
      if (behindAfter < Number.POSITIVE_INFINITY)
        repairing ??= repair().finally(() => {
          repairing = null;
        });
      await repairing;
    },
  };
}

const overruling = ({ topic, receivedAt, lanes }: StoredPush) =>
  isOneOf(pushTopics, topic) ? [{ topic, receivedAt, numbers: lanes.flatMap((lane) => numberOfLane(lane) ?? []) }] : [];
