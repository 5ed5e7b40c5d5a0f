import fc from "fast-check";
import { expect, test } from "vitest";
import type { NewEntry, RepeatRule } from "../../src/journal/entry.ts";
import { migrate } from "../../src/journal/sqlite/migrations.ts";
import { writer } from "../../src/journal/sqlite/writer/writer.ts";
import type { Command } from "../../src/journal/sqlite/writer/writer-command.ts";
import { integer, row, text } from "../../src/kit/sqlite/row.ts";
import { type Database, openDatabase } from "../../src/kit/sqlite/sqlite.ts";

type Event = Pick<NewEntry, "topic" | "direction" | "lanes" | "body" | "payload"> & {
  readonly isForErp: boolean;
  readonly key: string;
  readonly name: string | null;
  readonly when: RepeatRule["when"];
  readonly afterMs: number;
  readonly handling: NonNullable<NewEntry["handling"]>;
};
type Happening = Event | "prune" | "answers" | "deliveries" | "edits";
interface Batch {
  readonly happenings: readonly Happening[];
  /** By one more that cannot be stored, or by a commit that fails: all are rolled back then, and done one by one. */
  readonly spoiledBy: "entry" | "commit" | null;
}

const windowMs = 1_000;
// More than are kept in memory before they are stored.
const manyLanes = Array.from({ length: 600 }, (_, index) => `wo:${index}`);
const long = JSON.stringify({ note: "x".repeat(5_000) });

const event: fc.Arbitrary<Event> = fc.record({
  topic: fc.constantFrom("attach", "attach", "place"),
  direction: fc.constantFrom("out", "in"),
  isForErp: fc.boolean(),
  lanes: fc.constantFrom(["wo:1"], ["wo:1"], ["wo:1"], ["wo:2"], ["wo:2", "wo:1"], ["wo:1", "wo:1"], [], manyLanes),
  body: fc.constantFrom('{"a":1}', '{"a":1}', '{ "a": 1 }', '{"a":"x"}', long),
  payload: fc.constantFrom(null, null, '{"a":1}'),
  key: fc.constantFrom("k", "k", "l"),
  name: fc.constantFrom(null, null, "n", "m"),
  when: fc.constantFrom("always", "unanswered"),
  afterMs: fc.constantFrom(0, 10, 2 * windowMs),
  handling: fc.constantFrom("queue", "keep", "hold"),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: event },
  fc.constantFrom<Happening>("prune", "answers", "deliveries", "edits"),
);
const batches = fc.array(
  fc.record({
    happenings: fc.array(happening, { minLength: 1, maxLength: 5 }),
    spoiledBy: fc.constantFrom(null, null, "entry", "commit"),
  }),
  { maxLength: 12 },
);

/** Everything the writer said and stored. Where it forgets, each batch gets a writer that has seen none before. */
function play(played: readonly Batch[], isForgetful: boolean) {
  const file = openDatabase(":memory:");
  migrate(file);
  let isCommitFailing = false;
  const database: Database = {
    ...file,
    exec: (sql) => {
      const isFailing = isCommitFailing && sql === "COMMIT";
      if (isFailing) isCommitFailing = false;
      file.exec(isFailing ? "SELECT a FROM nowhere" : sql);
    },
  };
  const open = (isBoot: boolean) =>
    writer({ isBoot, database, projection: null, inherited: [], emissionTarget: null, newEntryId: () => "" });
  const lanesBySeq = database.query("SELECT seq, lanes FROM entry ORDER BY seq", row({ seq: integer, lanes: text }));
  let current = open(true);
  let at = 1_000_000;
  let ids = 0;
  const append = (one: Event): Command => {
    const { key, name, when, afterMs, isForErp, ...rest } = one;
    at += afterMs;
    const unnamed = { key, when, windowMs };
    const named = { key: `key|${name}`, when: "always", windowMs, unnamed } as const;
    const entry: NewEntry = {
      ...{ id: `evt_${++ids}`, acceptLanguage: null, receivedAt: at, ...rest },
      ...{ repeat: name === null ? unnamed : named, ...(isForErp ? { target: "erp" } : {}) },
    };
    return { name: "append", entries: [entry], leaseToken: "mine" };
  };
  const seqs = () => Array.from({ length: ids }, (_, index) => index + 1);
  const settling = { name: "settle", verdict: { state: "delivered" }, attempt: null, answer: null } as const;
  const deliver = (seq: number): Command[] => [
    { name: "start", seq, token: "mine" },
    { ...settling, lease: { seq, token: "mine" } },
  ];
  const edit = (seq: number): Command => ({
    ...{ name: "act", seq, operator: "kim", at, action: { action: "edit", reason: "typo", body: '{"a":"x"}' } },
  });
  const commandsOf = (one: Happening): Command[] => {
    if (one === "answers") return [{ name: "markAnswered", marks: seqs().map((seq) => [seq, at]) }];
    if (one === "edits") return seqs().map(edit);
    if (one === "deliveries") return seqs().flatMap(deliver);
    if (one !== "prune") return [append(one)];
    // All delivered before: of what is not, the look of a day before decides when its body goes.
    const prune = { name: "prune", bodiesBefore: at + 1, entriesBefore: at - windowMs, batch: 1_000 } as const;
    return [...seqs().flatMap(deliver), prune];
  };
  /** In the lane of the others, and its time is none that can be stored. */
  const spoiling = (): Command => ({
    ...{ name: "append", leaseToken: "" },
    entries: [{ ...plain, id: "evt_spoiled", receivedAt: at + 0.5, repeat: { key: "k", when: "always", windowMs } }],
  });
  const said: unknown[] = [];
  const filed = new Map<number, string>();
  for (const { happenings, spoiledBy } of played) {
    if (isForgetful) current = open(false);
    const commands = happenings.flatMap(commandsOf);
    isCommitFailing = spoiledBy === "commit" && commands.length > 1;
    const { results } = current.write(spoiledBy === "entry" ? [...commands, spoiling()] : commands);
    expect(results.filter((result) => "error" in result)).toHaveLength(spoiledBy === "entry" ? 1 : 0);
    // How many rows were looked at depends on where the last look ended.
    said.push(results.map((result) => ("done" in result && typeof result.done === "number" ? "looked" : result)));
    // After every batch: what is erased later had its positions all the same.
    for (const { seq, lanes } of lanesBySeq.all()) filed.set(seq, lanes);
  }
  const stored = ["entry", "entry_body", "entry_lane", "lane", "last_entry"].map((table) => [
    ...database.statement(`SELECT * FROM ${table}`).iterate(),
  ]);
  database.close();
  return { said, stored, filed };
}

const plain: Omit<NewEntry, "id" | "receivedAt"> = {
  ...{ direction: "out", topic: "attach", lanes: ["wo:1"], body: '{"a":"spoiled"}', payload: null },
  ...{ acceptLanguage: null, handling: "queue", target: "erp" },
};

test("what the writer remembers from batch to batch changes nothing but the time it takes", () => {
  fc.assert(
    fc.property(batches, (played) => {
      expect(play(played, false)).toEqual(play(played, true));
    }),
    { numRuns: 200 },
  );
});

test("every entry gets the position after the one before it in the lane, across batches, rollbacks and erasures", () => {
  fc.assert(
    fc.property(batches, (played) => {
      const last = new Map<string, number>();
      // Each by itself: what is erased in the batch that brought it is never seen.
      const apart = played.flatMap(({ happenings, spoiledBy }) =>
        happenings.map((one) => ({ happenings: [one], spoiledBy })),
      );
      for (const lanes of play(apart, false).filed.values()) {
        for (const [lane, position] of JSON.parse(lanes) as [string, number][]) {
          if (position === 0) continue;
          expect(position).toBe((last.get(lane) ?? 0) + 1);
          last.set(lane, position);
        }
      }
    }),
    { numRuns: 100 },
  );
});
