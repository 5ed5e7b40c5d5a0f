import type { Floor } from "../floor/floor.ts";
import type { Wait } from "../floor/ledger.ts";
import type { Arrival, Receiver } from "../receiver/receiver.ts";
import type { Figure } from "../scenario.ts";
import type { Service } from "../service/service.ts";
import { waitUntil } from "../wait.ts";
import { checkPromises, type Verdict } from "./check-promises.ts";
import { checkStore } from "./check-store.ts";
import { hasOpen, type JournalEntry, readFailedAttempts, readJournal } from "./read-journal.ts";

export interface SettleNeeds {
  readonly floor: Floor;
  readonly service: Service;
  readonly receiver?: Receiver;
  readonly withinMs: number;
  /** Absent: from the floor to the external system. */
  readonly direction?: "out" | "in";
  /** The times from a kill or power cut until the service served again. */
  readonly hardEnds?: readonly Wait[];
  readonly hasPauses?: boolean;
}

/** Waits until nothing is unanswered or undelivered, stops the service and checks all guarantees. */
export async function settleAndCheck(needs: SettleNeeds): Promise<Verdict> {
  const { floor, service, receiver, withinMs, hardEnds = [], hasPauses = false, direction = "out" } = needs;
  await floor.work(service.url, { onlyPending: true }).done;
  // If the wait times out, the check reports what is left.
  if (receiver !== undefined) await waitUntil(() => !hasOpen(service.dataFolder), { withinMs, everyMs: 100 });
  const leaks = await checkStore(service);
  await service.end("SIGTERM");
  const { dataFolder } = service;
  const evidence = {
    ledger: floor.ledger,
    ...readJournal(dataFolder, direction),
    failedAttempts: readFailedAttempts(dataFolder),
    hardEnds,
    hasPauses,
  };
  const verdict = checkPromises(
    receiver === undefined
      ? evidence
      : { ...evidence, arrivals: withSeqs(await receiver.arrivals(), evidence.entries) },
  );
  const open = floor.ledger.count("unanswered");
  const unanswered = open === 0 ? [] : [`${open} events were never answered`];
  return { ...verdict, violations: [...verdict.violations, ...unanswered, ...leaks] };
}

/** The platform gets only the id of an entry, so the number is looked up by the id. */
function withSeqs(arrivals: readonly Arrival[], entries: readonly JournalEntry[]): readonly Arrival[] {
  const seqById = new Map(entries.map(({ id, seq }) => [id, seq]));
  return arrivals.map((arrival) =>
    Number.isNaN(arrival.seq) || arrival.seq === 0 ? { ...arrival, seq: seqById.get(arrival.id) ?? 0 } : arrival,
  );
}

interface Tolerated {
  /**
   * The most answers that may be unread. If no sender hangs up on an answer, there are almost none; answers marked as
   * delivered too early would show here.
   */
  readonly unread?: number;
  /**
   * The most flagged events. If senders hang up all the time, the system may report a few hang-ups after the answer was
   * written.
   */
  readonly flagged?: number;
}

/** The figures that all scenarios share. */
export function promiseFigures(verdict: Verdict, tolerated: Tolerated = {}): readonly Figure[] {
  const { unread, flagged: mostFlagged = 0 } = tolerated;
  const { acknowledged, lost, doubled, flagged, unknowable, reordered, duplicates } = verdict;
  const none = { at: "most", limit: 0 } as const;
  return [
    { what: "acknowledged events", value: acknowledged, unit: "" },
    { what: "lost", value: lost, unit: "", bar: none },
    { what: "stored twice", value: doubled, unit: "", bar: none },
    {
      what: "stored twice, marked as possible repeats",
      value: flagged,
      unit: "",
      bar: { at: "most", limit: mostFlagged },
    },
    {
      ...{ what: "the same, answered in time but not read", value: unknowable, unit: "" },
      ...(unread === undefined ? {} : { bar: { at: "most", limit: unread } as const }),
    },
    { what: "out of order", value: reordered, unit: "", bar: none },
    { what: "delivered twice without a reason", value: duplicates.unexplained, unit: "", bar: none },
    { what: "delivered twice because the answer came too late", value: duplicates.afterSilence, unit: "" },
  ];
}
