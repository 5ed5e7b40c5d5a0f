import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry } from "../../../journal/entry.ts";
import type { EntryFilter } from "../../../journal/journal.ts";
import { openJournalOverview } from "../journal-overview.ts";
import type { EntryQuery } from "./entry-query.ts";
import { entryMatcher } from "./entry-query.ts";
import { scanEntries } from "./export-entries.ts";

const hourMs = 3_600_000;

function entry(seq: number, members: Partial<Entry>): Entry {
  return {
    seq,
    id: `evt_${seq}`,
    direction: "out",
    topic: "changeStatus",
    target: null,
    sender: null,
    trace: null,
    lanes: [],
    body: "{}",
    payload: null,
    acceptLanguage: null,
    receivedAt: 0,
    state: "delivered",
    reason: null,
    attempts: 0,
    targetFailures: 0,
    nextAt: null,
    answer: null,
    answeredAt: null,
    deliveredAt: null,
    suspectOf: null,
    replays: 0,
    isState: false,
    ...members,
  };
}

/** Lists entries as the port promises, as far as a scan needs it. */
function listing(entries: readonly Entry[]) {
  let listed = 0;
  const list = ({ lane, states, beforeSeq = Number.POSITIVE_INFINITY, limit }: EntryFilter) => {
    const found = entries
      .filter(({ seq }) => seq < beforeSeq)
      .filter((one) => lane === undefined || one.lanes.some((own) => own.lane === lane))
      .filter(({ state }) => states === undefined || states.includes(state))
      .toSorted((a, b) => b.seq - a.seq)
      .slice(0, limit);
    listed += found.length;
    return found;
  };
  return { list, listed: () => listed, latestAttempt: () => null, heldBy: () => null };
}

async function found(read: ReturnType<typeof listing>, query: EntryQuery): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { matches } of scanEntries(read, query)) seqs.push(...matches.map(({ seq }) => seq));
  return seqs;
}

test("a scan finds exactly what matches, newest first, also where the clock was set back a little", async () => {
  const step = fc.integer({ min: -hourMs / 4, max: hourMs });
  const some = fc.record({ step, state: fc.constantFrom("dead", "delivered"), order: fc.constantFrom("A", "B") });
  const query = fc.record(
    {
      from: fc.integer({ min: 0, max: 100 * hourMs }),
      to: fc.integer({ min: 0, max: 100 * hourMs }),
      order: fc.constant("A"),
      states: fc.constantFrom(["dead"], ["dead", "delivered"]),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(some, { maxLength: 300 }), query, async (steps, given) => {
      let now = 0;
      const entries = steps.map(({ step: ms, state, order }, index) => {
        now += ms;
        const lanes = [{ lane: `wo:${order}`, position: 0 }];
        return entry(index * 7 + 1, { receivedAt: now, state: state as Entry["state"], lanes });
      });
      // A clock set back by more than an hour in total is a wrong clock, which the search does not tolerate.
      fc.pre(
        entries.every((one, index) => entries.slice(0, index).every((old) => old.receivedAt - one.receivedAt < hourMs)),
      );
      const expected = entries.filter(entryMatcher(given as EntryQuery)).map(({ seq }) => seq);
      expect(await found(listing(entries), given as EntryQuery)).toEqual(expected.reverse());
    }),
  );
});

test("what was received in an hour long ago is found without looking through all that came later", async () => {
  const entries = Array.from({ length: 50_000 }, (_, index) => entry(index + 1, { receivedAt: index * 60_000 }));
  const read = listing(entries);
  const from = 1000 * 60_000;
  expect(await found(read, { from, to: from + 360_000 })).toEqual([1007, 1006, 1005, 1004, 1003, 1002, 1001]);
  expect(read.listed()).toBeLessThan(1000);
});

test("a search with rare hits stops after a while and says where to continue", async () => {
  const entries = Array.from({ length: 45_000 }, (_, index) =>
    entry(index + 1, { body: index === 0 ? '{"x":1}' : "{}" }),
  );
  const { find } = openJournalOverview({
    read: { ...unused, ...listing(entries) },
    orderRecords: {
      orders: null,
      changesOf: () => [],
      amountsOf: () => new Map(),
      followUpsOf: () => [],
      explain: () => null,
      doubtful: () => ({ count: 0, orders: [] }),
    },
  });
  let before: number | undefined;
  const pages: number[][] = [];
  do {
    const page = await find(
      { text: '"X"' },
      { limit: 10, showPersonal: false, ...(before === undefined ? {} : { before }) },
    );
    pages.push(page.entries.map(({ seq }) => seq));
    before = page.nextBefore ?? undefined;
  } while (before !== undefined);
  expect(pages).toEqual([[], [], [1]]);
});

const unused = {
  entry: () => null,
  entryInTurns: async () => null,
  brief: () => null,
  attempts: () => [],
  latestAttempt: () => null,
  progress: () => new Map(),
  exchanges: () => new Map(),
  audit: () => [],
  open: () => [],
  deadCounts: () => [],
  counts: () => ({ accepted: 0, inflight: 0, retry: 0, delivered: 0, rejected: 0, dead: 0, discarded: 0 }),
  heldBy: () => null,
  lanesLike: () => [],
};
