import { createOutbox } from "../../../src/engine/delivery/create-outbox.ts";
import type { OnAttempt, OutboxSettings } from "../../../src/engine/delivery/outbox.ts";
import type { Entry, NewEntry } from "../../../src/journal/entry.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { emptyTables } from "../../../src/journal/memory/memory-tables.ts";
import { openMemoryJournal } from "../../../src/journal/memory/open-memory-journal.ts";
import { type Log, silentLog } from "../../../src/kit/log.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { manualTimers } from "../../../src/kit/time/timers.ts";
import type { Tracing } from "../../../src/kit/tracing/tracing.ts";
import { Fault } from "../../../src/operation/fault.ts";
import { type AnyOutcome, ok } from "../../../src/operation/outcome.ts";

/** How the scripted target answers one entry. */
export type Script = (entry: Entry, signal: AbortSignal) => AnyOutcome | Promise<AnyOutcome>;

export const down: Script = () => {
  throw new Fault("unreachable", "connection refused");
};
export const silent: Script = () => new Promise(() => {});

export interface HarnessOptions {
  readonly settings?: Partial<OutboxSettings>;
  readonly ratePerSecond?: number;
  readonly timeoutMs?: number;
  readonly emissionTarget?: string;
  /** Further targets beside `erp`, which answer in the same way. */
  readonly alsoTargets?: readonly string[];
  readonly log?: Log;
  readonly mayDeliver?: () => boolean;
  readonly onAttempt?: OnAttempt;
  readonly newToken?: () => string;
  readonly tracing?: Tracing;
  /** Wraps the journal that the outbox uses, for example to make it fail. */
  readonly wrap?: (journal: Journal) => Journal;
}

/** An outbox on a journal in memory, with a target that does what the test says, and a clock that the test moves. */
export function outboxHarness(options: HarnessOptions = {}) {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const tables = emptyTables();
  const received: { id: string; seq: number; at: number }[] = [];
  let script: Script = () => ok(null);
  let inFlight = 0;
  let mostInFlight = 0;
  let made = 0;
  let tokens = 0;

  const target = {
    timeoutMs: options.timeoutMs ?? 15_000,
    ...(options.ratePerSecond === undefined ? {} : { ratePerSecond: options.ratePerSecond }),
    operate: async (entry: Entry, signal: AbortSignal) => {
      received.push({ id: entry.id, seq: entry.seq, at: clock.now() });
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      try {
        return await script(entry, signal);
      } finally {
        inFlight--;
      }
    },
  };

  const openJournal = () => {
    const { emissionTarget } = options;
    const journal = openMemoryJournal({ tables, ...(emissionTarget === undefined ? {} : { emissionTarget }) });
    return options.wrap?.(journal) ?? journal;
  };
  const openOutbox = (journal: Journal) =>
    createOutbox({
      journal,
      targets: new Map(["erp", ...(options.alsoTargets ?? [])].map((name) => [name, target])),
      clock,
      timers,
      random: () => 0.5,
      log: options.log ?? silentLog,
      newToken: options.newToken ?? (() => `token-${++tokens}`),
      onTouched: () => {},
      mayDeliver: options.mayDeliver,
      ...(options.onAttempt === undefined ? {} : { onAttempt: options.onAttempt }),
      ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
      ...(options.settings === undefined ? {} : { settings: options.settings }),
    });

  let journal = openJournal();
  let outbox = openOutbox(journal);

  const entry = (lanes: readonly string[], handling: NewEntry["handling"] = "queue"): NewEntry => ({
    id: `evt_${++made}`,
    direction: "out",
    topic: "confirmStep",
    lanes,
    body: "{}",
    payload: null,
    acceptLanguage: null,
    receivedAt: clock.now(),
    target: "erp",
    handling,
  });

  const sendTo = async (to: string, ...lanes: readonly (readonly string[])[]) => {
    const appended = await journal.append(lanes.map((each) => ({ ...entry(each), target: to })));
    outbox.add(appended.flatMap((one) => ("open" in one && one.open !== null ? [one.open] : [])));
    return appended.flatMap((one) => ("seq" in one ? [one.seq] : []));
  };

  return {
    clock,
    timers,
    received,
    entry,
    journal: () => journal,
    outbox: () => outbox,
    /** Sets how the target answers from now on. */
    answer: (next: Script) => {
      script = next;
    },
    /** Stores one entry per list of lanes and hands them to the outbox. */
    send: (...lanes: readonly (readonly string[])[]) => sendTo("erp", ...lanes),
    sendTo,
    /** Restarts as after a crash: everything in memory is lost, and running deliveries never report a result. */
    restart: async () => {
      await journal.close();
      journal = openJournal();
      outbox = openOutbox(journal);
      inFlight = 0;
    },
    inFlight: () => inFlight,
    mostInFlight: () => mostInFlight,
    receivedSeqs: () => received.map(({ seq }) => seq),
    stateOf: (seq: number) => journal.read.entry(seq)?.state,
    theTarget: () => outbox.overview().find(({ target: name }) => name === "erp"),
  };
}
