import { deepEqual, equal } from "node:assert/strict";
import type { Journal, PersonAction } from "../journal.ts";
import { attempt, type JournalCheck, kill, store } from "./journal-check.ts";

const actions: Record<PersonAction["action"], PersonAction> = {
  retry: { action: "retry" },
  edit: { action: "edit", body: '{"fixed":1}', reason: "typing error" },
  skip: { action: "skip", reason: "booked by hand" },
  replay: { action: "replay", reason: "lost over there" },
};

/** Brings an entry of a lane into each state. */
const arrange: Record<string, (journal: Journal, lanes: readonly string[]) => Promise<number>> = {
  accepted: async (journal, lanes) => (await store(journal, { lanes })).seq,
  inflight: async (journal, lanes) => (await store(journal, { lanes, handling: "hold" }, "mine")).seq,
  retry: async (journal, lanes) => {
    const { seq } = await store(journal, { lanes });
    await attempt(journal, seq, { state: "retry", nextAt: 9000, countsAsAttempt: true });
    return seq;
  },
  delivered: async (journal, lanes) => {
    const { seq } = await store(journal, { lanes });
    await attempt(journal, seq, { state: "delivered" });
    return seq;
  },
  rejected: async (journal, lanes) => {
    const { seq } = await store(journal, { lanes, handling: "hold" }, "mine");
    await journal.settle({ seq, token: "mine" }, { state: "rejected" }, null);
    return seq;
  },
  dead: async (journal, lanes) => {
    const { seq } = await store(journal, { lanes });
    await kill(journal, seq);
    return seq;
  },
  discarded: async (journal, lanes) => {
    const { seq } = await store(journal, { lanes });
    await journal.act(seq, actions.skip, "kim", 4000);
    return seq;
  },
  // Removes the default target, which the type of a new entry cannot express.
  "kept only": async (journal, lanes) =>
    (await store(journal, { lanes, handling: "keep", target: undefined as never })).seq,
};

const allowed: Record<PersonAction["action"], readonly string[]> = {
  retry: ["retry", "dead"],
  edit: ["accepted", "retry", "dead"],
  skip: ["accepted", "retry", "dead"],
  replay: ["delivered", "discarded"],
};

export const personChecks: readonly JournalCheck[] = [
  {
    name: "each action is allowed in its states, and changes nothing in the others",
    run: async (open) => {
      const { journal } = await open();
      for (const action of Object.values(actions)) {
        for (const [state, bring] of Object.entries(arrange)) {
          // Each entry has its own lane, because an entry waits for those before it in its lane.
          const seq = await bring(journal, [`wo:${action.action} ${state}`]);
          const before = journal.read.entry(seq);
          const audited = journal.read.audit(seq).length;
          const released = await journal.act(seq, action, "kim", 5000);
          const isAllowed = allowed[action.action].includes(state);
          equal(released !== null, isAllowed, `${action.action} of an entry that is ${state}`);
          equal(journal.read.audit(seq).length, audited + (isAllowed ? 1 : 0));
          if (!isAllowed) deepEqual(journal.read.entry(seq), before);
        }
      }
    },
  },
  {
    name: "every action is recorded in the audit: who, when, why, and the state before it",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal, { body: '{"wrong":1}' });
      await journal.act(seq, actions.edit, "kim", 5000);
      await journal.act(seq, actions.skip, "lee", 6000);
      await journal.act(seq, actions.replay, "kim", 7000);
      const { action: edit, reason } = { action: "edit" as const, reason: "typing error" };
      deepEqual(journal.read.audit(seq), [
        { seq, at: 5000, operator: "kim", action: edit, reason, before: '{"wrong":1}' },
        { seq, at: 6000, operator: "lee", action: "skip", reason: "booked by hand", before: null },
        { seq, at: 7000, operator: "kim", action: "replay", reason: "lost over there", before: null },
      ]);
    },
  },
  {
    name: "an edited entry goes out with its new body, under its id and in its place",
    run: async (open) => {
      const { journal } = await open();
      const { seq, id } = await store(journal, { payload: '{"old":1}' });
      await kill(journal, seq);
      const released = await journal.act(seq, actions.edit, "kim", 5000);
      deepEqual(
        released?.map((one) => [one.seq, one.id, one.nextAt]),
        [[seq, id, 0]],
      );
      const entry = await journal.start(seq, "mine");
      deepEqual([entry?.body, entry?.payload, entry?.id], ['{"fixed":1}', null, id]);
    },
  },
  {
    name: "a replay is counted, and is not booked again",
    run: async (open) => {
      const { journal, booked } = await open();
      const { seq, id } = await store(journal);
      await attempt(journal, seq, { state: "delivered" });
      await journal.act(seq, actions.replay, "kim", 5000);
      equal((await journal.start(seq, "again"))?.replays, 1);
      await journal.settle({ seq, token: "again" }, { state: "delivered" }, null);
      deepEqual(booked(), [id]);
    },
  },
  {
    name: "a discarded entry keeps the reason",
    run: async (open) => {
      const { journal } = await open();
      const { seq } = await store(journal);
      deepEqual(await journal.act(seq, actions.skip, "kim", 5000), []);
      const { state, reason } = journal.read.entry(seq) ?? {};
      deepEqual([state, reason], ["discarded", "booked by hand"]);
    },
  },
];
