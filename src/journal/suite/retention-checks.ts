import { deepEqual, equal } from "node:assert/strict";
import { attempt, type JournalCheck, kill, store } from "./journal-check.ts";

const never = { bodiesBefore: 0, entriesBefore: 0, batch: 100 };

export const retentionChecks: readonly JournalCheck[] = [
  {
    name: "old finished entries are erased with their attempts, in batches; the others stay",
    run: async (open) => {
      const { journal } = await open();
      const finished: number[] = [];
      for (let i = 0; i < 5; i++) {
        const { seq, id } = await store(journal, { lanes: [`wo:${i}`] });
        await attempt(journal, seq, { state: "delivered" });
        finished.push(seq);
        equal(journal.read.entry(id)?.seq, seq);
      }
      const waiting = await store(journal, { lanes: ["wo:8"] });
      const dead = await store(journal, { lanes: ["wo:9"] });
      await kill(journal, dead.seq);
      const young = await store(journal, { handling: "keep", receivedAt: 9000 });
      const erase = { ...never, entriesBefore: 5000, batch: 2 };
      deepEqual([await journal.prune(erase), await journal.prune(erase), await journal.prune(erase)], [2, 2, 1]);
      equal(await journal.prune(erase), 0);
      deepEqual(
        journal.read.list({ limit: 100 }).map(({ seq }) => seq),
        [young.seq, dead.seq, waiting.seq],
      );
      deepEqual(
        finished.flatMap((seq) => journal.read.attempts(seq)),
        [],
      );
    },
  },
  {
    name: "old bodies are erased before their entries, and then nothing is sent again",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal, { body: '{"name":"Kim"}', payload: '{"name":"Kim"}' });
      await attempt(journal, seq, { state: "delivered" });
      equal(await journal.prune({ ...never, bodiesBefore: 5000 }), 1);
      equal(await journal.prune({ ...never, bodiesBefore: 5000 }), 0);
      const { body, payload, state } = journal.read.entry(seq) ?? {};
      deepEqual([body, payload, state], ["", null, "delivered"]);
      equal(await journal.act(seq, { action: "replay", reason: "lost" }, "kim", 6000), null);
    },
  },
  {
    name: "a body whose entry is finished late is erased within another day",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal, { body: '{"name":"Kim"}' });
      await journal.prune({ ...never, bodiesBefore: 5000 });
      equal(journal.read.entry(seq)?.body, '{"name":"Kim"}');
      await attempt(journal, seq, { state: "delivered" });
      await journal.prune({ ...never, bodiesBefore: 5000 + 24 * 3600 * 1000 });
      equal(journal.read.entry(seq)?.body, "");
    },
  },
  {
    name: "the audit outlives its entry",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      await journal.act(seq, { action: "skip", reason: "by hand" }, "kim", 5000);
      await journal.prune({ ...never, entriesBefore: 9000 });
      equal(journal.read.entry(seq), null);
      equal(journal.read.audit(seq).length, 1);
    },
  },
  {
    name: "an entry equal to an erased one is new",
    run: async (open) => {
      const { journal } = await open();
      const repeat = { key: "step", when: "always", windowMs: 1e9 } as const;
      const first = await store(journal, { handling: "keep", repeat });
      await journal.prune({ ...never, entriesBefore: 5000 });
      const second = await store(journal, { handling: "keep", repeat });
      equal(second.seq > first.seq, true);
    },
  },
  {
    name: "an entry equal to one whose body was erased is new too",
    run: async (open) => {
      const { journal } = await open();
      const repeat = { key: "step", when: "always", windowMs: 1e9 } as const;
      const first = await store(journal, { handling: "keep", repeat });
      await journal.prune({ ...never, bodiesBefore: 5000 });
      const second = await store(journal, { handling: "keep", repeat });
      equal(second.seq > first.seq, true);
    },
  },
];
