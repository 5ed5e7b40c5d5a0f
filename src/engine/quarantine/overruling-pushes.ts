import { setImmediate as nextTurn } from "node:timers/promises";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { Log } from "../../kit/log.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { orderOfLane } from "../../operation/lane.ts";
import type { Engine } from "../engine.ts";
import type { PushedEntry } from "../intake/read-push.ts";
import type { Seen } from "./open-seen.ts";

const perTurn = 200;

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);
const numberOf = ({ lanes }: PushedEntry): string[] => lanes.flatMap((lane) => orderOfLane(lane) ?? []);

/**
 * The engine as pushes reach it: an order that is cancelled by a push and found again by a poll after it was changed is taken
 * for released, as if the poll had brought the cancellation.
 */
export function overrulingPushes<Inner extends Pick<Engine, "accept" | "acceptIdempotent">>(
  engine: Inner,
  { seen, log }: { readonly seen: Pick<Seen, "overrule">; readonly log: Log },
): Inner {
  const overrule = async (entries: readonly PushedEntry[]) => {
    try {
      for (let from = 0; from < entries.length; from += perTurn) {
        // A long push must not hold up the floor.
        if (from > 0) await nextTurn();
        const some = Map.groupBy(entries.slice(from, from + perTurn), ({ topic }) => topic);
        for (const [topic, own] of some) if (isPush(topic)) seen.overrule(topic, own.flatMap(numberOf));
      }
    } catch (error) {
      // The push is in the journal, and that is what counts.
      log.error({ err: error }, "what a push overrules could not be remembered");
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
