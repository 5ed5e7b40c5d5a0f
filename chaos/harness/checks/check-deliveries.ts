import { readMark } from "../floor/floor-event.ts";
import type { Arrival } from "../receiver/receiver.ts";
import type { JournalEntry } from "./read-journal.ts";
import type { Violations } from "./violations.ts";

/**
 * I2, I4, I5: every delivered entry was accepted before, always has the same id, and arrives in the journal's order.
 */
export function checkDeliveries(
  entries: readonly JournalEntry[],
  arrivals: readonly Arrival[],
  { found, hasPauses }: { readonly found: Violations; readonly hasPauses: boolean },
): void {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const acceptances = new Set<number>();
  for (const arrival of arrivals) {
    const entry = bySeq.get(arrival.seq);
    if (entry === undefined) {
      found.add("the receiver got something that the journal does not have", `${arrival.seq} ${arrival.id}`);
      continue;
    }
    if (entry.id !== arrival.id) found.add("an entry was sent under another id", `${arrival.seq}: ${arrival.id}`);
    const mark = readMark(arrival.userEmail);
    if (mark?.order !== entry.order || mark.counter !== entry.counter || arrival.order !== entry.order) {
      found.add("an entry was sent with another content", `${arrival.seq}: ${arrival.userEmail}`);
    }
    if (arrival.acceptedTick !== null) acceptances.add(arrival.seq);
  }
  for (const { seq, state } of entries) {
    const accepted = acceptances.has(seq);
    if (state === "delivered" && !accepted) found.add("an entry counts as delivered that was never accepted", `${seq}`);
    if (state === "rejected" && accepted) found.add("an entry was refused to the platform but delivered", `${seq}`);
  }
  checkOrder(entries, hasPauses ? firstAcceptances(arrivals) : arrivals, found);
}

/**
 * A process that is paused right before it sends will send when it goes on. It cannot know that another process has
 * sent the entry meanwhile. So the entry arrives twice with the same id, which only the receiver can recognise.
 */
function firstAcceptances(arrivals: readonly Arrival[]): readonly Arrival[] {
  const accepted = new Set<number>();
  return arrivals.filter(({ seq, acceptedTick }) => {
    if (accepted.has(seq)) return false;
    if (acceptedTick !== null) accepted.add(seq);
    return true;
  });
}

/** No event of an order may start before all earlier ones were accepted, or be delivered again afterwards. */
function checkOrder(entries: readonly JournalEntry[], arrivals: readonly Arrival[], found: Violations): void {
  const arrivalsBySeq = Map.groupBy(arrivals, ({ seq }) => seq);
  const overtook = "an event overtook an earlier one of its order";
  for (const [order, lane] of Map.groupBy(entries, (entry) => entry.order)) {
    let earlier: { seq: number; firstAccepted: number; lastArrival: number } | null = null;
    for (const { seq, state } of lane) {
      const own = arrivalsBySeq.get(seq);
      const first = own?.[0]?.tick;
      const last = own?.at(-1)?.tick;
      if (first === undefined || last === undefined) continue;
      if (earlier !== null && (first < earlier.firstAccepted || first < earlier.lastArrival)) {
        found.add(overtook, `${order}: entry ${seq} began before ${earlier.seq} was done`);
      }
      // An operator or a policy let the lane continue, so there is no acceptance to wait for.
      if (state !== "delivered") continue;
      const firstAccepted = own?.find(({ acceptedTick }) => acceptedTick !== null)?.acceptedTick ?? last;
      earlier = { seq, firstAccepted, lastArrival: last };
    }
  }
}
