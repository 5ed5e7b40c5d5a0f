import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PushTopic } from "../../../src/contract/pushes.ts";
import { createOutbox } from "../../../src/engine/delivery/create-outbox.ts";
import type { Outbox } from "../../../src/engine/delivery/outbox.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { type ForwardModes, platformName, platformTarget } from "../../../src/engine/forward/forwarded.ts";
import { followMoves } from "../../../src/engine/intake/accept.ts";
import { readPush } from "../../../src/engine/intake/read-push.ts";
import { defaultBudgets } from "../../../src/engine/queries/call.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { emptyTables } from "../../../src/journal/memory/memory-tables.ts";
import { openMemoryJournal } from "../../../src/journal/memory/open-memory-journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/open-sqlite-journal.ts";
import { silentLog } from "../../../src/kit/log.ts";
import { manualClock } from "../../../src/kit/time/clock.ts";
import { manualTimers } from "../../../src/kit/time/timers.ts";
import { type AnyOutcome, ok } from "../../../src/operation/outcome.ts";
import type { CallContext } from "../../../src/sdk/connector.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** What the platform got. The moments of arrival and acceptance are on the same scale. */
export interface Sent {
  readonly id: string;
  readonly seq: number;
  readonly topic: string;
  readonly payload: unknown;
  readonly tick: number;
  acceptedTick: number | null;
}

export type PlatformScript = (context: CallContext) => AnyOutcome | Promise<AnyOutcome>;

/** Opens the journal with the same data on every call, even after it was closed. */
export type OpenAgain = () => Promise<Journal>;

export function inMemory(): OpenAgain {
  const tables = emptyTables();
  return async () => openMemoryJournal({ tables });
}

/** The journal as it runs in production: a writer in its own thread, on a real disk. */
export function onDisk(): OpenAgain {
  const databaseFile = join(temporaryFolder(), "crossdock.db");
  let opened: Journal | null = null;
  const close = async () => {
    const closing = opened;
    opened = null;
    await closing?.close();
  };
  onTestFinished(close);
  return async () => {
    opened ??= await openSqliteJournal({ databaseFile });
    return { ...opened, close };
  };
}

/** Delivers pushes to a scripted platform with the real engine, outbox and journal. The test moves the clock. */
export async function forwardSetup(openAgain: OpenAgain, given: { modes?: ForwardModes; concurrency?: number } = {}) {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const sent: Sent[] = [];
  let modes: ForwardModes = given.modes ?? {};
  let script: PlatformScript = () => ok(null);
  let tick = 0;
  let asked = 0;

  const send = async (topic: string, payload: unknown, context: CallContext): Promise<AnyOutcome> => {
    const { entryId: id = "", seq = 0 } = context.delivery ?? {};
    const one: Sent = { id, seq, topic, payload, tick: ++tick, acceptedTick: null };
    sent.push(one);
    const outcome = await script(context);
    if (outcome.ok) one.acceptedTick = ++tick;
    return outcome;
  };

  const common = { clock, timers, log: silentLog, onTouched: () => {}, newToken: randomUUID };

  const live = async () => {
    const journal = counted(await openAgain());
    const limits = { timeoutMs: 5000, concurrency: given.concurrency ?? 8 };
    const target = platformTarget({ senderOf: () => send, read: journal.read, limits });
    const targets = new Map([[platformName, target]]);
    const outbox = createOutbox({ ...common, journal, targets, random: () => 0.5 });
    followMoves({ ...common, journal, outbox });
    return { journal, outbox, engine: engineOf(journal, outbox) };
  };

  const engineOf = (journal: Journal, outbox: Outbox) =>
    createEngine({
      ...common,
      routing: { query: () => undefined, event: () => undefined },
      writing: { ...common, journal, outbox, repeatWindowMs: 0, isDiskFull: () => false, forwardModes: modes },
      budgets: defaultBudgets,
      served: { dates, invalidOrders: "quarantine" },
      newEntryId: () => `evt_${randomUUID()}`,
      newReference: () => "reference",
    });
  let now = await live();

  /**
   * Counts running calls of the journal. It may be in another thread, so a call takes real time although the test's
   * clock stands still.
   */
  function counted(journal: Journal): Journal {
    const call =
      <Given extends readonly unknown[], Answer>(run: (...given: Given) => Promise<Answer>) =>
      (...given: Given): Promise<Answer> => {
        asked++;
        return run(...given).finally(() => {
          asked--;
        });
      };
    const { append, start, settle, act } = journal;
    return { ...journal, append: call(append), start: call(start), settle: call(settle), act: call(act) };
  }

  const settle = async () => {
    do await timers.settle();
    while (asked > 0);
  };

  return {
    clock,
    sent,
    journal: () => now.journal,
    outbox: () => now.outbox,
    settle,
    /** Moves the clock in small steps, so that answers of the journal do not come an hour late. */
    pass: async (ms: number) => {
      await settle();
      for (let left = ms; left > 0; left -= pieceMs) {
        await timers.pass(Math.min(left, pieceMs));
        await settle();
      }
    },
    answer: (next: PlatformScript) => {
      script = next;
    },
    mode: (next: ForwardModes) => {
      modes = next;
      now = { ...now, engine: engineOf(now.journal, now.outbox) };
    },
    push: async (topic: PushTopic, value: unknown): Promise<readonly string[]> => {
      const reading = readPush(topic, value, dates);
      if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
      const acceptance = await now.engine.accept(reading.entries);
      if ("notStored" in acceptance) throw new Error("nothing was stored");
      return acceptance.ids;
    },
    /** Restarts as after a crash: everything in memory is lost, and running deliveries never report a result. */
    restart: async () => {
      const before = now;
      await before.journal.close();
      asked = 0;
      now = await live();
    },
  };
}

const pieceMs = 1000;
const dates = { timeZone: "UTC", timeOfDay: "00:00" };
