import { deepEqual, equal } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EntryFilter } from "../journal.ts";
import { attempt, type JournalCheck, kill, openSeqs, store, storeLanes } from "./journal-check.ts";

export const readingChecks: readonly JournalCheck[] = [
  {
    name: "open entries are listed in the order of acceptance, page by page, without those in flight",
    run: async (open) => {
      const { journal } = await open();
      const seqs = await storeLanes(journal, ["wo:1"], ["wo:2"], ["wo:3"], ["wo:4"], ["wo:5"]);
      await attempt(journal, seqs[1] ?? 0, { state: "retry", nextAt: 9000, countsAsAttempt: true });
      await attempt(journal, seqs[2] ?? 0, { state: "delivered" });
      await journal.start(seqs[3] ?? 0, "mine");
      const page = (after: number, limit: number) => journal.read.open(after, limit).map(({ seq }) => seq);
      deepEqual(page(0, 2), [seqs[0], seqs[1]]);
      deepEqual(page(seqs[1] ?? 0, 2), [seqs[4]]);
    },
  },
  {
    name: "every filter finds what it says, newest first",
    run: async (open) => {
      const { journal } = await open();
      const one = await store(journal, { lanes: ["wo:1", "ct:9"], body: '{"item":"ABC-1"}', receivedAt: 1000 });
      const two = await store(journal, { lanes: ["wo:2"], topic: "attachWorkOrder", receivedAt: 2000 });
      const three = await store(journal, { lanes: ["wo:1"], direction: "in", handling: "keep", receivedAt: 3000 });
      const [s1, s2, s3] = [one.seq, two.seq, three.seq];
      const found = (filter: Omit<EntryFilter, "limit">, limit = 10) =>
        journal.read.list({ ...filter, limit }).map(({ seq }) => seq);
      deepEqual(found({}), [s3, s2, s1]);
      deepEqual(found({}, 2), [s3, s2]);
      deepEqual(found({ beforeSeq: s3 }), [s2, s1]);
      deepEqual(found({ lane: "wo:1" }), [s3, s1]);
      deepEqual(found({ lane: "ct:9" }), [s1]);
      deepEqual(found({ topic: "attachWorkOrder" }), [s2]);
      deepEqual(found({ direction: "in" }), [s3]);
      deepEqual(found({ states: ["accepted"] }), [s2, s1]);
      deepEqual(found({ states: ["delivered", "dead"] }), [s3]);
      deepEqual(found({ text: "abc-1" }), [s1]);
      deepEqual(found({ text: "%" }), []);
      deepEqual(found({ receivedFrom: 2000 }), [s3, s2]);
      deepEqual(found({ receivedTo: 2000 }), [s2, s1]);
      deepEqual(found({ lane: "wo:1", direction: "out", text: "ABC" }), [s1]);
      deepEqual(found({ lane: "wo:1", isBrief: true }), [s3, s1]);
      deepEqual(found({ states: ["accepted"], isBrief: true }), [s2, s1]);
      const [brief] = journal.read.list({ lane: "ct:9", isBrief: true, limit: 1 });
      const whole = journal.read.entry(s1);
      deepEqual(brief, { ...whole, body: "", payload: null, answer: null });
      deepEqual([journal.read.brief(s1), journal.read.brief(whole?.id ?? "")], [brief, brief]);
      deepEqual(await journal.read.entryInTurns(s1), whole);
    },
  },
  {
    name: "entries of several states are listed newest first, page by page, each once",
    run: async (open) => {
      const { journal } = await open();
      const seqs = await storeLanes(journal, ["wo:1"], ["wo:2"], ["wo:3"], ["wo:4"], ["wo:5"], ["wo:6"]);
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = seqs;
      await attempt(journal, a, { state: "retry", nextAt: 1, countsAsAttempt: true });
      await kill(journal, b);
      await attempt(journal, c, { state: "delivered" });
      await attempt(journal, e, { state: "retry", nextAt: 1, countsAsAttempt: true });
      const page = (beforeSeq: number | undefined, states: EntryFilter["states"] & {}) =>
        journal.read
          .list({ states, limit: 2, ...(beforeSeq === undefined ? {} : { beforeSeq }) })
          .map(({ seq }) => seq);
      const unfinished = ["accepted", "retry", "dead", "retry"] as const;
      deepEqual(page(undefined, unfinished), [f, e]);
      deepEqual(page(e, unfinished), [d, b]);
      deepEqual(page(b, unfinished), [a]);
      deepEqual(page(undefined, []), []);
      deepEqual(page(d, ["delivered", "dead"]), [c, b]);
    },
  },
  {
    name: "every state is counted",
    run: async (open) => {
      const { journal } = await open();
      const seqs = await storeLanes(journal, ["wo:1"], ["wo:2"], ["wo:3"], ["wo:4"], ["wo:5"], ["wo:6"]);
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = seqs;
      await attempt(journal, a, { state: "delivered" });
      await attempt(journal, b, { state: "retry", nextAt: 1, countsAsAttempt: true });
      await kill(journal, c);
      await journal.start(d, "mine");
      await journal.act(e, { action: "skip", reason: "x" }, "kim", 1);
      const one = { accepted: 1, inflight: 1, retry: 1, delivered: 1, rejected: 0, dead: 1, discarded: 1 };
      deepEqual(journal.read.counts(), one);
    },
  },
  {
    name: "dead entries are counted by target and reason",
    run: async (open) => {
      const { journal } = await open();
      const seqs = await storeLanes(journal, ["wo:1"], ["wo:2"], ["wo:3"], ["wo:4"]);
      const reasons = ["refused", "exhausted", "refused"] as const;
      for (const [index, reason] of reasons.entries()) {
        await attempt(journal, seqs[index] ?? 0, { state: "dead", reason });
      }
      deepEqual(journal.read.deadCounts(), [
        { target: "erp", reason: "exhausted", entries: 1 },
        { target: "erp", reason: "refused", entries: 2 },
      ]);
    },
  },
  {
    name: "the latest attempt of an entry is found without the others",
    run: async (open) => {
      const { journal } = await open();
      const [seq = 0] = await storeLanes(journal, ["wo:1"]);
      equal(journal.read.latestAttempt(seq), null);
      await attempt(journal, seq, { state: "retry", nextAt: 1, countsAsAttempt: true });
      await attempt(journal, seq, { state: "dead", reason: "refused" });
      deepEqual(journal.read.latestAttempt(seq), journal.read.attempts(seq).at(-1));
      equal(journal.read.latestAttempt(seq)?.n, 2);
    },
  },
  {
    name: "lanes are found by the beginning of their names, each once and in order",
    run: async (open) => {
      const { journal } = await open();
      for (const lane of ["wo:SO-2", "wo:SO-1", "wo:SO-1", "wo:so-3", "ct:SO-1", "wo:SP"]) {
        await storeLanes(journal, [lane]);
      }
      deepEqual(journal.read.lanesLike("wo:SO-", 10), ["wo:SO-1", "wo:SO-2"]);
      deepEqual(journal.read.lanesLike("wo:SO-", 1), ["wo:SO-1"]);
      deepEqual(journal.read.lanesLike("wo:X", 10), []);
    },
  },
  {
    name: "unknown entries are not found",
    run: async (open) => {
      const { journal } = await open();
      deepEqual([journal.read.entry(7), journal.read.entry("evt_none")], [null, null]);
      deepEqual([journal.read.brief(7), await journal.read.entryInTurns("evt_none")], [null, null]);
      deepEqual([journal.read.attempts(7), journal.read.audit(7)], [[], []]);
      equal(await journal.start(7, "mine"), null);
      equal(await journal.act(7, { action: "retry" }, "kim", 1), null);
    },
  },
  {
    name: "a copy holds all that was stored before it, while the journal goes on",
    run: async (open) => {
      const { journal, folder, openCopy } = await open();
      const [first = 0] = await storeLanes(journal, ["wo:1"]);
      // The files of a journal that have no name of their own must not be taken for those of its copy.
      const file = join(folder, "elsewhere", "copy");
      mkdirSync(dirname(file));
      await journal.backup(file);
      await storeLanes(journal, ["wo:2"]);
      const copy = await openCopy(file);
      deepEqual(openSeqs(copy), [first]);
      deepEqual(copy.read.entry(first), journal.read.entry(first));
    },
  },
];
