import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import { isOneOf } from "../../kit/narrow.ts";
import type { Engine } from "../engine.ts";
import { numbersOf, type PushedEntry } from "../intake/read-push.ts";
import type { Overruled, Overruling, PushUnderWay } from "./overruled-until.ts";

const isPush = (topic: string): topic is PushTopic => isOneOf(pushTopics, topic);

/**
 * Returns the engine for pushes. What a push says overrules what files and polls have said about the same order or item
 * before: the next file counts as new even if it is the same as the last one. If a push cancels an order and a poll
 * later finds the order changed, the order counts as released again, as if the poll had found the cancellation.
 */
export function overrulingPushes<Inner extends Pick<Engine, "accept" | "acceptIdempotent" | "acceptStaged">>(
  engine: Inner,
  overruling: Pick<Overruling, "begin" | "mayOverrule">,
): Inner {
  const mayOverrule = (topic: string): topic is PushTopic => isPush(topic) && overruling.mayOverrule(topic);
  /** Stores a push and then overrules. */
  const whole = async <Accepted extends object | null>(
    store: () => Promise<Accepted>,
    about: () => Iterable<Overruled>,
  ): Promise<Accepted> => {
    const push: PushUnderWay = overruling.begin();
    try {
      const accepted = await store();
      if (accepted !== null && "ids" in accepted) await push.overrule(about());
      return accepted;
    } finally {
      push.end();
    }
  };
  const aboutEntries = (entries: readonly PushedEntry[]) => () =>
    [...Map.groupBy(entries, ({ topic }) => topic)].flatMap(([topic, own]) =>
      isPush(topic) ? [{ topic, numbers: numbersOf(own) }] : [],
    );
  return {
    ...engine,
    accept: (entries, sender) => whole(() => engine.accept(entries, sender), aboutEntries(entries)),
    acceptStaged: ({ parts, end }) => {
      const about: { readonly topic: PushTopic; readonly numbers: string }[] = [];
      async function* noted() {
        for await (const part of parts) {
          const { topic = "", numbers } = part;
          if (numbers !== undefined && mayOverrule(topic)) about.push({ topic, numbers });
          yield part;
        }
      }
      function* inParts() {
        // Written by the thread that has read the part.
        for (const { topic, numbers } of about) yield { topic, numbers: JSON.parse(numbers) as string[] };
      }
      return whole(() => engine.acceptStaged({ parts: noted(), end }), inParts);
    },
    acceptIdempotent: (idempotency, entries, sender) =>
      whole(() => engine.acceptIdempotent(idempotency, entries, sender), aboutEntries(entries)),
  };
}
