import { type OfferedId, operationIds } from "../contract/operations.ts";
import type { DeliveryTarget } from "../engine/delivery/create-outbox.ts";
import { deliveryOf } from "../engine/queries/call.ts";
import type { JournalReader } from "../journal/journal.ts";
import type { UserCount } from "../kit/current-snapshot.ts";
import { isOneOf } from "../kit/narrow.ts";
import { chooseLanguage } from "../messages/choose-language.ts";
import { Fault } from "../operation/fault.ts";
import { ok } from "../operation/outcome.ts";
import { asSent } from "../operation/platform-ids.ts";
import type { OpenConnector, Operate } from "../sdk/connector.ts";

const isOperation = (topic: string): topic is OfferedId => isOneOf(operationIds, topic);

/** A connector as a delivery target. */
export function connectorTarget(
  connector: Pick<OpenConnector, "operations" | "notices">,
  limits: {
    users: UserCount;
    read: JournalReader;
    timeoutMs: number;
    concurrency: number;
    ratePerSecond: number | undefined;
  },
): DeliveryTarget {
  const { users, read, timeoutMs, concurrency, ratePerSecond } = limits;
  // Inputs in the journal were validated against their own row; the union of all rows cannot express that.
  const operations = connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
  return {
    systems: [connector],
    users,
    timeoutMs,
    concurrency,
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    operate: async (entry, signal, record) => {
      // Each operation takes the input of its own row; this entry was validated against it when it was accepted.
      const input = asSent(entry) as never;
      const language = chooseLanguage(entry.acceptLanguage ?? undefined);
      const delivery = deliveryOf(entry, read);
      const context = { language, signal, delivery, ...(record === undefined ? {} : { record }) };
      if (!isOperation(entry.topic)) {
        // The connector does not want receipts. A dead receipt would block all later entries of the order's lane.
        if (connector.notices === undefined) return ok(null, { isUnsent: true });
        return connector.notices(entry.topic, input, context);
      }
      const operate = operations[entry.topic];
      if (operate === undefined) throw notTaken(entry.topic);
      return operate(input, context);
    },
  };
}

const notTaken = (topic: string) => new Fault("rejected", `the connector accepts no entries of topic ${topic}`);
