import { setImmediate as nextTurn } from "node:timers/promises";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { Log } from "../../kit/log.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { orderOfLane } from "../../operation/lane.ts";
import type { Engine } from "../engine.ts";
import type { PushedEntry } from "../intake/read-push.ts";
import type { KnownRecords } from "./open-known-records.ts";

const perTurn = 200;

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);
const numberOf = ({ lanes }: PushedEntry): string[] => lanes.flatMap((lane) => orderOfLane(lane) ?? []);

/**
 * Returns the engine for pushes. If a push cancels an order and a poll later finds the order changed, the order counts
 * as released again, as if the poll had found the cancellation.
 */
export function overrulingPushes<Inner extends Pick<Engine, "accept" | "acceptIdempotent">>(
  engine: Inner,
  { knownRecords, log }: { readonly knownRecords: Pick<KnownRecords, "overrule">; readonly log: Log },
): Inner {
  const overrule = async (entries: readonly PushedEntry[]) => {
    try {
      for (let from = 0; from < entries.length; from += perTurn) {
        // A long push must not block events of the floor.
        if (from > 0) await nextTurn();
        const some = Map.groupBy(entries.slice(from, from + perTurn), ({ topic }) => topic);
        for (const [topic, own] of some) if (isPush(topic)) knownRecords.overrule(topic, own.flatMap(numberOf));
      }
    } catch (error) {
      // The push is already in the journal, so an error here must not make it fail.
      log.error({ err: error }, "the records that a push overrules could not be updated");
    }
  };
  return {
    ...engine,
    accept: async (entries, sender) => {
      const accepted = await engine.accept(entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
    acceptIdempotent: async (idempotency, entries, sender) => {
      const accepted = await engine.acceptIdempotent(idempotency, entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
  };
}
