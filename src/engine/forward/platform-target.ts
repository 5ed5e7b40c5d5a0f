import { type PushTopic, pushTopics } from "../../contract/pushes.ts";
import type { JournalReader } from "../../journal/journal.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import { Fault } from "../../sdk/fault.ts";
import { deliveryOf } from "../delivery-of.ts";
import type { DeliveryTarget } from "../outbox/delivery-target.ts";
import { platformName } from "./forward-mode.ts";

export interface PlatformTargetNeeds {
  /** Sends a push of this topic; undefined where no request is configured for it. */
  readonly senderOf: (topic: PushTopic) => OpenConnector["notices"];
  readonly read: JournalReader;
  readonly limits: Omit<DeliveryTarget, "operate">;
}

const isPush = (topic: string): topic is PushTopic => (pushTopics as readonly string[]).includes(topic);

/** The platform's own interface as the outbox sees it: one request per topic. */
export function platformTarget({ senderOf, read, limits }: PlatformTargetNeeds): DeliveryTarget {
  return {
    ...limits,
    operate: async (entry, signal, record) => {
      const { topic } = entry;
      const send = isPush(topic) ? senderOf(topic) : undefined;
      if (send === undefined) {
        // Dropped in silence it would be lost; so a person decides.
        const hint = "configure it again and retry the entry, or skip it";
        throw new Fault("rejected", `${platformName}.forward has no request for ${topic} any more: ${hint}`);
      }
      const delivery = deliveryOf(entry, read);
      const context = { language: "en", signal, delivery, ...(record === undefined ? {} : { record }) } as const;
      return send(topic, JSON.parse(entry.payload ?? entry.body), context);
    },
  };
}
