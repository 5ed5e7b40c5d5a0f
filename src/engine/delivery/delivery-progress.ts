import type { Journal, Lease } from "../../journal/journal.ts";
import { Fault } from "../../operation/fault.ts";
import type { DeliveryProgress } from "../../sdk/connector.ts";

/** Reads and stores how far the delivery of an entry came. Only the holder of the entry's lease may store it. */
export function deliveryProgress({
  journal,
  lease,
  restart,
}: {
  readonly journal: Pick<Journal, "note" | "read">;
  readonly lease: Lease;
  readonly restart: DeliveryProgress["restart"];
}): DeliveryProgress {
  const { seq } = lease;
  return {
    noted: () => journal.read.progress(seq),
    note: async (marks) => {
      const isStored = await journal.note(lease, marks).catch((error: unknown) => {
        // The disk is at fault, not the entry. The delivery is retried and continues at this step.
        const text = `the progress could not be stored: ${error instanceof Error ? error.message : String(error)}`;
        throw new Fault("unreachable", text, { cause: error, answer: { isBusy: true } });
      });
      if (!isStored)
        throw new Fault("unreachable", "another attempt has taken over; this one sends nothing more", {
          answer: { isBusy: true },
        });
    },
    wasTried: () => journal.read.latestAttempt(seq) !== null,
    restart,
  };
}
