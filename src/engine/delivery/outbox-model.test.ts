import fc from "fast-check";
import { expect, test } from "vitest";
import { down, outboxHarness, type Script } from "../../../test/support/floor/outbox-harness.ts";
import type { Entry } from "../../journal/entry.ts";
import { Fault } from "../../operation/fault.ts";
import { ok, refuse } from "../../operation/outcome.ts";

const answers: Record<string, Script> = {
  ok: () => ok(null),
  refused: () => refuse("OperationFailed"),
  locked: () => {
    throw new Fault("rejected", "locked", { answer: { isPassing: true } });
  },
  broken: () => {
    throw new TypeError("a bug");
  },
  down,
  silent: () => new Promise(() => {}),
  later: () => new Promise((resolve) => setImmediate(() => resolve(ok(null)))),
};

const lanes = fc.uniqueArray(fc.constantFrom("wo:1", "wo:2", "wo:3", "ct:1", "ct:2"), { maxLength: 3 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ send: fc.array(lanes, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ answers: fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 1 }) }),
  },
  { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(0, 100, 1000, 16_000, 90_000, 3_600_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom("retry", "edit", "skip", "replay"),
      on: fc.nat(40),
      soon: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ direct: lanes, ends: fc.constantFrom("delivered", "accepted", "rejected") }) },
  { weight: 1, arbitrary: fc.constant({ restart: true as const }) },
  { weight: 1, arbitrary: fc.record({ pause: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ owns: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ jumpMs: fc.constantFrom(-3_600_000, 3_600_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("any interleaving keeps each lane's order, loses nothing and gives each entry one id", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(1, 2, 8),
      fc.constantFrom(3, 10, 10_000),
      async (steps, concurrency, window) => {
        const run = play({ concurrency, window, heldWindow: 2 });
        for (const one of steps) await run.step(one);
        await run.finish();
      },
    ),
    { numRuns: 300 },
  );
});

/** Runs the steps and checks on every call of the target that no entry overtakes another. */
function play(settings: { concurrency: number; window: number; heldWindow: number }) {
  let isOurs = true;
  const box = outboxHarness({ settings, timeoutMs: 5000, mayDeliver: () => isOurs });
  const busy = new Map<string, number>();
  const idBySeq = new Map<number, string>();
  const sent: number[] = [];
  const direct = new Set<number>();
  let wanted: string[] = ["ok"];
  let calls = 0;
  let life = 0;

  const isOpen = (entry: Entry | null) => entry !== null && ["accepted", "retry", "inflight"].includes(entry.state);

  /**
   * Violations are collected, not thrown: an error thrown in a delivery would count as the target's bug and be retried.
   */
  const violations: string[] = [];
  const check = (entry: Entry) => {
    const { seq, id } = entry;
    if ((idBySeq.get(seq) ?? id) !== id) violations.push(`${seq} went out as ${idBySeq.get(seq)} and as ${id}`);
    idBySeq.set(seq, id);
    for (const { lane } of entry.lanes) {
      if (busy.has(lane)) violations.push(`${seq} started while ${busy.get(lane)} was in flight on ${lane}`);
      for (const earlier of sent.filter((other) => other < seq)) {
        const other = box.journal().read.entry(earlier);
        const isInTheWay = isOpen(other) || other?.state === "dead";
        if (isInTheWay && other?.lanes.some((own) => own.lane === lane)) {
          violations.push(`${seq} overtook ${earlier}, ${other.state}, on ${lane}`);
        }
      }
    }
  };

  box.answer(async (entry, signal) => {
    check(entry);
    const mine = life;
    for (const { lane } of entry.lanes) busy.set(lane, entry.seq);
    const release = () => {
      if (mine === life) for (const { lane } of entry.lanes) if (busy.get(lane) === entry.seq) busy.delete(lane);
    };
    signal.addEventListener("abort", release);
    try {
      return (await (answers[wanted[calls++ % wanted.length] ?? "ok"] ?? answers["ok"])?.(entry, signal)) ?? ok(null);
    } finally {
      release();
    }
  });

  const send = async (list: readonly (readonly string[])[]) => {
    // The model knows the entries before the outbox can deliver them.
    const entries = list.map((each) => box.entry(each));
    const appended = await box.journal().append(entries);
    const open = appended.flatMap((one) => ("open" in one && one.open !== null ? [one.open] : []));
    sent.push(...open.map(({ seq }) => seq));
    box.outbox().add(open);
  };

  const deliverDirectly = async (own: readonly string[], ends: string) => {
    const reservation = box.outbox().reserve(own, "erp");
    if (reservation === null) return;
    const [held] = await box.journal().append([box.entry(own, "hold")], "direct");
    if (held === undefined || !("seq" in held)) throw new Error("nothing was stored");
    const { seq } = held;
    sent.push(seq);
    direct.add(seq);
    const entry = box.journal().read.entry(seq);
    if (entry !== null) check(entry);
    for (const lane of own) busy.set(lane, seq);
    await box.timers.settle();
    for (const lane of own) busy.delete(lane);
    const state = ends as "delivered" | "accepted" | "rejected";
    await box.journal().settle({ seq, token: "direct" }, { state }, null);
    const open = state === "accepted" ? box.journal().read.open(seq - 1, 1)[0] : undefined;
    reservation.release(open?.seq === seq ? open : undefined, state === "accepted" ? "trouble" : "answer");
  };

  const act = async (action: string, on: number, soon: boolean) => {
    const seq = sent[on % Math.max(1, sent.length)];
    if (seq === undefined) return;
    const reason = "because";
    const decision =
      action === "retry"
        ? { action: "retry" as const }
        : action === "edit"
          ? { action: "edit" as const, body: '{"edited":true}', reason }
          : { action: action as "skip" | "replay", reason };
    const acted = box.outbox().act(seq, decision, "kim", box.clock.now());
    if (!soon) await acted;
  };

  const stepOn = async (one: Step) => {
    if ("send" in one) await send(one.send);
    else if ("answers" in one) wanted = one.answers;
    else if ("passMs" in one) await box.timers.pass(one.passMs);
    else if ("act" in one) await act(one.act, one.on, one.soon);
    else if ("direct" in one) await deliverDirectly(one.direct, one.ends);
    else if ("jumpMs" in one) box.clock.advance({ ms: one.jumpMs });
    else if ("owns" in one) isOurs = one.owns;
    else if ("pause" in one) box.outbox()[one.pause ? "pause" : "resume"]("erp");
    else {
      life++;
      busy.clear();
      await box.restart();
    }
  };

  return {
    step: stepOn,
    /** The target works again and a person retries all dead entries; then all entries must arrive. */
    finish: async () => {
      wanted = ["ok"];
      isOurs = true;
      box.outbox().resume("erp");
      await box.timers.pass(60_000);
      for (let round = 0; round < 50; round++) {
        const dead = box.journal().read.list({ states: ["dead"], limit: 1000 });
        for (const { seq } of dead) await box.outbox().act(seq, { action: "retry" }, "kim", box.clock.now());
        await box.timers.pass(60_000);
        if (dead.length === 0) break;
      }
      await box.timers.pass(4_000_000);
      const left = box.journal().read.list({ states: ["accepted", "retry", "inflight", "dead"], limit: 1000 });
      expect(violations).toEqual([]);
      expect(left.map(({ seq, state, lanes: own }) => ({ seq, state, own }))).toEqual([]);
      const delivered = sent.filter((seq) => box.stateOf(seq) === "delivered");
      const arrived = new Set(box.receivedSeqs());
      expect(delivered.filter((seq) => !arrived.has(seq) && !direct.has(seq))).toEqual([]);
      expect(box.theTarget()).toMatchObject({ waiting: 0, inFlight: 0 });
    },
  };
}
