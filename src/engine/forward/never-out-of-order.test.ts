import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  forwardSetup,
  inMemory,
  onDisk,
  type PlatformScript,
  type Sent,
} from "../../../test/support/receivers/forward-setup.ts";
import { Fault } from "../../operation/fault.ts";
import { ok } from "../../operation/outcome.ts";

const answers: Record<string, PlatformScript> = {
  ok: () => ok(null),
  later: () => new Promise((resolve) => setImmediate(() => resolve(ok(null)))),
  down: () => {
    throw new Fault("unreachable", "connection refused");
  },
  locked: () => {
    throw new Fault("rejected", "locked", { answer: { isPassing: true } });
  },
  refused: () => {
    throw new Fault("rejected", "no", { answer: { status: 422 } });
  },
  silent: () => new Promise(() => {}),
};

const ordersPerRun = 50;
/**
 * On a real disk the tests run only a few of them; to run all: `INTERLEAVINGS=10000 npx vitest run src/engine/forward`.
 */
const interleavings = { memory: 10_000, disk: Number(process.env["INTERLEAVINGS"] ?? 500) };

const push = fc.record({ order: fc.nat(ordersPerRun - 1), isCancellation: fc.boolean() });
const step = fc.record({
  // Sent at the same instant, each by another sender.
  pushes: fc.array(push, { minLength: 1, maxLength: 12 }),
  answers: fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 1, maxLength: 5 }),
  passMs: fc.constantFrom(0, 0, 10, 1000, 20_000),
});
const interleaving = fc.record({
  steps: fc.array(step, { minLength: 4, maxLength: 12 }),
  concurrency: fc.constantFrom(1, 3, 8, 32),
  isKilledAfter: fc.option(fc.nat(11), { freq: 8 }),
});

const line = { itemNumber: "A", requestedAmount: 5 };
/** Each push is different: an equal one would be ignored as a duplicate. */
const pushed = (number: string, isCancellation: boolean, reason: string) =>
  isCancellation
    ? { topic: "cancellations" as const, value: { workOrderNumber: number, itemNumber: "A", reason } }
    : { topic: "workOrders" as const, value: { number, description: reason, dueDate: "2030-01-31", requests: [line] } };

/**
 * A stored push. The model requires that, within one order, a push that was answered before another was sent arrives
 * first.
 */
interface Receipt {
  readonly id: string;
  readonly order: string;
  readonly isCancellation: boolean;
  readonly sentAt: number;
  readonly answeredAt: number;
}

describe.each([
  ["in memory", inMemory, interleavings.memory],
  ["on disk", onDisk, interleavings.disk],
])("with the journal %s", (_, open, wanted) => {
  test(`in ${wanted} interleavings of orders and cancellations none arrives out of order, and none is missing`, async () => {
    const again = open();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(interleaving, async ({ steps, concurrency, isKilledAfter }) => {
        run++;
        const setup = await forwardSetup(again, {
          modes: { workOrders: "both", cancellations: "forward" },
          concurrency,
        });
        const receipts: Receipt[] = [];
        let instant = 0;
        let calls = 0;
        let made = 0;
        // Every order is pushed first, so that each cancellation concerns an existing order.
        const begin = Array.from({ length: ordersPerRun }, (_, index) => ({ order: index, isCancellation: false }));
        for (const [index, one] of [{ pushes: begin, answers: ["ok"], passMs: 0 }, ...steps].entries()) {
          setup.answer((context) => (answers[one.answers[calls++ % one.answers.length] ?? "ok"] ?? ok1)(context));
          const sentAt = ++instant;
          const pushing = one.pushes.map(async ({ order, isCancellation }) => {
            const number = `R${run}-${order}`;
            const { topic, value } = pushed(number, isCancellation, `push ${++made}`);
            const [id = ""] = await setup.push(topic, value);
            receipts.push({ id, order: number, isCancellation, sentAt, answeredAt: ++instant });
          });
          await Promise.all(pushing);
          if (index === isKilledAfter) await setup.restart();
          await setup.pass(one.passMs);
        }
        await finish(setup);
        expect(misplaced(receipts, setup.sent)).toEqual([]);
      }),
      { numRuns: Math.ceil(wanted / ordersPerRun) },
    );
  }, 900_000);
});

const ok1: PlatformScript = () => ok(null);

type Setup = Awaited<ReturnType<typeof forwardSetup>>;

/** The platform works again, and an operator retries what it had refused. */
async function finish(setup: Setup): Promise<void> {
  setup.answer(ok1);
  for (let round = 0; round < 200; round++) {
    const open = setup.journal().read.list({ states: ["accepted", "retry", "inflight", "dead"], limit: 10_000 });
    if (open.length === 0) return;
    for (const { seq, state } of open) {
      if (state === "dead") await setup.outbox().act(seq, { action: "retry" }, "kim", setup.clock.now());
    }
    await setup.pass(20_000);
  }
}

/** Every push that was acknowledged and is missing, or that was sent before an earlier one was accepted. */
function misplaced(receipts: readonly Receipt[], sent: readonly Sent[]): string[] {
  const arrivals = Map.groupBy(sent, ({ id }) => id);
  const found: string[] = [];
  for (const [order, own] of Map.groupBy(receipts, (receipt) => receipt.order)) {
    for (const later of own) {
      const first = arrivals.get(later.id)?.[0];
      if (first === undefined) found.push(`${order}: ${later.id} never arrived`);
      for (const earlier of own) {
        if (first === undefined || earlier.answeredAt >= later.sentAt) continue;
        const before = arrivals.get(earlier.id) ?? [];
        const accepted = before.find(({ acceptedTick }) => acceptedTick !== null)?.acceptedTick;
        const last = before.at(-1)?.tick;
        const isDone = accepted != null && last !== undefined && accepted < first.tick && last < first.tick;
        if (!isDone) found.push(`${order}: ${later.id} overtook ${earlier.id}`);
      }
    }
    // For pushes sent at the same instant, the journal decides the order; they are still sent one at a time.
    const inOrder = own.flatMap(({ id }) => arrivals.get(id) ?? []).sort((a, b) => a.tick - b.tick);
    for (const [index, one] of inOrder.entries()) {
      const next = inOrder[index + 1];
      if (next !== undefined && next.seq < one.seq) found.push(`${order}: ${next.seq} came after ${one.seq}`);
    }
  }
  return found;
}
