import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { JournalFailed } from "../journal.ts";
import { type JournalCheck, newEntry, store } from "./journal-check.ts";

const failing = JSON.stringify({ act: "fail" });

export const appendChecks: readonly JournalCheck[] = [
  {
    name: "an entry is kept with its text as it was sent",
    run: async (open) => {
      const { journal } = await open();
      const body = '{ "amount": 9007199254740993,\n "x": "\\u0000" }';
      const { seq, id } = await store(journal, { body, payload: '{"x":1}' });
      const entry = journal.read.entry(seq);
      equal(entry?.body, body);
      equal(entry?.payload, '{"x":1}');
      equal(entry?.acceptLanguage, "de");
      equal(entry?.receivedAt, 1000);
      deepEqual(journal.read.entry(id), entry);
    },
  },
  {
    name: "the sender of a push is kept with it, also across a restart; an event of the platform has none",
    run: async (open) => {
      const before = await open();
      const pushed = await store(before.journal, { direction: "in", sender: "shop" });
      const event = await store(before.journal);
      const { journal } = await before.reopen();
      equal(journal.read.entry(pushed.seq)?.sender, "shop");
      deepEqual(
        journal.read.list({ limit: 10 }).map(({ seq, sender }) => [seq, sender]),
        [
          [event.seq, null],
          [pushed.seq, "shop"],
        ],
      );
    },
  },
  {
    name: "the trace of an entry is kept with it, also across a restart, and passed to the entries that it makes",
    run: async (open) => {
      const before = await open();
      const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=1";
      const traced = await store(before.journal, {
        trace,
        handling: "queue",
        target: "erp",
        body: JSON.stringify({ emit: ["wo:5"] }),
      });
      const pushed = await store(before.journal, { direction: "in", sender: "shop", trace });
      const plain = await store(before.journal);
      const { journal } = await before.reopen();
      equal(journal.read.entry(traced.seq)?.trace, trace);
      equal(journal.read.entry(pushed.seq)?.trace, trace);
      equal(journal.read.entry(plain.seq)?.trace, null);
      equal((await journal.start(traced.seq, "token"))?.trace, trace);
      const made = journal.read.list({ limit: 10 }).filter(({ topic }) => topic === "notice");
      deepEqual(
        made.map((one) => one.trace),
        [trace],
      );
    },
  },
  {
    name: "all entries of an append are stored with their effects, or none is",
    run: async (open) => {
      const { journal, booked } = await open();
      const entries = [newEntry(), newEntry({ lanes: ["wo:2"], repeat: rule }), newEntry({ body: failing })];
      await rejects(journal.append(entries), JournalFailed);
      deepEqual(journal.read.list({ limit: 10 }), []);
      deepEqual(booked(), []);
      const { seq } = await store(journal, { lanes: ["wo:2"], repeat: rule });
      deepEqual(journal.read.entry(seq)?.lanes, [{ lane: "wo:2", position: 1 }]);
    },
  },
  {
    name: "seqs rise in the order of the appends and are never given twice",
    run: async (open) => {
      const first = await open();
      const sent = Array.from({ length: 60 }, () => newEntry({ handling: "keep" }));
      await Promise.all(sent.map((one) => first.journal.append([one])));
      const listed = first.journal.read.list({ limit: 100 }).map(({ id }) => id);
      deepEqual(
        listed.reverse(),
        sent.map(({ id }) => id),
      );
      const highest = Math.max(...first.journal.read.list({ limit: 100 }).map(({ seq }) => seq));
      await first.journal.prune({ bodiesBefore: 2000, entriesBefore: 2000, batch: 1000 });
      const { journal } = await first.reopen();
      ok((await store(journal)).seq > highest);
    },
  },
  {
    name: "an entry is kept, queued or held, as its handling says",
    run: async (open) => {
      const { journal, booked } = await open();
      const kept = await store(journal, { handling: "keep" });
      const queued = await store(journal, { handling: "queue" });
      const held = await store(journal, { handling: "hold" }, "mine");
      deepEqual([kept.state, queued.state, held.state], ["delivered", "accepted", "inflight"]);
      deepEqual([kept.open, held.open], [null, null]);
      const { seq, id } = queued;
      const open1 = { seq, id, topic: "confirmStep", target: "erp", lanes: ["wo:1"], attempts: 0, receivedAt: 1000 };
      deepEqual(queued.open, { ...open1, nextAt: 0 });
      deepEqual(booked(), [kept.id, queued.id]);
    },
  },
  {
    name: "what the inline projection refuses is stored as rejected, and is not queued",
    run: async (open) => {
      const { journal } = await open();
      const refused = await store(journal, { body: JSON.stringify({ act: "refuse" }) });
      deepEqual([refused.state, refused.outcome, refused.open], ["rejected", { ok: false }, null]);
      deepEqual(journal.read.open(0, 10), []);
    },
  },
  {
    name: "positions are counted per lane, only for what goes outside",
    run: async (open) => {
      const { journal } = await open();
      await store(journal, { lanes: ["wo:1", "ct:9", "ct:9"] });
      await store(journal, { lanes: ["wo:1"], handling: "keep" });
      const third = await store(journal, { lanes: ["ct:9"] });
      const fourth = await store(journal, { lanes: ["wo:1", "ct:9"], handling: "hold" });
      const lanesOf = (seq: number) => journal.read.entry(seq)?.lanes;
      deepEqual(lanesOf(third.seq), [{ lane: "ct:9", position: 2 }]);
      deepEqual(lanesOf(fourth.seq), [
        { lane: "ct:9", position: 3 },
        { lane: "wo:1", position: 2 },
      ]);
    },
  },
  {
    name: "what the inline projection emits is stored and queued with the entry",
    run: async (open) => {
      const { journal } = await open({ emissionTarget: "erp" });
      const cause = await store(journal, { handling: "keep", body: JSON.stringify({ emit: ["wo:5"] }) });
      const [emitted] = cause.emitted;
      equal(emitted?.topic, "notice");
      deepEqual(journal.read.open(0, 10), [emitted]);
      deepEqual(journal.read.entry(emitted?.seq ?? 0)?.lanes, [{ lane: "wo:5", position: 1 }]);
    },
  },
  {
    name: "what the inline projection emits is only kept if it has no target",
    run: async (open) => {
      const { journal } = await open();
      const cause = await store(journal, { body: JSON.stringify({ emit: ["wo:5"] }) });
      deepEqual(cause.emitted, []);
      deepEqual(
        journal.read.list({ topic: "notice", limit: 10 }).map(({ state }) => state),
        ["delivered"],
      );
    },
  },
];

const rule = { key: "step", when: "always", windowMs: 1000 } as const;
