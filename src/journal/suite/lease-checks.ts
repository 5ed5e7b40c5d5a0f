import { deepEqual, equal, rejects } from "node:assert/strict";
import { interrupted } from "../entry.ts";
import { JournalFailed } from "../journal.ts";
import { attempt, type JournalCheck, openSeqs, store } from "./journal-check.ts";

const times = { startedAt: 2000, endedAt: 2500 };

export const leaseChecks: readonly JournalCheck[] = [
  {
    name: "a lease has one holder, and only the holder may settle",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      equal((await journal.start(seq, "mine"))?.state, "inflight");
      equal(await journal.start(seq, "yours"), null);
      equal((await journal.settle({ seq, token: "yours" }, { state: "delivered" }, times)).done, false);
      equal(journal.read.entry(seq)?.state, "inflight");
      deepEqual(journal.read.attempts(seq), []);
      equal((await journal.settle({ seq, token: "mine" }, { state: "delivered" }, times)).done, true);
      equal((await journal.settle({ seq, token: "mine" }, { state: "delivered" }, times)).done, false);
      equal(await journal.start(seq, "mine"), null);
    },
  },
  {
    name: "asked again with the same token, the same lease is given, and it counts as one attempt",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      const first = await journal.start(seq, "mine");
      deepEqual(await journal.start(seq, "mine"), first);
      equal(first?.attempts, 1);
    },
  },
  {
    name: "an entry whose target has no request for it is done: its lane is released, and it does not count as delivered",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      const next = await store(journal);
      await journal.start(seq, "mine");
      equal((await journal.settle({ seq, token: "mine" }, { state: "delivered", isUnsent: true }, null)).done, true);
      const { state, deliveredAt } = journal.read.entry(seq) ?? {};
      deepEqual([state, deliveredAt, journal.read.attempts(seq)], ["delivered", null, []]);
      equal(await attempt(journal, next.seq, { state: "delivered" }), true);
      // If a request is configured later, the entry can still be sent.
      equal((await journal.act(seq, { action: "replay", reason: "described" }, "kim", 6000))?.length, 1);
      equal(await attempt(journal, seq, { state: "delivered" }), true);
      equal(journal.read.entry(seq)?.deliveredAt === null, false);
    },
  },
  {
    name: "after a restart, leases from before it are void at once",
    run: async (open) => {
      const before = await open();
      const held = await store(before.journal, { handling: "hold" }, "held");
      const queued = await store(before.journal, { lanes: ["wo:2"] });
      await before.journal.start(queued.seq, "taken");
      deepEqual(openSeqs(before.journal), []);
      const { journal } = await before.reopen();
      deepEqual(openSeqs(journal), [held.seq, queued.seq]);
      const lease = { seq: queued.seq, token: "taken" };
      equal((await journal.settle(lease, { state: "delivered" }, times)).done, false);
      equal(await attempt(journal, queued.seq, { state: "delivered" }), true);
    },
  },
  {
    name: "delivered, retried and refused attempts leave their marks",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      await journal.start(seq, "1");
      const failed = { ...times, status: 503, error: "down", response: "later" };
      await journal.settle({ seq, token: "1" }, { state: "retry", nextAt: 9000, countsAsAttempt: false }, failed);
      deepEqual(marks(), { state: "retry", attempts: 0, targetFailures: 1, nextAt: 9000, deliveredAt: null });
      equal(journal.read.open(0, 1)[0]?.nextAt, 9000);
      await journal.start(seq, "2");
      await journal.settle({ seq, token: "2" }, { state: "retry", nextAt: 9500, countsAsAttempt: true }, times);
      deepEqual(marks(), { state: "retry", attempts: 1, targetFailures: 1, nextAt: 9500, deliveredAt: null });
      await journal.start(seq, "3");
      await journal.settle({ seq, token: "3" }, { state: "delivered" }, times);
      deepEqual(marks(), { state: "delivered", attempts: 2, targetFailures: 1, nextAt: null, deliveredAt: 2500 });
      deepEqual(journal.read.attempts(seq), [
        { ...failed, n: 1, outcome: "retry" },
        { ...times, n: 2, outcome: "retry" },
        { ...times, n: 3, outcome: "delivered" },
      ]);
      function marks() {
        const entry = journal.read.entry(seq);
        if (entry === null) return null;
        const { state, attempts, targetFailures, nextAt, deliveredAt } = entry;
        return { state, attempts, targetFailures, nextAt, deliveredAt };
      }
    },
  },
  {
    name: "a held entry is booked when it is delivered or taken over, and not when it is refused",
    run: async (open) => {
      const { journal, booked } = await open({ emissionTarget: "erp" });
      const body = JSON.stringify({ emit: ["wo:7"] });
      const ends = [{ state: "delivered" }, { state: "accepted" }, { state: "rejected" }] as const;
      const ids: string[] = [];
      for (const [index, verdict] of ends.entries()) {
        const { seq, id } = await store(journal, { handling: "hold", body, lanes: [`wo:${index}`] }, "mine");
        deepEqual(booked(), ids);
        const settled = await journal.settle({ seq, token: "mine" }, verdict, times);
        const isBooked = verdict.state !== "rejected";
        deepEqual([settled.applied?.outcome.ok, settled.emitted.length], isBooked ? [true, 1] : [undefined, 0]);
        if (isBooked) ids.push(id);
      }
      deepEqual(booked(), ids);
    },
  },
  {
    name: "a held entry that is taken over is booked once, however often it is tried",
    run: async (open) => {
      const { journal, booked } = await open();
      const { seq, id } = await store(journal, { handling: "hold" }, "mine");
      await journal.settle({ seq, token: "mine" }, { state: "accepted" }, null);
      deepEqual(openSeqs(journal), [seq]);
      await attempt(journal, seq, { state: "retry", nextAt: 0, countsAsAttempt: true });
      await attempt(journal, seq, { state: "delivered" });
      deepEqual(booked(), [id]);
    },
  },
  {
    name: "a settlement that cannot be booked changes nothing",
    run: async (open) => {
      const { journal, booked } = await open();
      const body = JSON.stringify({ act: "fail" });
      const { seq } = await store(journal, { handling: "hold", body }, "mine");
      await rejects(journal.settle({ seq, token: "mine" }, { state: "delivered" }, times), JournalFailed);
      equal(journal.read.entry(seq)?.state, "inflight");
      deepEqual(journal.read.attempts(seq), []);
      deepEqual(booked(), []);
    },
  },
  {
    name: "the answer given is kept; where none is given, the books' own",
    run: async (open) => {
      const { journal } = await open();
      const held = await store(journal, { handling: "hold" }, "mine");
      await journal.settle({ seq: held.seq, token: "mine" }, { state: "delivered" }, null, '{"ok":true,"data":1}');
      equal(journal.read.entry(held.seq)?.answer, '{"ok":true,"data":1}');
      const silent = await store(journal, { handling: "hold", lanes: ["wo:2"] }, "mine");
      await journal.settle({ seq: silent.seq, token: "mine" }, { state: "accepted" }, null);
      equal(journal.read.entry(silent.seq)?.answer, '{"ok":true}');
    },
  },
  {
    name: "how far a delivery came outlives a restart, and the latest note under a key counts",
    run: async (open) => {
      const first = await open();
      const { seq } = await store(first.journal);
      await first.journal.start(seq, "a");
      equal(await first.journal.note({ seq, token: "a" }, [{ key: "find", value: "1" }]), true);
      const both = [
        { key: "find", value: "2" },
        { key: "book", value: "begun" },
      ];
      equal(await first.journal.note({ seq, token: "a" }, both), true);
      const { journal } = await first.reopen();
      deepEqual(Object.fromEntries(journal.read.progress(seq)), { find: "2", book: "begun" });
    },
  },
  {
    name: "who has lost the lease can note nothing",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      await journal.start(seq, "a");
      equal(await journal.note({ seq, token: "b" }, [{ key: "find", value: "1" }]), false);
      await journal.settle({ seq, token: "a" }, { state: "retry", nextAt: 0, countsAsAttempt: true }, null);
      equal(await journal.note({ seq, token: "a" }, [{ key: "find", value: "1" }]), false);
      equal(journal.read.progress(seq).size, 0);
    },
  },
  {
    name: "progress stays with a failed and a dead entry, and ends with its delivery",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      await journal.start(seq, "a");
      await journal.note({ seq, token: "a" }, [{ key: "find", value: "1" }]);
      await journal.settle({ seq, token: "a" }, { state: "dead", reason: "refused" }, null);
      equal(journal.read.progress(seq).size, 1);
      await journal.act(seq, { action: "retry" }, "kim", 2000);
      equal(journal.read.progress(seq).size, 1);
      await attempt(journal, seq, { state: "delivered" });
      equal(journal.read.progress(seq).size, 0);
    },
  },
  {
    name: "an attempt that a kill cut stands in the journal after the next start",
    run: async (open) => {
      const first = await open();
      const { seq } = await store(first.journal);
      await first.journal.start(seq, "a", 5000);
      const { journal } = await first.reopen();
      deepEqual(
        journal.read.attempts(seq).map(({ n, outcome, error, startedAt }) => ({ n, outcome, error, startedAt })),
        [{ n: 1, ...interrupted, startedAt: 5000 }],
      );
      await attempt(journal, seq, { state: "delivered" });
      deepEqual(
        journal.read.attempts(seq).map(({ outcome }) => outcome),
        [interrupted.outcome, "delivered"],
      );
    },
  },
];
