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
export function overrulingPushes<Inner extends Pick<Engine, "accept" | "acceptIdempotent" | "acceptStaged">>(
  engine: Inner,
  { knownRecords, log }: { readonly knownRecords: Pick<KnownRecords, "overrule">; readonly log: Log },
): Inner {
  const overruleOrders = async (topic: string, numbers: readonly string[]) => {
    if (!isPush(topic)) return;
    try {
      for (let from = 0; from < numbers.length; from += perTurn) {
        // A long push must not block events of the floor.
        if (from > 0) await nextTurn();
        knownRecords.overrule(topic, numbers.slice(from, from + perTurn));
      }
    } catch (error) {
      // The push is already in the journal, so an error here must not make it fail.
      log.error({ err: error }, "the records that a push overrules could not be updated");
    }
  };
  const overrule = async (entries: readonly PushedEntry[]) => {
    for (const [topic, own] of Map.groupBy(entries, ({ topic }) => topic))
      await overruleOrders(topic, own.flatMap(numberOf));
  };
  return {
    ...engine,
    accept: async (entries, sender) => {
      const accepted = await engine.accept(entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
    acceptStaged: async ({ parts, end }) => {
      const about: { readonly topic: string; readonly orders: readonly string[] }[] = [];
      async function* noted() {
        for await (const part of parts) {
          about.push({ topic: part.topic ?? "", orders: part.orders ?? [] });
          yield part;
        }
      }
      const accepted = await engine.acceptStaged({ parts: noted(), end });
      if (accepted !== null && "ids" in accepted)
        for (const { topic, orders } of about) await overruleOrders(topic, orders);
      return accepted;
    },
    acceptIdempotent: async (idempotency, entries, sender) => {
      const accepted = await engine.acceptIdempotent(idempotency, entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
  };
}
