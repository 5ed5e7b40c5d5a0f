import { setImmediate as nextTurn } from "node:timers/promises";
import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { Log } from "../../kit/log.ts";
import { isOneOf } from "../../kit/narrow.ts";
import type { Engine } from "../engine.ts";
import { numbersOf, type PushedEntry } from "../intake/read-push.ts";
import type { KnownRecords } from "./open-known-records.ts";

const perTurn = 200;

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);

/**
 * Returns the engine for pushes. What a push says overrules what files and polls have said about the same order or item
 * before: the next file counts as new even if it is the same as the last one. If a push cancels an order and a poll
 * later finds the order changed, the order counts as released again, as if the poll had found the cancellation.
 */
export function overrulingPushes<Inner extends Pick<Engine, "accept" | "acceptIdempotent" | "acceptStaged">>(
  engine: Inner,
  { knownRecords, log }: { readonly knownRecords: Pick<KnownRecords, "overrule" | "mayOverrule">; readonly log: Log },
): Inner {
  const mayOverrule = (topic: string): topic is PushTopic => isPush(topic) && knownRecords.mayOverrule(topic);
  const overruleAll = async (topic: PushTopic, numbers: readonly string[]) => {
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
      if (mayOverrule(topic)) await overruleAll(topic, numbersOf(own));
  };
  return {
    ...engine,
    accept: async (entries, sender) => {
      const accepted = await engine.accept(entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
    acceptStaged: async ({ parts, end }) => {
      const about: { readonly topic: PushTopic; readonly numbers: string }[] = [];
      async function* noted() {
        for await (const part of parts) {
          const { topic = "", numbers } = part;
          if (numbers !== undefined && mayOverrule(topic)) about.push({ topic, numbers });
          yield part;
        }
      }
      const accepted = await engine.acceptStaged({ parts: noted(), end });
      if (accepted !== null && "ids" in accepted)
        // Written by the thread that has read the part.
        for (const { topic, numbers } of about) await overruleAll(topic, JSON.parse(numbers) as string[]);
      return accepted;
    },
    acceptIdempotent: async (idempotency, entries, sender) => {
      const accepted = await engine.acceptIdempotent(idempotency, entries, sender);
      if ("ids" in accepted) await overrule(entries);
      return accepted;
    },
  };
}
