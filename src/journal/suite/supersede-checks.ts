import { deepEqual, equal } from "node:assert/strict";
import type { NewEntry } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { attempt, type JournalCheck, kill, openSeqs, store } from "./check.ts";

const level = (changes: Partial<NewEntry> = {}): Partial<NewEntry> => ({
  direction: "in",
  topic: "stock",
  lanes: ["in:item:A"],
  target: "platform",
  supersedes: "stock|A|R1",
  ...changes,
});

const stateOf = (journal: Journal, seq: number) => journal.read.entry(seq)?.state;

export const supersedeChecks: readonly JournalCheck[] = [
  {
    name: "of a state that waits only the newest is left; the older ones end with a trail of why",
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
    name: "what waits for another try is superseded, also across a restart and within one append",
    run: async (open) => {
      const before = await open();
      const first = await store(before.journal, level());
      await attempt(before.journal, first.seq, { state: "retry", nextAt: 9000, burn: false });
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
    name: "a state of an earlier moment that comes later leaves the later one alone; the next one ends both",
    run: async (open) => {
      const before = await open();
      const evening = await store(before.journal, level({ stateAt: 5000 }));
      const noon = await store(before.journal, level({ stateAt: 4000, receivedAt: 1001 }));
      deepEqual(noon.superseded, []);
      const { journal } = await before.reopen();
      deepEqual(openSeqs(journal), [evening.seq, noon.seq]);
      const afternoon = await store(journal, level({ stateAt: 4500 }));
      deepEqual(afternoon.superseded, [noon.seq]);
      const night = await store(journal, level({ stateAt: 6000 }));
      deepEqual([...night.superseded].sort(), [evening.seq, afternoon.seq].sort());
    },
  },
  {
    name: "what is in flight, done, or waits for a person is not superseded",
    run: async (open) => {
      const { journal } = await open();
      const done = await store(journal, level());
      await attempt(journal, done.seq, { state: "delivered" });
      const dead = await store(journal, level());
      await kill(journal, dead.seq);
      const other = await store(journal, level({ lanes: ["in:item:B"], supersedes: "stock|B|" }));
      await journal.start(other.seq, "mine");
      const newest = await store(journal, level());
      const behind = await store(journal, level({ lanes: ["in:item:B"], supersedes: "stock|B|" }));
      deepEqual([newest.superseded, behind.superseded], [[], []]);
      const states = [done, dead, other].map(({ seq }) => stateOf(journal, seq));
      deepEqual(states, ["delivered", "dead", "inflight"]);
    },
  },
  {
    name: "what was in flight and has to be tried again is superseded by the next",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, level());
      await journal.start(first.seq, "mine");
      const second = await store(journal, level());
      const times = { startedAt: 1, endedAt: 2 };
      await journal.settle({ seq: first.seq, token: "mine" }, { state: "retry", nextAt: 5, burn: false }, times);
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
    name: "what is not queued, because it is kept or refused, supersedes nothing",
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
    name: "what is passed on is queued, and the resident never gets it",
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
    name: "the trail of what was superseded goes with the entry, that of a person stays",
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
