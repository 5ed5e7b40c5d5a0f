import { deepEqual, equal, ok } from "node:assert/strict";
import type { NewEntry, RepeatRule } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { type JournalCheck, kill, newEntry, type OpenForTest, store } from "./journal-check.ts";

const rule = (changes: Partial<RepeatRule> = {}): RepeatRule => ({
  key: "confirmStep",
  when: "unanswered",
  windowMs: 900_000,
  ...changes,
});

async function appendOne(journal: Journal, changes: Partial<NewEntry>, token?: string) {
  const [appended] = await journal.append([newEntry(changes)], token);
  if (appended === undefined) throw new Error("the journal gave nothing back");
  return appended;
}

/** Whether the journal takes the entry as a repeat of the first. */
async function isRepeat(journal: Journal, changes: Partial<NewEntry>): Promise<boolean> {
  return "repeatOf" in (await appendOne(journal, changes));
}

/**
 * Marks an answer and then makes a commit, because marks may be stored only with the next commit. A journal that loses
 * marks on purpose would fail here.
 */
async function markAnswered(journal: Journal, seq: number) {
  journal.markAnswered(seq, 1500);
  await journal.append([newEntry({ lanes: ["wo:other"], handling: "keep" })]);
}

const ambiguous = async (open: OpenForTest) => {
  const under = await open();
  const body = '{"amount":3}';
  const first = await store(under.journal, { handling: "hold", body, repeat: rule() }, "mine");
  const lease = { seq: first.seq, token: "mine" };
  await under.journal.settle(lease, { state: "rejected", reason: "ambiguous" }, null, '{"ok":false}');
  await markAnswered(under.journal, first.seq);
  return { ...under, first, body };
};

export const repeatChecks: readonly JournalCheck[] = [
  {
    name: "an equal entry is a repeat while the answer is not known to have arrived",
    run: async (open) => {
      const { journal, booked } = await open();
      const first = await store(journal, { body: '{"a":1,"b":2}', repeat: rule() });
      const again = await appendOne(journal, { body: '{ "b": 2, "a": 1 }', repeat: rule(), receivedAt: 2000 });
      deepEqual(again, { repeatOf: first.seq, state: "accepted", outcome: { ok: true }, touched: false });
      deepEqual(booked(), [first.id]);
      await markAnswered(journal, first.seq);
      const real = await store(journal, { body: '{"a":1,"b":2}', repeat: rule(), receivedAt: 3000 });
      equal(real.suspectOf, first.seq);
      equal(journal.read.entry(real.seq)?.suspectOf, first.seq);
    },
  },
  {
    name: "if the mark that an answer arrived is withdrawn, an equal entry is a repeat again; only that same mark can be withdrawn",
    run: async (open) => {
      const { journal } = await open();
      const first = await store(journal, { repeat: rule() });
      journal.markAnswered(first.seq, 1500);
      journal.takeBackAnswered(first.seq, 1499);
      equal(await isRepeat(journal, { repeat: rule({ key: "other" }), lanes: ["wo:other"], body: "{}" }), false);
      equal(journal.read.entry(first.seq)?.answeredAt, 1500);
      journal.takeBackAnswered(first.seq, 1500);
      ok(await isRepeat(journal, { repeat: rule(), receivedAt: 2000 }));
    },
  },
  {
    name: "where equal content is enough, an answered entry is repeated as well",
    run: async (open) => {
      const { journal } = await open();
      const always = rule({ when: "always" });
      const { seq } = await store(journal, { repeat: always });
      await markAnswered(journal, seq);
      equal(await isRepeat(journal, { repeat: always }), true);
    },
  },
  {
    name: "only the latest entry is repeated, and only by its equal in content, topic and time",
    run: async (open) => {
      const { journal } = await open();
      await store(journal, { body: '{"n":1}', repeat: rule() });
      await store(journal, { body: '{"n":2}', repeat: rule() });
      equal(await isRepeat(journal, { body: '{"n":1}', repeat: rule() }), false);
      equal(await isRepeat(journal, { body: '{"n":1}', repeat: rule(), topic: "changeStatus" }), false);
      equal(await isRepeat(journal, { body: '{"n":1}', repeat: rule(), receivedAt: 1000 + 900_001 }), false);
      equal(await isRepeat(journal, { body: '{"n":1}', repeat: rule(), receivedAt: 1000 + 900_001 }), true);
    },
  },
  {
    name: "with several lanes it must be the latest in each of them",
    run: async (open) => {
      const both = { lanes: ["wo:1", "ct:9"], repeat: rule() };
      for (const lane of both.lanes) {
        const { journal } = await open();
        await store(journal, both);
        equal(await isRepeat(journal, both), true);
        await store(journal, { lanes: [lane], repeat: rule(), body: '{"other":1}' });
        equal(await isRepeat(journal, both), false);
      }
    },
  },
  {
    name: "an entry with another key in between changes nothing; an equal entry in another lane is not a repeat",
    run: async (open) => {
      const { journal } = await open();
      await store(journal, { repeat: rule() });
      await store(journal, { repeat: rule({ key: "confirmStep|7" }), body: '{"other":1}' });
      equal(await isRepeat(journal, { repeat: rule() }), true);
      equal(await isRepeat(journal, { lanes: ["wo:2"], repeat: rule() }), false);
    },
  },
  {
    name: "repeats are recognised across a restart, with the answer that was given",
    run: async (open) => {
      const before = await open();
      const first = await store(before.journal, { handling: "hold", repeat: rule() }, "mine");
      const answer = '{"ok":true,"data":{"updateWorkOrderRequest":{"id":"7"}}}';
      await before.journal.settle({ seq: first.seq, token: "mine" }, { state: "delivered" }, null, answer);
      const { journal } = await before.reopen();
      const again = await appendOne(journal, { repeat: rule() });
      deepEqual(again, { repeatOf: first.seq, state: "delivered", outcome: JSON.parse(answer), touched: false });
    },
  },
  {
    name: "a repeat of what is still being delivered has no answer yet",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal, { handling: "hold", repeat: rule() }, "mine");
      const again = await appendOne(journal, { handling: "hold", repeat: rule() }, "yours");
      deepEqual(again, { repeatOf: seq, state: "inflight", outcome: null, touched: false });
      equal((await journal.settle({ seq, token: "yours" }, { state: "delivered" }, null)).done, false);
    },
  },
  {
    name: "a refused entry may be sent again, as a new entry",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal, { handling: "hold", repeat: rule() }, "mine");
      await journal.settle({ seq, token: "mine" }, { state: "rejected" }, null, '{"ok":false}');
      const again = await store(journal, { handling: "hold", repeat: rule({ when: "always" }) }, "mine");
      ok(again.seq > seq);
      equal(again.suspectOf, null);
    },
  },
  {
    name: "an entry whose result is unknown keeps its id when it is held again",
    run: async (open) => {
      const { journal, booked, first, body } = await ambiguous(open);
      const again = await store(journal, { handling: "hold", body, repeat: rule() }, "next");
      deepEqual([again.id, again.seq, again.state, again.open], [first.id, first.seq, "inflight", null]);
      equal(journal.read.entry(first.seq)?.reason, null);
      await journal.settle({ seq: first.seq, token: "next" }, { state: "delivered" }, null);
      deepEqual(
        booked().filter((id) => id === first.id),
        [first.id],
      );
    },
  },
  {
    name: "an entry whose result is unknown keeps its id when it is queued, also after a restart",
    run: async (open) => {
      const { reopen, first, body } = await ambiguous(open);
      const { journal, booked } = await reopen();
      const again = await store(journal, { handling: "queue", body, repeat: rule() });
      deepEqual([again.id, again.seq, again.state, again.open?.seq], [first.id, first.seq, "accepted", first.seq]);
      deepEqual(
        booked().filter((id) => id === first.id),
        [first.id],
      );
      deepEqual(journal.read.open(0, 10), [again.open]);
    },
  },
  {
    name: "an equal entry is new if anything else happened in its lane since, where the rule requires that",
    run: async (open) => {
      const { journal } = await open();
      const undisturbedIn = ["wo:1", "wo:elsewhere"];
      const pushed = { direction: "in", repeat: rule({ key: "push", when: "always", undisturbedIn }) } as const;
      await store(journal, pushed);
      equal(await isRepeat(journal, pushed), true);
      await store(journal, { body: '{"cancelled":true}' });
      equal(await isRepeat(journal, pushed), false);
      await store(journal, { body: '{"cancelled":true}', lanes: ["wo:elsewhere"] });
      equal(await isRepeat(journal, pushed), false);
      equal(await isRepeat(journal, pushed), true);
    },
  },
  {
    name: "what the inline projection emits for an entry does not make an equal entry new",
    run: async (open) => {
      const { journal } = await open();
      const repeat = rule({ key: "push", when: "always", undisturbedIn: ["wo:1"] });
      const pushed = { direction: "in", body: JSON.stringify({ emit: ["wo:1"] }), repeat } as const;
      const { seq } = await store(journal, pushed);
      equal(journal.read.entry(seq + 1)?.topic, "notice");
      equal(await isRepeat(journal, pushed), true);
    },
  },
  {
    name: "pushes are compared by the payload that is applied, not by their text, and only for the same target",
    run: async (open) => {
      const { journal } = await open();
      const pushed = { direction: "in", repeat: rule({ key: "push", when: "always" }) } as const;
      await store(journal, { ...pushed, body: '{"due":"1.1."}', payload: '{"due":"2030-01-01T00:00:00Z"}' });
      const elsewhere = { ...pushed, body: '{"due":"1.1."}', payload: '{"due":"2029-12-31T23:00:00Z"}' };
      equal(await isRepeat(journal, elsewhere), false);
      equal(await isRepeat(journal, { ...elsewhere, body: '{ "due": "01.01." }' }), true);
      equal(await isRepeat(journal, { ...elsewhere, target: "platform" }), false);
    },
  },
  {
    name: "an entry with its sender's key and an equal one without a key are the same, in either order; two keys are two entries",
    run: async (open) => {
      const before = await open();
      const plain = { repeat: rule() };
      const named = (name: string) => ({
        repeat: rule({ key: `key|${name}`, when: "always", windowMs: 7_000_000, unnamed: rule() }),
      });
      const first = await store(before.journal, named("a"));
      const { journal } = await before.reopen();
      const again = await appendOne(journal, plain);
      deepEqual("repeatOf" in again && again.repeatOf, first.seq);
      equal(await isRepeat(journal, named("a")), true);
      equal(await isRepeat(journal, named("b")), false);
      equal(await isRepeat(journal, { ...named("a"), receivedAt: 1000 + 900_001 }), true);
      equal(await isRepeat(journal, { ...plain, receivedAt: 1000 + 900_001 }), false);
      equal(await isRepeat(journal, { ...named("c"), receivedAt: 1000 + 900_002 }), true);
    },
  },
  {
    name: "an event that really happened twice is stored twice and marked, whichever of the two has its sender's key",
    run: async (open) => {
      const { journal } = await open();
      const named = { repeat: rule({ key: "key|a", when: "always", unnamed: rule() }) };
      const first = await store(journal, { repeat: rule() });
      await markAnswered(journal, first.seq);
      const second = await store(journal, named);
      equal(second.suspectOf, first.seq);
      await markAnswered(journal, second.seq);
      equal((await store(journal, { repeat: rule() })).suspectOf, second.seq);
    },
  },
  {
    name: "a push that a person gave up may come again",
    run: async (open) => {
      const { journal } = await open();
      const pushed = { direction: "in", repeat: rule({ key: "push", when: "always" }) } as const;
      const { seq } = await store(journal, pushed);
      await kill(journal, seq);
      equal(await isRepeat(journal, pushed), true);
      await journal.act(seq, { action: "skip", reason: "sent by hand" }, "anna", 2000);
      equal(await isRepeat(journal, pushed), false);
    },
  },
  {
    name: "an entry is compared with the previous one as a person has edited it",
    run: async (open) => {
      const { journal } = await open();
      const always = rule({ when: "always" });
      const { seq } = await store(journal, { body: '{"amount":3}', repeat: always });
      await kill(journal, seq);
      const edit = { action: "edit", reason: "miscounted", body: '{"amount":2}' } as const;
      ok((await journal.act(seq, edit, "kim", 2000)) !== null);
      equal(await isRepeat(journal, { body: '{"amount":2}', repeat: always }), true);
      equal(await isRepeat(journal, { body: '{"amount":3}', repeat: always }), false);
    },
  },
  {
    name: "a repeat of a push that has no target is recognised, also after a restart",
    run: async (open) => {
      const under = await open();
      const pushed = newEntry({ direction: "in", handling: "keep", repeat: rule({ when: "always" }) });
      const { target: _nobody, ...kept } = pushed;
      const again = async (journal: Journal, id: string) => {
        const [appended] = await journal.append([{ ...kept, id }]);
        return appended !== undefined && "repeatOf" in appended;
      };
      equal(await again(under.journal, "evt_pushed_1"), false);
      equal(await again(under.journal, "evt_pushed_2"), true);
      const { journal } = await under.reopen();
      equal(await again(journal, "evt_pushed_3"), true);
    },
  },
];
