import { deepEqual, equal } from "node:assert/strict";
import { attempt, type JournalCheck, kill, openSeqs, storeLanes } from "./journal-check.ts";

export const parkingChecks: readonly JournalCheck[] = [
  {
    name: "a dead entry parks its lanes, and no others",
    run: async (open) => {
      const { journal } = await open();
      const [dead = 0, behind = 0, other = 0] = await storeLanes(journal, ["wo:1"], ["wo:1"], ["wo:2"]);
      await kill(journal, dead);
      deepEqual(openSeqs(journal), [other]);
      equal(await journal.start(behind, "x"), null);
      equal(journal.read.entry(behind)?.state, "accepted");
      deepEqual([journal.read.heldBy("wo:1"), journal.read.heldBy("wo:2")], [dead, null]);
      equal(journal.read.entry(dead)?.reason, "refused");
    },
  },
  {
    name: "a later entry of a parked lane waits too, also after a restart",
    run: async (open) => {
      const before = await open();
      const [dead = 0] = await storeLanes(before.journal, ["wo:1"]);
      await kill(before.journal, dead);
      const { journal } = await before.reopen();
      const [late = 0] = await storeLanes(journal, ["wo:1"]);
      deepEqual(openSeqs(journal), []);
      equal(await journal.start(late, "x"), null);
    },
  },
  {
    name: "a waiting entry blocks its other lanes too, whether it was stored before the dead entry or after it",
    run: async (open) => {
      const { journal } = await open();
      const lanes = [["wo:1"], ["wo:1", "ct:9"], ["ct:9", "wo:2"], ["wo:2"], ["wo:3"]];
      const [dead = 0, , , , free = 0] = await storeLanes(journal, ...lanes);
      await kill(journal, dead);
      await storeLanes(journal, ["wo:2", "ct:8"], ["ct:8"]);
      deepEqual(openSeqs(journal), [free]);
      deepEqual([journal.read.heldBy("ct:9"), journal.read.heldBy("ct:8")], [dead, dead]);
      const released = await journal.act(dead, { action: "retry", reason: "mended" }, "kim", 5000);
      deepEqual(
        released?.map(({ seq }) => seq),
        [1, 2, 3, 4, 6, 7],
      );
      equal(journal.read.heldBy("ct:8"), null);
    },
  },
  {
    name: "entries that were stored before the dead entry are not blocked by it",
    run: async (open) => {
      const { journal } = await open();
      const [first = 0, second = 0] = await storeLanes(journal, ["wo:1"], ["wo:1", "ct:9"]);
      const [before = 0] = await storeLanes(journal, ["ct:8"]);
      await attempt(journal, first, { state: "delivered" });
      await kill(journal, second);
      deepEqual(openSeqs(journal), [before]);
      await journal.act(first, { action: "replay", reason: "lost" }, "kim", 5000);
      deepEqual(openSeqs(journal), [first, before]);
    },
  },
  {
    name: "an entry behind two dead entries waits until both are resolved",
    run: async (open) => {
      const { journal } = await open();
      const [one = 0, two = 0, both = 0] = await storeLanes(journal, ["wo:1"], ["wo:2"], ["wo:1", "wo:2"]);
      await kill(journal, one);
      await kill(journal, two);
      const skip = { action: "skip", reason: "by hand" } as const;
      deepEqual(await journal.act(one, skip, "kim", 5000), []);
      equal(await journal.start(both, "x"), null);
      const released = await journal.act(two, skip, "kim", 5000);
      deepEqual(
        released?.map(({ seq }) => seq),
        [both],
      );
      equal(await attempt(journal, both, { state: "delivered" }), true);
    },
  },
  {
    name: "skipping a waiting entry releases the entries that waited only for it",
    run: async (open) => {
      const { journal } = await open();
      const [dead = 0, link = 0, last = 0] = await storeLanes(journal, ["wo:1"], ["wo:1", "ct:9"], ["ct:9"]);
      await kill(journal, dead);
      const released = await journal.act(link, { action: "skip", reason: "by hand" }, "kim", 5000);
      deepEqual(
        released?.map(({ seq }) => seq),
        [last],
      );
      deepEqual([journal.read.heldBy("wo:1"), journal.read.heldBy("ct:9")], [dead, null]);
    },
  },
];
