import { expect, test } from "vitest";
import { unreadTracing } from "../../../test/support/floor/unread-tracing.ts";
import { WorkOrderStatus } from "../../contract/enums.ts";
import type { Entry } from "../../journal/entry.ts";
import { type Journal, JournalDoubtful, JournalFailed } from "../../journal/journal.ts";
import { openMemoryJournal } from "../../journal/memory/open-memory-journal.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers, steadyTime } from "../../kit/time/timers.ts";
import type { Tracing } from "../../kit/tracing/tracing.ts";
import { Fault } from "../../operation/fault.ts";
import { NoAnswer } from "../../operation/no-answer.ts";
import { type AnyOutcome, ok, refuse } from "../../operation/outcome.ts";
import type { CallContext, Operate } from "../../sdk/connector.ts";
import { createOutbox } from "../delivery/create-outbox.ts";
import { defaultBudgets } from "../queries/call.ts";
import type { EventRoute } from "../queries/routing.ts";
import type { IncomingEvent } from "./deliver-now.ts";
import { eventFacts } from "./repeat-rule.ts";
import { createEventHandler } from "./take-event.ts";

interface SetUpOptions {
  readonly wrap: (journal: Journal) => Journal;
  readonly inline: (signal: AbortSignal) => AnyOutcome | Promise<AnyOutcome>;
  readonly mode?: EventRoute["mode"];
  /** Whether this process owns the deployment. */
  readonly mayDeliver?: () => boolean;
  readonly tracing?: Tracing | undefined;
}

/** Attachments are delivered while the platform waits. If that fails, delivery continues in the background. */
function setUp({ wrap, inline, mode = "direct-then-durable", mayDeliver, tracing }: SetUpOptions) {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const journal = wrap(openMemoryJournal({}));
  const sent: string[] = [];
  let made = 0;
  const needs = { journal, clock, timers, log: silentLog, onTouched: () => {}, newToken: () => `token-${++made}` };
  const target = {
    timeoutMs: 1000,
    operate: async ({ id }: Entry) => {
      sent.push(id);
      return ok(null);
    },
  };
  const outbox = createOutbox({ ...needs, targets: new Map([["erp", target]]), random: () => 0.5, mayDeliver });
  // The operations of all rows have this shape, but the type of the table cannot express it for a single row.
  const called = async (_input: unknown, { signal }: CallContext) => inline(signal);
  const operate = called as unknown as Operate<"attachWorkOrder">;
  const route = { target: "erp", mode, operate } as unknown as EventRoute;
  const event = createEventHandler({
    ...{ ...needs, tracing },
    outbox,
    routing: { query: () => undefined, event: () => route },
    budgets: defaultBudgets,
    repeatWindowMs: 900_000,
    steadyTime: steadyTime({ clock, timers }),
    underWay: new Map(),
    isDiskFull: () => false,
    newEntryId: () => `evt_${++made}`,
    newReference: () => "reference",
  });
  const input = { workOrderNumber: "WO-1", containerCode: "CT-1", isAbandonedOrCancelled: true };
  const body = JSON.stringify(input);
  const incoming: IncomingEvent = { input, body, payload: null, language: "en", acceptLanguage: null };
  return {
    clock,
    timers,
    journal,
    outbox,
    sent,
    attach: (more: Partial<IncomingEvent> = {}) => event("attachWorkOrder", { ...incoming, ...more }),
    /** The body was read in another thread, and is parsed again for the target. */
    attachLong: () => {
      const long = JSON.stringify({ ...input, lines: Array.from({ length: 200_000 }, (_, line) => line) });
      const facts = eventFacts("attachWorkOrder", input);
      return event("attachWorkOrder", {
        ...{ facts, body: long, payload: null, language: "en", acceptLanguage: null },
      });
    },
    place: (more: Partial<IncomingEvent> = {}) => {
      const input = { workOrderNumber: "WO-1", itemNumber: "A-1", completedAmount: 1 };
      return event("confirmPutWallPlacement", { ...incoming, input, body: JSON.stringify(input), ...more });
    },
    giveBack: (more: Partial<IncomingEvent> = {}) => {
      const input = { number: "WO-1", status: WorkOrderStatus.Abandoned };
      return event("changeStatus", { ...incoming, input, body: JSON.stringify(input), ...more });
    },
  };
}

test.each([
  ["", undefined],
  [", and deliveries are traced", unreadTracing()],
])(
  "a stored event is answered with success and delivered, although the disk cannot be read just then%s",
  async (_, tracing) => {
    let isReadable = true;
    const unreadable = (read: Journal["read"]): Journal["read"] => ({
      ...read,
      brief: (seqOrId) => {
        if (!isReadable) throw new JournalFailed("disk I/O error");
        return read.brief(seqOrId);
      },
      open: (afterSeq, limit) => {
        if (!isReadable) throw new JournalFailed("disk I/O error");
        return read.open(afterSeq, limit);
      },
    });
    const { timers, journal, sent, attach } = setUp({
      wrap: (inner) => ({ ...inner, read: unreadable(inner.read) }),
      tracing,
      inline: () => ok(null),
    });
    await timers.settle();
    isReadable = false;
    const { outcome, given } = await attach();
    isReadable = true;
    expect(outcome.ok).toBe(true);
    await timers.pass(5_000);
    expect(sent).toHaveLength(1);
    expect(journal.read.entry(given?.seq ?? 0)?.state).toBe("delivered");
  },
);

test("an event that the target cannot take just now is kept and delivered later, also with direct delivery", async () => {
  const { timers, sent, attach, journal } = setUp({
    wrap: (inner) => inner,
    inline: () => {
      throw new Fault("unreachable", "deadlock", { answer: { isBusy: true } });
    },
  });
  expect(await attach()).toMatchObject({ outcome: { ok: true } });
  await timers.pass(60_000);
  expect(sent).toHaveLength(1);
  expect(journal.read.counts()).toMatchObject({ delivered: 1 });
});

test("only the answer to a success decides whether the same event again is a retry; a refused event may always be sent again", async () => {
  const refused = setUp({ wrap: (inner) => inner, inline: () => refuse("WorkOrderDoesNotExist") });
  const taken = setUp({ wrap: (inner) => inner, inline: () => ok(null) });
  await refused.timers.settle();
  await taken.timers.settle();
  expect((await refused.place()).given?.isDistinct).toBe(false);
  expect((await taken.place()).given?.isDistinct).toBe(true);
  expect((await taken.place({ idempotencyKey: "k-1" })).given?.isDistinct).toBe(true);
});

test("an event that has an idempotency key in only one of two requests is one event", async () => {
  const { timers, attach } = setUp({ wrap: (inner) => inner, inline: () => ok(null) });
  await timers.settle();
  const first = await attach();
  expect(await attach({ idempotencyKey: "k-1" })).toEqual(first);
  expect(await attach()).toEqual(first);
});

test("an event that is sent again after the clock was put forward or back is a retry, as long as its time has not passed", async () => {
  const { clock, timers, place } = setUp({ wrap: (inner) => inner, inline: () => ok(null), mode: "durable" });
  // Nobody has noted that an answer arrived.
  const first = (await place()).given?.seq;
  clock.advance({ days: 2 });
  expect((await place()).given?.seq).toBe(first);
  await timers.pass(10 * 60_000);
  clock.advance({ days: -1 });
  expect((await place()).given?.seq).toBe(first);
  await timers.pass(6 * 60_000);
  const second = (await place()).given?.seq;
  expect(second).not.toBe(first);
  clock.advance({ days: 8 });
  await timers.pass(16 * 60_000);
  const keyed = (await place({ idempotencyKey: "k" })).given?.seq;
  expect(keyed).not.toBe(second);
  clock.advance({ days: 8 });
  await timers.pass(16 * 60_000);
  expect((await place({ idempotencyKey: "k" })).given?.seq).toBe(keyed);
});

test("the same status again is a retry, unless anything else has happened to the order since", async () => {
  const { timers, giveBack, place, attach } = setUp({ wrap: (inner) => inner, inline: () => ok(null) });
  await timers.settle();
  const first = await giveBack();
  expect(await giveBack()).toEqual(first);
  expect(await giveBack({ idempotencyKey: "k-1" })).toEqual(first);
  await place();
  const second = await giveBack();
  expect(second.given?.seq).not.toBe(first.given?.seq);
  await attach();
  expect((await giveBack({ idempotencyKey: "k-2" })).given?.seq).not.toBe(second.given?.seq);
});

test("a retry that arrives before the refusal is stored is refused too, and not answered with success", async () => {
  let isWritable = true;
  const { timers, journal, sent, attach } = setUp({
    wrap: (inner) => ({
      ...inner,
      settle: (...given) => (isWritable ? inner.settle(...given) : Promise.reject(new JournalFailed("disk I/O error"))),
    }),
    inline: () => refuse("WorkOrderAlreadyAttached"),
  });
  await timers.settle();
  isWritable = false;
  const first = await attach();
  const again = await attach();
  expect(first.outcome).toMatchObject({ ok: false, result: "WorkOrderAlreadyAttached" });
  expect(again).toEqual(first);
  isWritable = true;
  await timers.pass(1_000);
  expect(journal.read.entry(first.given?.seq ?? 0)?.state).toBe("rejected");
  expect(sent).toEqual([]);
});

test("an event that was stored by a process that is no longer the owner is not sent by it", async () => {
  let isOurs = true;
  let calls = 0;
  const { timers, sent, journal, attach } = setUp({
    wrap: (inner) => ({
      ...inner,
      append: async (...given) => {
        const appended = await inner.append(...given);
        isOurs = false;
        return appended;
      },
    }),
    inline: () => {
      calls++;
      return ok(null);
    },
    mayDeliver: () => isOurs,
  });
  await timers.settle();
  const { outcome, given } = await attach();
  await timers.pass(5_000);
  expect({ calls, sent, ok: outcome.ok }).toEqual({ calls: 0, sent: [], ok: true });
  expect(journal.read.entry(given?.seq ?? 0)?.state).toBe("accepted");
});

test("a long event is not sent if another process takes over while it is parsed for the target", async () => {
  let calls = 0;
  const { timers, outbox, attachLong } = setUp({
    wrap: (inner) => inner,
    inline: () => {
      calls++;
      return ok(null);
    },
  });
  await timers.settle();
  const answer = attachLong();
  // Stored, and not yet parsed.
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toBe(0);
  outbox.abandon();
  expect(await answer).toMatchObject({ outcome: { ok: true } });
  expect(calls).toBe(0);
});

test("the call for a waiting platform ends when another process takes over, and the event is delivered there", async () => {
  const seen: { signal?: AbortSignal } = {};
  const { timers, outbox, attach } = setUp({
    wrap: (inner) => inner,
    inline: (signal) => {
      seen.signal = signal;
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Fault("unreachable", "aborted")));
      });
    },
  });
  await timers.settle();
  const answer = attach();
  await timers.settle();
  outbox.abandon();
  expect(seen.signal?.aborted).toBe(true);
  expect(await answer).toMatchObject({ outcome: { ok: true } });
});

test.each([
  ["the journal cannot tell whether it is stored", new JournalDoubtful("PostgreSQL did not confirm"), true],
  ["another process owns the deployment", new JournalFailed("taken over"), false],
])("a refusal is not answered if %s: the next owner delivers the event", async (_, failure, isOurs) => {
  for (const mode of ["direct", "direct-then-durable"] as const) {
    let isOwner = true;
    const verdicts: string[] = [];
    const { timers, attach } = setUp({
      wrap: (inner) => ({
        ...inner,
        settle: (_lease, verdict) => {
          isOwner = isOurs;
          verdicts.push(verdict.state);
          return Promise.reject(failure);
        },
      }),
      inline: () => refuse("WorkOrderAlreadyAttached"),
      mode,
      mayDeliver: () => isOwner,
    });
    await timers.settle();
    await expect(attach(), mode).rejects.toBeInstanceOf(NoAnswer);
    // The refusal alone is stored: stored as open, the event would be delivered after it was refused.
    expect(verdicts, mode).toEqual(["rejected"]);
  }
});
