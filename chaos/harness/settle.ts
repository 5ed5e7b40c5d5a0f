import { checkPromises, type Verdict } from "./check-promises.ts";
import type { Floor } from "./floor.ts";
import { countOpen, readJournal } from "./read-journal.ts";
import type { Receiver } from "./receiver.ts";
import type { Figure } from "./scenario.ts";
import type { Service } from "./service.ts";
import { waitUntil } from "./wait.ts";

export interface SettleNeeds {
  readonly floor: Floor;
  readonly service: Service;
  readonly receiver?: Receiver;
  readonly withinMs: number;
}

/** Lets everything come to rest – nothing unanswered, nothing on its way – stops the service and checks all promises. */
export async function settleAndCheck({ floor, service, receiver, withinMs }: SettleNeeds): Promise<Verdict> {
  await floor.work(service.url, { onlyPending: true }).done;
  // Where it does not come to rest, the check names what is left.
  if (receiver !== undefined) await waitUntil(() => countOpen(service.dataFolder) === 0, { withinMs, everyMs: 100 });
  await service.end("SIGTERM");
  const evidence = { ledger: floor.ledger, ...readJournal(service.dataFolder) };
  const verdict = checkPromises(
    receiver === undefined ? evidence : { ...evidence, arrivals: await receiver.arrivals() },
  );
  const open = floor.ledger.count("unanswered");
  if (open === 0) return verdict;
  return { ...verdict, violations: [...verdict.violations, `${open} events were never answered`] };
}

/** The figures that every scenario has in common; entries marked as possible repeats only where patience may end. */
export function promiseFigures(verdict: Verdict, { mostFlagged = 0 } = {}): readonly Figure[] {
  const { acknowledged, lost, doubled, flagged, reordered } = verdict;
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
    { what: "out of order", value: reordered, unit: "", bar: none },
  ];
}
