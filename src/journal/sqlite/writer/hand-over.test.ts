import fc from "fast-check";
import { expect, test } from "vitest";
import type { NewEntry, RepeatRule } from "../../entry.ts";
import type { Appended, Settled } from "../../journal.ts";
import {
  type Command,
  openEntry,
  packCommand,
  packResult,
  type Result,
  unpackCommand,
  unpackResult,
} from "./writer-command.ts";

type Members<Of> = { readonly [Name in keyof Required<Of>]: unknown };

const text = fc.string({ maxLength: 12 });
const texts = fc.array(text, { maxLength: 3 });
const when = fc.constantFrom("unanswered" as const, "always" as const);
const rule = { key: text, when, windowMs: fc.nat() };
// Lists every member: if a member is missing here, the test does not compile.
const repeat: fc.Arbitrary<RepeatRule> = fc.record(
  { ...rule, undisturbedIn: texts, unnamed: fc.record(rule) } satisfies Members<RepeatRule>,
  { requiredKeys: ["key", "when", "windowMs"] },
);
const entries: fc.Arbitrary<NewEntry> = fc.record(
  {
    id: fc.uuid(),
    direction: fc.constantFrom("out" as const, "in" as const),
    topic: text,
    lanes: texts,
    body: text,
    payload: fc.option(text),
    acceptLanguage: fc.option(text),
    receivedAt: fc.nat(),
    handling: fc.constantFrom("keep" as const, "queue" as const, "pass" as const, "hold" as const),
    target: text,
    supersedes: text,
    stateAt: fc.nat(),
    sender: text,
    trace: text,
    repeat,
  } satisfies Members<NewEntry>,
  { requiredKeys: ["id", "direction", "topic", "lanes", "body", "payload", "acceptLanguage", "receivedAt"] },
);
const append = fc
  .tuple(fc.array(entries, { maxLength: 3 }), text)
  .map(([entries, leaseToken]): Command => ({ name: "append", entries, leaseToken }));

/** The results that the writer may return for an entry: mostly the plain case, and every other one. */
const appendedFor = (entry: NewEntry): fc.Arbitrary<Appended> => {
  const outcome = fc.record({ ok: fc.boolean(), data: fc.jsonValue() });
  const stored = fc
    .record({
      id: fc.constantFrom(entry.id, entry.id, "evt_another"),
      seq: fc.nat(),
      state: fc.constantFrom("delivered" as const, "accepted" as const, "rejected" as const, "inflight" as const),
      outcome,
      touched: fc.boolean(),
      suspectOf: fc.option(fc.nat(), { freq: 4 }),
      emitted: fc.array(
        fc.nat().map((seq) => openEntry(seq, entry)),
        { maxLength: 1 },
      ),
      superseded: fc.array(fc.nat(), { maxLength: 1 }),
    })
    .map((appended) => ({ ...appended, open: appended.state === "accepted" ? openEntry(appended.seq, entry) : null }));
  const repeated = fc
    .record({ repeatOf: fc.nat(), outcome: fc.option(outcome) })
    .map((appended) => ({ ...appended, state: "delivered" as const, touched: false as const }));
  return fc.oneof({ weight: 4, arbitrary: stored }, { weight: 1, arbitrary: repeated });
};

// The message as the other thread receives it.
const crossed = <Message>(message: Message): Message => structuredClone(message);

test("an event arrives in the writer's thread as it was handed over", () => {
  fc.assert(
    fc.property(append, (command) => {
      expect(unpackCommand(crossed(packCommand(command)))).toEqual(command);
    }),
  );
});

test("what became of it arrives in the server's thread as the writer said it", () => {
  const both = fc
    .array(entries, { maxLength: 3 })
    .chain((list) =>
      fc.tuple(
        fc.constant<Command>({ name: "append", entries: list, leaseToken: "" }),
        fc.tuple(...list.map(appendedFor)),
      ),
    );
  fc.assert(
    fc.property(both, ([command, done]) => {
      // JSON has no minus zero, neither in the journal nor between the threads.
      const result = JSON.parse(JSON.stringify({ done })) as Result;
      expect(unpackResult(command, crossed(packResult(command, result)))).toEqual(result);
    }),
  );
});

test("a failure, and every other command, crosses as it is", () => {
  const command: Command = { name: "start", seq: 7, token: "t" };
  expect(unpackCommand(packCommand(command))).toEqual(command);
  expect(unpackResult(command, packResult(command, { done: null }))).toEqual({ done: null });
  const failed: Command = { name: "append", entries: [], leaseToken: "" };
  expect(unpackResult(failed, packResult(failed, { error: "disk" }))).toEqual({ error: "disk" });
});

test("long data of an outcome crosses as its text, and is never parsed in the server's thread", () => {
  const data = {
    updateWorkOrderRequest: {
      id: 1,
      itemRequests: Array.from({ length: 2_000 }, (_, nth) => ({ requestId: nth, note: "half \ud83d" })),
    },
  };
  const outcome = { ok: true, data, message: "m" };
  const written = { ok: true, message: "m", dataText: JSON.stringify(data).replaceAll("\\ud83d", "\ufffd") };
  const entry = {
    id: "e",
    direction: "out",
    topic: "confirmStep",
    lanes: [],
    receivedAt: 1,
    body: "",
    payload: null,
  } as unknown as NewEntry;
  const appended = {
    id: "e",
    seq: 3,
    state: "delivered",
    touched: false,
    suspectOf: null,
    emitted: [],
    open: null,
    superseded: [],
    outcome,
  } as const;
  const append: Command = { name: "append", entries: [entry], leaseToken: "" };
  const results = [
    appended,
    { ...appended, emitted: [openEntry(4, entry)] },
    { repeatOf: 2, state: "delivered", touched: false, outcome },
  ] as const;
  for (const one of results) {
    expect(unpackResult(append, crossed(packResult(append, { done: [one] })))).toEqual({
      done: [{ ...one, outcome: written }],
    });
  }
  const settle = {
    name: "settle",
    lease: { seq: 3, token: "t" },
    verdict: { state: "delivered" },
    attempt: null,
    answer: null,
  } as unknown as Command;
  const settled = { done: true, released: [], emitted: [], applied: { outcome, touched: true } } as unknown as Settled;
  expect(unpackResult(settle, crossed(packResult(settle, { done: settled })))).toEqual({
    done: { ...settled, applied: { outcome: written, touched: true } },
  });
});
