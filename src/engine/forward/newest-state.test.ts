import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forwardSetup, inMemory, onDisk, type PlatformScript } from "../../../test/support/receivers/forward-setup.ts";
import { Fault } from "../../operation/fault.ts";
import { ok } from "../../operation/outcome.ts";

const well: PlatformScript = () => ok(null);
const answers: Record<string, PlatformScript> = {
  ok: well,
  later: () => new Promise((resolve) => setImmediate(() => resolve(ok(null)))),
  down: () => {
    throw new Fault("unreachable", "connection refused");
  },
  refused: () => {
    throw new Fault("rejected", "no", { answer: { status: 422 } });
  },
  silent: () => new Promise(() => {}),
};

const level = fc.record({
  item: fc.constantFrom("A", "B"),
  locationName: fc.constantFrom("R1", "R2"),
  // The level was counted on one of these days, or just now.
  day: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 3 }),
  /** Whether a level that was counted just now says so. */
  isDated: fc.boolean(),
});
const step = fc.record({
  levels: fc.array(level, { minLength: 1, maxLength: 8 }),
  answers: fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 1, maxLength: 4 }),
  passMs: fc.constantFrom(0, 0, 10, 1000, 20_000),
});
const course = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 12 }),
  concurrency: fc.constantFrom(1, 8),
  isKilledAfter: fc.option(fc.nat(11), { freq: 4 }),
});

describe.each([
  ["in memory", inMemory, 400],
  ["on disk", onDisk, 8],
])("with the journal %s", (_, open, numRuns) => {
  test("the platform never gets a stock level after a later one, and ends with the latest of each place", async () => {
    await fc.assert(
      fc.asyncProperty(course, async ({ steps, concurrency, isKilledAfter }) => {
        const setup = await forwardSetup(open(), { modes: { stock: "forward" }, concurrency });
        /**
         * Each amount is used once, so it identifies its level: the place, and the time for which the level is valid.
         */
        const pushed = new Map<number, { place: string; at: number; id: string }>();
        let calls = 0;
        for (const [index, one] of steps.entries()) {
          setup.answer((context) => (answers[one.answers[calls++ % one.answers.length] ?? "ok"] ?? well)(context));
          for (const { item, locationName, day, isDated } of one.levels) {
            const amount = pushed.size + 1;
            const at = day === null ? setup.clock.now() : Date.UTC(2025, 0, day);
            const asOf = day === null && !isDated ? {} : { asOf: new Date(at).toISOString() };
            const [id = ""] = await setup.push("stock", { itemNumber: item, locationName, amount, ...asOf });
            pushed.set(amount, { place: `${item} ${locationName}`, at, id });
          }
          if (index === isKilledAfter) await setup.restart();
          await setup.pass(one.passMs);
        }
        await finish(setup);
        const taken = setup.sent.filter(({ acceptedTick }) => acceptedTick !== null);
        taken.sort((a, b) => (a.acceptedTick ?? 0) - (b.acceptedTick ?? 0));
        const amounts = taken.map(({ payload }) => Number(Object(payload).amount));
        for (const [place, own] of Map.groupBy(pushed, ([, one]) => one.place)) {
          const ranked = own.sort(([a, { at: atA }], [b, { at: atB }]) => atA - atB || a - b).map(([amount]) => amount);
          const arrived = amounts.filter((amount) => pushed.get(amount)?.place === place);
          const inOrder = [...arrived].sort((a, b) => ranked.indexOf(a) - ranked.indexOf(b));
          expect(arrived).toEqual(inOrder);
          expect(arrived.at(-1)).toBe(ranked.at(-1));
        }
      }),
      { numRuns, endOnFailure: true },
    );
  }, 300_000);
});

type Setup = Awaited<ReturnType<typeof forwardSetup>>;

/** The platform works again, and an operator retries what it had refused. */
async function finish(setup: Setup): Promise<void> {
  setup.answer(well);
  for (let round = 0; round < 100; round++) {
    const open = setup.journal().read.list({ states: ["accepted", "retry", "inflight", "dead"], limit: 10_000 });
    if (open.length === 0) return;
    for (const { seq, state } of open) {
      if (state === "dead") await setup.outbox().act(seq, { action: "retry" }, "kim", setup.clock.now());
    }
    await setup.pass(20_000);
  }
  throw new Error("something never ends");
}
