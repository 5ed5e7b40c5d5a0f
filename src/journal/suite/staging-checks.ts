import { deepEqual, equal, ok } from "node:assert/strict";
import type { NewEntry } from "../entry.ts";
import type { Journal } from "../journal.ts";
import { packEntries } from "../packed-entry.ts";
import { idsIn, type StagedOutcome } from "../staging.ts";
import { type JournalCheck, newEntry } from "./journal-check.ts";

const pushed = (number: number, changes: Partial<NewEntry> = {}) =>
  newEntry({ direction: "in", lanes: [`wo:${number}`], handling: "keep", ...changes });
const some = (count: number) => Array.from({ length: count }, (_, index) => pushed(index));
const call = { keys: ["erp|long"], digest: "d1", at: 1000, note: "the note" };

async function staged(journal: Journal, entries: readonly NewEntry[], perChunk = 3) {
  const staging = journal.stage();
  for (let at = 0; at < entries.length; at += perChunk) {
    const few = entries.slice(at, at + perChunk);
    await staging.add({ count: few.length, chunks: [packEntries(few)] });
  }
  return staging;
}
const idsOf = (outcome: StagedOutcome) => ("idPieces" in outcome ? idsIn(outcome.idPieces) : null);

export const stagingChecks: readonly JournalCheck[] = [
  {
    name: "a call in chunks is stored completely and in order when its commit resolves",
    run: async (open) => {
      const { journal, booked } = await open();
      const entries = some(20);
      const ids = entries.map(({ id }) => id);
      const staging = await staged(journal, entries);
      equal(booked().length, 0);
      equal(journal.read.list({ limit: 100 }).length, 0);
      deepEqual(idsOf(await staging.commit(null)), ids);
      deepEqual(booked(), ids);
      deepEqual(
        journal.read.list({ limit: 100 }).map(({ id }) => id),
        ids.toReversed(),
      );
    },
  },
  {
    name: "a call in chunks leaves nothing behind if it is dropped or interrupted by a restart",
    run: async (open) => {
      const before = await open();
      (await staged(before.journal, some(10))).drop();
      await staged(before.journal, some(10));
      const { journal, booked } = await before.reopen();
      equal(booked().length, 0);
      equal(journal.isCatchingUp(), false);
      const next = await staged(journal, some(4));
      deepEqual(idsOf(await next.commit(null))?.length, 4);
    },
  },
  {
    name: "events are stored while a call in chunks is being stored, and results are reported in the order of the commits",
    run: async (open) => {
      const { journal } = await open();
      const moved: number[] = [];
      journal.onMoved(({ appended }) => moved.push(...appended.flatMap((one) => ("seq" in one ? [one.seq] : []))));
      const staging = await staged(
        journal,
        some(30).map((entry) => ({ ...entry, handling: "queue", target: "erp" })),
      );
      const [outcome, ...events] = await Promise.all([
        staging.commit(null),
        ...Array.from({ length: 5 }, () => journal.append([newEntry({ lanes: ["wo:event"] })])),
      ]);
      equal(idsOf(outcome)?.length, 30);
      equal(events.flat().length, 5);
      equal(moved.length, 30);
      deepEqual(
        moved,
        [...moved].sort((a, b) => a - b),
      );
    },
  },
  {
    name: "a call in chunks with keys takes effect once; a repeat gets the same ids",
    run: async (open) => {
      const before = await open();
      const entries = some(10);
      const ids = entries.map(({ id }) => id);
      deepEqual(idsOf(await (await staged(before.journal, entries)).commit(call)), ids);
      const { journal, booked } = await before.reopen();
      const known = journal.recall(["erp|long"], 2000);
      deepEqual([known?.digest, known?.note, known?.unchanged], ["d1", "the note", 0]);
      deepEqual(known?.inPieces === undefined ? known?.ids : idsIn(known.inPieces.idPieces), ids);
      deepEqual(await (await staged(journal, some(10))).commit(call), { isKnown: true });
      equal(booked().length, 10);
    },
  },
  {
    name: "repeats in a call in chunks are counted, and have the id of the entry they repeat",
    run: async (open) => {
      const { journal } = await open();
      const repeat = { key: "push", when: "always", windowMs: 900_000 } as const;
      const first = pushed(1, { repeat });
      await journal.append([first]);
      const outcome = await (await staged(journal, [pushed(1, { repeat }), pushed(2, { repeat })])).commit(null);
      ok("unchanged" in outcome && outcome.unchanged === 1 && outcome.count === 2);
      equal(idsOf(outcome)?.[0], first.id);
    },
  },
];
