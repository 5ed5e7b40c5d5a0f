import { expect, test } from "vitest";
import { checkDuplicates } from "../../chaos/harness/checks/check-duplicates.ts";
import { checkPromises } from "../../chaos/harness/checks/check-promises.ts";
import { leakIn, secretIn, secrets } from "../../chaos/harness/checks/leak-in.ts";
import type { JournalEntry, NotedAttempt } from "../../chaos/harness/checks/read-journal.ts";
import { type Ledger, openLedger, type Sending } from "../../chaos/harness/floor/ledger.ts";
import type { Arrival } from "../../chaos/harness/receiver/receiver.ts";
import { faultsOf } from "../../chaos/harness/scenario.ts";
import { mutants, patchedFiles } from "../../chaos/harness/service/mutant.ts";

const entry = (changes: Partial<JournalEntry> = {}): JournalEntry => ({
  seq: 1,
  id: `evt_${changes.seq ?? 1}`,
  state: "delivered",
  order: "K-0-0",
  counter: 0,
  receivedAt: 1000,
  answeredAt: null,
  suspectOf: null,
  isParked: false,
  ...changes,
});

const arrival = (changes: Partial<Arrival> = {}): Arrival => ({
  id: "evt_1",
  seq: 1,
  position: "",
  order: "K-0-0",
  attempt: 1,
  userEmail: "0.K-0-0@chaos.example",
  at: 1000,
  answeredAt: 1000,
  tick: 1,
  acceptedTick: 2,
  misbehaved: null,
  ...changes,
});

function ledgerOf(changes: Partial<Sending>): Ledger {
  const ledger = openLedger();
  Object.assign(ledger.sendingOf("K-0-0", 0), { outcome: "success", sent: 1, happened: 1, ...changes });
  return ledger;
}

const check = (changes: Partial<Sending>, ...entries: JournalEntry[]) =>
  checkPromises({ ledger: ledgerOf(changes), entries, integrity: "ok" });

test("an acknowledged event that the journal does not have is lost", () => {
  expect(check({})).toMatchObject({ lost: 1, doubled: 0 });
  expect(check({}, entry())).toMatchObject({ lost: 0, violations: [] });
  expect(check({}, entry({ state: "rejected" }))).toMatchObject({ lost: 1 });
});

test("an event in the journal more often than it happened is doubled", () => {
  expect(check({}, entry(), entry({ seq: 2 }))).toMatchObject({ doubled: 1 });
  expect(check({ happened: 2 }, entry(), entry({ seq: 2 }))).toMatchObject({ doubled: 0, flagged: 0 });
});

test("a marked repeat is excused only if its answer was written while the sender still waited", () => {
  const again = entry({ seq: 2, suspectOf: 1 });
  const unanswered = [{ from: 1000, to: 1050 }];
  expect(check({ unanswered }, entry({ answeredAt: 1050 }), again)).toMatchObject({ unknowable: 1, flagged: 0 });
  expect(check({ unanswered }, entry({ answeredAt: 1051 }), again)).toMatchObject({ unknowable: 0, flagged: 1 });
  expect(check({}, entry({ answeredAt: 1050 }), again)).toMatchObject({ unknowable: 0, flagged: 1 });
});

test("an event answered with failure may be in the journal only by an earlier sending that nobody answered", () => {
  const failure = { outcome: "failure", happened: 0 } as const;
  const unanswered = [{ from: 1000, to: 1050 }];
  expect(check(failure).violations).toEqual([]);
  expect(check(failure, entry()).violations).toHaveLength(1);
  expect(check({ ...failure, unanswered }, entry())).toMatchObject({ storedBefore: 1, violations: [] });
  expect(check({ ...failure, unanswered }, entry(), entry({ seq: 2 })).violations).toHaveLength(1);
});

test("an answer that leaks is a broken promise", () => {
  const ledger = ledgerOf({});
  ledger.leaks.push("a stack trace");
  expect(checkPromises({ ledger, entries: [entry()], integrity: "ok" }).violations).toHaveLength(1);
});

test("secrets, stack traces, files and statements are seen in an answer; ordinary texts are not", () => {
  for (const text of [
    `{"externalMessage":"${secrets.apiKey}"}`,
    `{"detail":"${secrets.signing}"}`,
    JSON.stringify({ detail: new Error("boom").stack }),
    '{"detail":"tell.ts:57"}',
    '{"detail":"SQLITE_FULL"}',
    '{"detail":"/opt/crossdock/node_modules/fastify"}',
  ]) {
    expect(leakIn(text), text).not.toBeNull();
  }
  expect(leakIn('{"isResultSuccess":true,"externalMessage":"Bestellung 4711 steht an der Wand."}')).toBeNull();
  expect(secretIn("Error: boom\n    at tell (tell.ts:57)")).toBeNull();
  expect(secretIn(`authorization: Bearer ${secrets.apiKey}`)).not.toContain(secrets.apiKey);
});

const twice = [arrival({ at: 1000 }), arrival({ at: 2000, tick: 3, acceptedTick: 4 })];
const silence: NotedAttempt = { seq: 1, startedAt: 990, endedAt: 1290, status: null, error: "no answer" };
const explained = (attempts: readonly NotedAttempt[], ...hardEnds: { from: number; to: number }[]) =>
  checkDuplicates({ arrivals: twice, failedAttempts: new Map([[1, attempts]]), hardEnds });

test("what arrives twice has no reason unless the service was killed, or had no answer in time", () => {
  expect(explained([])).toMatchObject({ unexplained: 1, examples: [expect.stringContaining("entry 1")] });
  expect(explained([silence])).toMatchObject({ unexplained: 0, afterSilence: 1 });
  expect(explained([{ ...silence, status: 500 }])).toMatchObject({ unexplained: 1 });
  expect(explained([{ ...silence, startedAt: 1100 }])).toMatchObject({ unexplained: 1 });
  expect(explained([{ ...silence, endedAt: 2100 }])).toMatchObject({ unexplained: 1 });
  expect(explained([], { from: 1500, to: 1900 })).toMatchObject({ unexplained: 0, afterHardEnd: 1 });
  expect(explained([], { from: 500, to: 900 })).toMatchObject({ unexplained: 1 });
  expect(explained([], { from: 2100, to: 2200 })).toMatchObject({ unexplained: 1 });
});

test("in the short form no time and no rate decides, and everything else does; in the full form all do", () => {
  const none = { at: "most", limit: 0 } as const;
  const figures = (["ms", "s", "1/s", "%", ""] as const).map((unit) => ({
    what: `in ${unit}`,
    value: 1,
    unit,
    bar: none,
  }));
  expect(faultsOf({ figures, violations: ["lost"] }, "short")).toEqual(["lost", "in %: 1 %, ≤ 0 %", "in : 1, ≤ 0"]);
  expect(faultsOf({ figures, violations: [] }, "full")).toHaveLength(figures.length);
});

test.each(mutants)("the wrong build that $name still fits the source, also where nothing can be mounted", (mutant) => {
  expect(patchedFiles(mutant)).toHaveLength(mutant.patches.length);
});
