import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { type IdempotentCall, idempotencyWindowMs } from "../idempotency-record.ts";
import { JournalFailed } from "../journal.ts";
import { type JournalCheck, newEntry, store } from "./journal-check.ts";

const call = (changes: Partial<IdempotentCall> = {}): IdempotentCall => ({
  ...{ keys: ["erp|key-1"], digest: "d1", at: 1000, note: "the note" },
  ...changes,
});
const pushed = (number: string) => newEntry({ direction: "in", lanes: [`wo:${number}`], handling: "keep" });

export const idempotencyChecks: readonly JournalCheck[] = [
  {
    name: "a call with a key takes effect once; a repeat gets the same ids and note",
    run: async (open) => {
      const { journal, booked } = await open();
      const entries = [pushed("1"), pushed("2")];
      const ids = entries.map(({ id }) => id);
      const first = await journal.appendIdempotent(call(), entries);
      deepEqual("ids" in first ? first.ids : null, ids);
      const again = await journal.appendIdempotent(call({ at: 2000, note: "another" }), [pushed("1"), pushed("2")]);
      deepEqual(again, { known: { digest: "d1", at: 1000, note: "the note", ids, unchanged: 0 } });
      deepEqual(booked(), ids);
      deepEqual(journal.recall(["erp|other", "erp|key-1"], 2000), {
        digest: "d1",
        at: 1000,
        note: "the note",
        ids,
        unchanged: 0,
      });
      equal(journal.recall(["erp|other"], 2000), null);
      equal(journal.recall(["erp|key-1"], 1001 + idempotencyWindowMs), null);
    },
  },
  {
    name: "a call is recognised after a restart, by each of its keys",
    run: async (open) => {
      const before = await open();
      await before.journal.appendIdempotent(call({ keys: ["erp|a", "erp|b"] }), [pushed("1")]);
      const { journal, booked } = await before.reopen();
      for (const key of ["erp|b", "erp|a"]) {
        ok("known" in (await journal.appendIdempotent(call({ keys: ["erp|c", key], digest: "d2" }), [pushed("2")])));
      }
      equal(booked().length, 1);
      ok("ids" in (await journal.appendIdempotent(call({ keys: ["erp|c"] }), [pushed("2")])));
    },
  },
  {
    name: "a call that could not be stored leaves no trace, and may be made again",
    run: async (open) => {
      const { journal } = await open();
      const failing = newEntry({ body: JSON.stringify({ act: "fail" }), handling: "keep" });
      await rejects(journal.appendIdempotent(call(), [pushed("1"), failing]), JournalFailed);
      ok("ids" in (await journal.appendIdempotent(call(), [pushed("1")])));
    },
  },
  {
    name: "a call without entries is remembered too",
    run: async (open) => {
      const { journal } = await open();
      deepEqual(await journal.appendIdempotent(call(), []), { appended: [], ids: [], unchanged: 0 });
      ok("known" in (await journal.appendIdempotent(call(), [])));
    },
  },
  {
    name: "the same call after a week is a new one",
    run: async (open) => {
      const { journal } = await open();
      await journal.appendIdempotent(call(), [pushed("1")]);
      ok("known" in (await journal.appendIdempotent(call({ at: 1000 + idempotencyWindowMs }), [pushed("1")])));
      ok("ids" in (await journal.appendIdempotent(call({ at: 1001 + idempotencyWindowMs }), [pushed("1")])));
      ok("known" in (await journal.appendIdempotent(call({ at: 1002 + idempotencyWindowMs }), [pushed("1")])));
    },
  },
  {
    name: "if two entries of one call are equal, both get the id of the first",
    run: async (open) => {
      const { journal } = await open();
      const repeat = { key: "push", when: "always", windowMs: 900_000 } as const;
      const first = await store(journal, { direction: "in", handling: "keep", repeat });
      const again = newEntry({ direction: "in", handling: "keep", repeat });
      const made = await journal.appendIdempotent(call(), [again, pushed("2")]);
      deepEqual("ids" in made ? [made.ids[0], made.unchanged] : null, [first.id, 1]);
    },
  },
];
