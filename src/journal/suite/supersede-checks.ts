import { deepEqual, equal } from "node:assert/strict";
import type { NewEntry } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { attempt, type JournalCheck, kill, openSeqs, store } from "./journal-check.ts";

const level = (changes: Partial<NewEntry> = {}): Partial<NewEntry> => ({
  direction: "in",
  topic: "stock",
  lanes: ["in:item:A"],
  target: "platform",
  supersedes: "stock|A|R1",
  ...changes,
});

const stateOf = (journal: Journal, seq: number) => journal.read.entry(seq)?.state;

/** The state of an entry, its reason, and its audit records. */
const stateAndTrail = (journal: Journal, seq: number) => {
  const entry = journal.read.entry(seq);
  return [entry?.state, entry?.reason, journal.read.audit(seq).at(-1)?.reason];
};

export const supersedeChecks: readonly JournalCheck[] = [
  {
    name: "of several waiting states of the same thing only the newest is delivered; the audit says why the older ones ended",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      const second = await store(journal, level({ receivedAt: 2000 }));
      deepEqual([first.superseded, second.superseded], [[], [first.seq]]);
      deepEqual(openSeqs(journal), [second.seq]);
      const ended = journal.read.entry(first.seq);
      deepEqual([ended?.state, ended?.reason, ended?.nextAt], ["discarded", "superseded", null]);
      deepEqual(journal.read.audit(first.seq), [
        {
          ...{ seq: first.seq, at: 2000, operator: "crossdock", action: "supersede" },
          ...{ reason: second.id, before: null },
        },
      ]);
      equal(await journal.start(first.seq, "late"), null);
    },
  },
  {
    name: "a state that waits for its next attempt is superseded too, also after a restart and within one append",
    run: async (open) => {
      const before = await open();
      const first = await store(before.journal, level());
      await attempt(before.journal, first.seq, { state: "retry", nextAt: 9000, countsAsAttempt: false });
      const { journal } = await before.reopen();
      const second = await store(journal, level());
      deepEqual(second.superseded, [first.seq]);
      const both = [level(), level()].map((one, index) => ({
        ...base,
        handling: "queue" as const,
        ...one,
        id: `evt_both_${index}`,
      }));
      const appended = await journal.append(both);
      const ended = appended.map((one) => ("superseded" in one ? one.superseded.length : -1));
      deepEqual(ended, [1, 1]);
      equal(openSeqs(journal).length, 1);
    },
  },
  {
    name: "a state with an earlier time that arrives after a newer one ends at once; the newer one stays",
    run: async (open) => {
      const before = await open();
      const evening = await store(before.journal, level({ stateAt: 5000 }));
      const noon = await store(before.journal, level({ stateAt: 4000, receivedAt: 1001 }));
      deepEqual([noon.state, noon.open, noon.superseded], ["discarded", null, []]);
      deepEqual(stateAndTrail(before.journal, noon.seq), ["discarded", "superseded", evening.id]);
      const { journal } = await before.reopen();
      deepEqual(openSeqs(journal), [evening.seq]);
      const night = await store(journal, level({ stateAt: 6000 }));
      deepEqual(night.superseded, [evening.seq]);
    },
  },
  {
    name: "a state with an earlier time also ends if the newer one is in flight or delivered, also after a restart",
    run: async (open) => {
      const before = await open();
      const evening = await store(before.journal, level({ stateAt: 5000 }));
      await before.journal.start(evening.seq, "mine");
      const noon = await store(before.journal, level({ stateAt: 4000 }));
      equal(noon.state, "discarded");
      await before.journal.settle(
        { seq: evening.seq, token: "mine" },
        { state: "delivered" },
        { startedAt: 1, endedAt: 2 },
      );
      const { journal } = await before.reopen();
      const afternoon = await store(journal, level({ stateAt: 4500 }));
      deepEqual(stateAndTrail(journal, afternoon.seq), ["discarded", "superseded", evening.id]);
      const same = await store(journal, level({ stateAt: 5000 }));
      equal(same.state, "accepted");
    },
  },
  {
    name: "a newer state ends an earlier one even if the newer one was refused, but not if a person skipped it",
    run: async (open) => {
      const { journal } = await open();
      const refused = await store(journal, level({ stateAt: 6000 }));
      await kill(journal, refused.seq);
      const earlier = await store(journal, level({ stateAt: 5000 }));
      deepEqual(stateAndTrail(journal, earlier.seq), ["discarded", "superseded", refused.id]);
      await journal.act(refused.seq, { action: "skip", reason: "by hand" }, "kim", 3000);
      equal((await store(journal, level({ stateAt: 4000 }))).state, "accepted");
    },
  },
  {
    name: "a state that is in flight or done is not superseded",
    run: async (open) => {
      const { journal } = await open();
      const done = await store(journal, level());
      await attempt(journal, done.seq, { state: "delivered" });
      const other = await store(journal, level({ lanes: ["in:item:B"], supersedes: "stock|B|" }));
      await journal.start(other.seq, "mine");
      const newest = await store(journal, level());
      const behind = await store(journal, level({ lanes: ["in:item:B"], supersedes: "stock|B|" }));
      deepEqual([newest.superseded, behind.superseded], [[], []]);
      const states = [done, other].map(({ seq }) => stateOf(journal, seq));
      deepEqual(states, ["delivered", "inflight"]);
    },
  },
  {
    name: "a refused state is superseded by the next one, and does not block its lanes until then",
    run: async (open) => {
      const before = await open();
      const refused = await store(before.journal, level());
      await kill(before.journal, refused.seq);
      const elsewhere = await store(before.journal, level({ supersedes: "stock|A|R2" }));
      equal(before.journal.read.heldBy("in:item:A"), null);
      deepEqual(openSeqs(before.journal), [elsewhere.seq]);
      const { journal } = await before.reopen();
      await attempt(journal, elsewhere.seq, { state: "delivered" });
      equal(stateOf(journal, elsewhere.seq), "delivered");
      const next = await store(journal, level());
      deepEqual(next.superseded, [refused.seq]);
      deepEqual(stateAndTrail(journal, refused.seq), ["discarded", "superseded", next.id]);
    },
  },
  {
    name: "a person may retry a refused state; it is then delivered before the entries that wait in its lane",
    run: async (open) => {
      const { journal } = await open();
      const refused = await store(journal, level());
      await kill(journal, refused.seq);
      const elsewhere = await store(journal, level({ supersedes: "stock|A|R2" }));
      const released = await journal.act(refused.seq, { action: "retry" }, "kim", 3000);
      deepEqual(
        released?.map(({ seq }) => seq),
        [refused.seq],
      );
      deepEqual(openSeqs(journal), [refused.seq, elsewhere.seq]);
    },
  },
  {
    name: "a state that is refused while a newer one waits is superseded by it",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      await journal.start(first.seq, "mine");
      const second = await store(journal, level());
      const times = { startedAt: 1, endedAt: 2 };
      await journal.settle({ seq: first.seq, token: "mine" }, { state: "dead", reason: "refused" }, times);
      deepEqual(stateAndTrail(journal, first.seq), ["discarded", "superseded", second.id]);
      deepEqual(journal.read.attempts(first.seq).length, 1);
      deepEqual(openSeqs(journal), [second.seq]);
    },
  },
  {
    name: "a state that was in flight and must be tried again is superseded by the next one",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      await journal.start(first.seq, "mine");
      const second = await store(journal, level());
      const times = { startedAt: 1, endedAt: 2 };
      await journal.settle(
        { seq: first.seq, token: "mine" },
        { state: "retry", nextAt: 5, countsAsAttempt: false },
        times,
      );
      deepEqual(openSeqs(journal), [first.seq, second.seq]);
      const third = await store(journal, level());
      deepEqual([...third.superseded].sort(), [first.seq, second.seq].sort());
    },
  },
  {
    name: "another key, another target and an entry without a key are left alone",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      const { supersedes: _none, ...plain } = level();
      const others = [
        await store(journal, level({ supersedes: "stock|A|R2" })),
        await store(journal, level({ target: "erp" })),
        await store(journal, plain),
        await store(journal, plain),
      ];
      deepEqual(
        others.flatMap((one) => one.superseded),
        [],
      );
      equal(stateOf(journal, first.seq), "accepted");
    },
  },
  {
    name: "an entry that is not queued, because it is kept or refused, supersedes nothing",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      const { target: _nobody, ...kept } = level({ handling: "keep" });
      await journal.append([{ ...base, ...kept, id: "evt_kept" }]);
      const refused = await store(journal, level({ body: JSON.stringify({ act: "refuse" }) }));
      deepEqual([refused.state, refused.superseded], ["rejected", []]);
      equal(stateOf(journal, first.seq), "accepted");
    },
  },
  {
    name: "a forwarded entry is queued, and the inline projection never gets it",
    run: async (open) => {
      const { journal, booked } = await open();
      const passed = await store(journal, { handling: "pass", body: JSON.stringify({ act: "fail" }) });
      equal(passed.state, "accepted");
      await attempt(journal, passed.seq, { state: "delivered" });
      equal(stateOf(journal, passed.seq), "delivered");
      deepEqual(booked(), []);
    },
  },
  {
    name: "the audit record of a superseded entry is erased with it; that of a person's action stays",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      const second = await store(journal, level());
      await journal.act(second.seq, { action: "skip", reason: "by hand" }, "kim", 3000);
      await journal.prune({ bodiesBefore: 9000, entriesBefore: 9000, batch: 100 });
      equal(journal.read.entry(first.seq), null);
      deepEqual(journal.read.audit(first.seq), []);
      deepEqual(
        journal.read.audit(second.seq).map(({ operator }) => operator),
        ["kim"],
      );
    },
  },
];

const base = {
  direction: "in",
  topic: "stock",
  lanes: ["in:item:A"],
  body: "{}",
  payload: null,
  acceptLanguage: null,
  receivedAt: 1000,
} as const;
