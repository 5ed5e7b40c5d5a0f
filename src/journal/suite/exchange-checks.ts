import { deepEqual, equal } from "node:assert/strict";
import { type Exchange, keptAttempts } from "../entry.ts";
import { attempt, type JournalCheck, kill, store } from "./journal-check.ts";

const exchange = (to: string): Exchange => ({
  sentAt: 1000,
  to,
  headers: { "content-type": "application/json" },
  body: { text: '{"name":"Kim"}', bytes: 14 },
  answer: { ms: 12, status: 503, body: { text: "Kim?", bytes: 4 } },
});
const later = { state: "retry", nextAt: 0, countsAsAttempt: false } as const;
const never = { bodiesBefore: 0, entriesBefore: 0, batch: 100 };

export const exchangeChecks: readonly JournalCheck[] = [
  {
    name: "what an attempt sent and got is kept with it, and outlives a restart",
    run: async (open) => {
      const first = await open();
      const { seq } = await store(first.journal);
      const other = await store(first.journal, { lanes: ["wo:2"] });
      await attempt(first.journal, seq, later, { status: 503, exchanges: [exchange("POST /a"), exchange("POST /b")] });
      await attempt(first.journal, seq, later);
      await attempt(first.journal, seq, { state: "delivered" }, { exchanges: [exchange("POST /c")] });
      const { journal } = await first.reopen();
      deepEqual(
        [...journal.read.exchanges(seq)],
        [
          [1, [exchange("POST /a"), exchange("POST /b")]],
          [3, [exchange("POST /c")]],
        ],
      );
      equal("exchanges" in (journal.read.attempts(seq)[0] ?? {}), false);
      equal(journal.read.exchanges(other.seq).size, 0);
    },
  },
  {
    name: "of many attempts the exchanges of the first and of the latest are kept",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      const tries = keptAttempts.first + keptAttempts.latest + 4;
      for (let n = 1; n <= tries; n++) await attempt(journal, seq, later, { exchanges: [exchange(`POST /${n}`)] });
      deepEqual([...journal.read.exchanges(seq).keys()], [1, 2, 3, 8, 9, 10, 11, 12]);
      equal(journal.read.attempts(seq).length, tries);
    },
  },
  {
    name: "erasing a body also erases what was sent and answered; the attempt itself stays",
    run: async (open) => {
      const { journal } = await open();
      const answer = { status: 200, response: "Kim is known", exchanges: [exchange("POST /a")] };
      const { seq } = await store(journal);
      await attempt(journal, seq, { state: "delivered" }, answer);
      const waiting = await store(journal, { lanes: ["wo:2"] });
      await attempt(journal, waiting.seq, later, answer);
      const dead = await store(journal, { lanes: ["wo:3"] });
      await attempt(journal, dead.seq, later, answer);
      await kill(journal, dead.seq);
      await journal.prune({ ...never, bodiesBefore: 5000 });
      equal(journal.read.exchanges(seq).size, 0);
      const [kept] = journal.read.attempts(seq);
      deepEqual([kept?.status, kept?.response, kept?.outcome], [200, undefined, "delivered"]);
      deepEqual(
        [waiting, dead].map((one) => journal.read.exchanges(one.seq).size),
        [1, 1],
      );
    },
  },
  {
    name: "erasing an entry erases everything that was sent for it, and nothing of other entries",
    run: async (open) => {
      const { journal } = await open();
      const seqs: number[] = [];
      for (const receivedAt of [1000, 9000]) {
        const { seq } = await store(journal, { receivedAt, lanes: [`wo:${receivedAt}`] });
        await attempt(journal, seq, { state: "delivered" }, { exchanges: [exchange("POST /a")] });
        seqs.push(seq);
      }
      await journal.prune({ ...never, entriesBefore: 5000 });
      deepEqual(
        seqs.map((seq) => journal.read.exchanges(seq).size),
        [0, 1],
      );
    },
  },
];
