import { deepEqual, equal } from "node:assert/strict";
import { interrupted } from "../entry.ts";
import { attempt, type JournalCheck, store } from "./journal-check.ts";

export const progressChecks: readonly JournalCheck[] = [
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
