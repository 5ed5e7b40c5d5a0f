import { expect, onTestFinished, test } from "vitest";
import { openContext } from "../../../test/support/connectors/open-context.ts";
import { type Script, scriptedConnector } from "../../../test/support/connectors/scripted-connector.ts";
import { pieceText } from "../../../test/support/floor/piece-text.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { operationRow, type QueryId } from "../../contract/operations.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import type { Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { Fault } from "../../operation/fault.ts";
import { type AnyOutcome, ListInParts, ok, ReadyJson, ReadyJsonList, refuse } from "../../operation/outcome.ts";
import { openIntakeFile } from "../quarantine/open-quarantine.ts";
import { defaultBudgets } from "../queries/call.ts";
import { guardQueries } from "./guard-queries.ts";
import { defaultFreshness, type Freshness } from "./last-known.ts";
import { openFallbackFile } from "./open-fallback-file.ts";
import type { WorkState } from "./reported-work.ts";

const order = (number: string, rest: object = {}) => ({
  ...{ number, dueDate: "2030-01-31T00:00:00Z", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] },
  ...rest,
});
const down = () => {
  throw new Fault("unreachable", "connection refused");
};

/** A guarded external system that answers by the given script. 08:00 UTC is nine o'clock in the warehouse. */
async function fallback(
  script: Script,
  { folder = temporaryFolder(), freshness = {} as Partial<Freshness>, clock = manualClock() } = {},
) {
  const timers = manualTimers(clock);
  const needs = { dataFolder: folder, clock, timers, log: silentLog };
  const file = openFallbackFile(needs);
  const { quarantine, close } = openIntakeFile(needs);
  const worked = new Map<string, WorkState>();
  const calls: string[] = [];
  const served: string[] = [];
  let behave = script;
  const connector = await scriptedConnector((id, input) => {
    calls.push(id);
    return behave(id, input);
  }).open({}, openContext());
  const guard = guardQueries({
    ...{ connector, name: "erp", known: file.of("erp"), quarantine, clock, timers, log: silentLog },
    work: { since: (number) => worked.get(number) ?? "none" },
    freshness: { ...defaultFreshness, ...freshness },
    served: { dates: { timeZone: "Europe/Berlin", timeOfDay: "17:00" }, invalidOrders: "quarantine" },
    budgets: defaultBudgets,
    onServed: async (numbers) => void served.push(...numbers),
  });
  let isOpen = true;
  const closeAll = () => {
    if (!isOpen) return;
    isOpen = false;
    file.close();
    close();
  };
  onTestFinished(closeAll);
  const begin = (id: QueryId, input: object = {}, language: Language = "en") => {
    const operate = guard.operations[id] as unknown as (input: object, context: object) => Promise<AnyOutcome>;
    return operate(input, { language, signal: new AbortController().signal });
  };
  /** Sends a query and runs everything that needs no time. */
  const query = async (id: QueryId, input: object = {}, language: Language = "en") => {
    const answer = begin(id, input, language).then((outcome) => read(id, outcome, language), String);
    await timers.settle();
    return answer;
  };
  /** Waits until everything remembered is in the file. */
  const written = async () => {
    const all = file.settled();
    await timers.settle();
    await all;
  };
  const become = (next: Script) => {
    behave = next;
  };
  return {
    ...{ query, begin, calls, served, become, written, worked, clock, timers, guard, quarantine, folder },
    close: closeAll,
  };
}

function read(id: QueryId, outcome: AnyOutcome, language: Language) {
  const text = outcome.message === undefined ? null : localise(outcome.message, language);
  if (!outcome.ok) return { result: outcome.result, text };
  const { data } = outcome;
  const json = data instanceof ReadyJsonList ? `[${[...data.pieces].map(pieceText).join(",")}]` : null;
  const value = data instanceof ReadyJson ? JSON.parse(data.text) : json === null ? data : JSON.parse(json);
  return { result: operationRow(id).success, text, data: value };
}

const numbers = (answer: unknown) => (answer as { data: { number: string }[] }).data.map(({ number }) => number);

test("with the external system down, list and scans answer from the last list and say as of when, in the operator's language", async () => {
  const { query, become, written, clock } = await fallback(() =>
    ok([order("W-1", { alternativeStartNumber: "TOTE-7" })]),
  );
  expect(await query("listWorkOrders")).toMatchObject({ text: null, data: [{ number: "W-1" }] });
  await written();
  clock.advance({ minutes: 41 });
  become(down);
  expect(await query("listWorkOrders")).toMatchObject({
    text: expect.stringContaining("as of 09:00"),
    data: [{ number: "W-1", requests: [{ requestType: 1 }] }],
  });
  expect(await query("findWorkOrderByCode", { Code: " tote-7 " }, "de")).toMatchObject({
    text: expect.stringContaining("Auftrag W-1 wird mit Stand 09:00 gezeigt"),
    data: { number: "W-1" },
  });
  clock.advance({ minutes: 7 * 60 });
  expect(await query("listWorkOrders")).toMatchObject({ text: expect.stringContaining("as of 09:00") });
});

test("an order of another storage is refused with the name of that storage, and nothing is forgotten over it", async () => {
  const annex = order("W-1", { designatedStorageName: "Annex" });
  const { query, become, written } = await fallback((id) => ok(id === "listWorkOrders" ? [annex] : annex));
  const elsewhere = { result: "WorkOrderDoesNotExist", text: expect.stringContaining("Annex") };
  await query("listWorkOrders");
  expect(await query("findWorkOrderByCode", { Code: "W-1", StorageName: "Main" })).toEqual(elsewhere);
  expect(await query("findWorkOrderByCode", { Code: "W-1", StorageName: " annex" })).toMatchObject({
    result: "Succeed",
  });
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({ result: "Succeed" });
  await written();
  become(down);
  expect(await query("findWorkOrderByCode", { Code: "W-1", StorageName: "Main" })).toEqual(elsewhere);
});

test("data older than its limit is not given out, and 0 switches fallback data off", async () => {
  const { query, become, written, clock } = await fallback(
    (id) => ok(id === "getItem" ? { number: "A" } : [order("W-1")]),
    {
      freshness: { workOrdersMinutes: 60, itemsMinutes: 0 },
    },
  );
  await query("listWorkOrders");
  await query("getItem", { number: "A" });
  await written();
  become(down);
  clock.advance({ minutes: 60 });
  expect(await query("listWorkOrders")).toMatchObject({ result: "Succeed" });
  clock.advance({ ms: 1 });
  expect(await query("listWorkOrders")).toContain("connection refused");
  expect(await query("getItem", { number: "A" })).toContain("connection refused");
});

test("last known data outlives a restart, and yesterday's says its date", async () => {
  const first = await fallback((id) => ok(id === "getItem" ? { number: "A-1", name: "Bolt" } : "QUJD"));
  await first.query("getItem", { number: "A-1" });
  await first.query("getItemImage", { number: "A-1" });
  first.clock.advance({ days: 1 });
  first.close();
  const { query } = await fallback(down, { folder: first.folder, clock: first.clock });
  expect(await query("getItem", { number: "A-1" })).toMatchObject({
    text: "The connected system does not answer. Item A-1 is shown as of 5 Jan, 09:00.",
    data: { number: "A-1", name: "Bolt", unitOfMeasure: 0 },
  });
  expect(await query("getItemImage", { number: "A-1" })).toMatchObject({ data: "QUJD" });
  expect(await query("getItem", { number: "A-2" })).toContain("connection refused");
});

test("an answer that does not come is replaced before the budget is over, and refreshes the data when it comes late", async () => {
  const { query, begin, become, written, timers, clock } = await fallback(() =>
    ok(order("W-1", { description: "old" })),
  );
  const scan = { Code: "W-1" };
  await query("findWorkOrderByCode", scan);
  let answerLate: (outcome: AnyOutcome) => void = () => {};
  become(() => new Promise((resolve) => (answerLate = resolve)));
  const startedAt = clock.now();
  let answeredAt = 0;
  const slow = begin("findWorkOrderByCode", scan).then((outcome) => {
    answeredAt = clock.now();
    return read("findWorkOrderByCode", outcome, "en");
  });
  await timers.pass(4000);
  expect(await slow).toMatchObject({ text: expect.stringContaining("as of"), data: { description: "old" } });
  expect(answeredAt - startedAt).toBeLessThan(defaultBudgets.scanMs);
  answerLate(ok(order("W-1", { description: "new" })));
  await timers.settle();
  await written();
  become(down);
  expect(await query("findWorkOrderByCode", scan)).toMatchObject({ data: { description: "new" } });
});

test("a system that stays silent is not waited for by every scan; it is tried now and then, and its return ends the use of fallback data", async () => {
  const { query, become, written, calls, timers, guard } = await fallback(() => ok(order("W-1")));
  await query("findWorkOrderByCode", { Code: "W-1" });
  await written();
  become(() => new Promise(() => {}));
  for (let scan = 0; scan < 3; scan++) {
    const slow = query("findWorkOrderByCode", { Code: "W-1" });
    await timers.pass(12_000);
    await slow;
  }
  const before = calls.length;
  expect(guard.fallbackState()).toMatchObject([{ connector: "erp", capability: "codeLookup" }]);
  for (let scan = 0; scan < 10; scan++)
    expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({ result: "Succeed" });
  expect(calls.length - before).toBe(1);
  become(() => ok(order("W-1", { description: "back" })));
  await timers.pass(12_000);
  await query("findWorkOrderByCode", { Code: "W-1" });
  expect(guard.fallbackState()).toEqual([]);
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({
    text: null,
    data: { description: "back" },
  });
});

test("a refusal is an answer; only a missing answer or a failure of the system leads to fallback data", async () => {
  const { query, become, written } = await fallback(() => ok(order("W-1")));
  await query("findWorkOrderByCode", { Code: "W-1" });
  await written();
  become(() => {
    throw new Fault("rejected", "no", { answer: { status: 403 } });
  });
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toBe("Fault: no");
  become(() => {
    throw new Fault("rejected", "bad gateway", { answer: { status: 502 } });
  });
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({ result: "Succeed" });
  become(() => refuse("AdapterApiClientFailed", "not reached"));
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({ result: "Succeed" });
  become(() => refuse("WorkOrderDoesNotExist", "closed"));
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toEqual({
    result: "WorkOrderDoesNotExist",
    text: "closed",
  });
  become(down);
  // The external system has said that there is no such order, so the earlier answer no longer counts.
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toBe("Fault: connection refused");
});

test("a scan that cannot be answered tells the operator that the label is not the cause", async () => {
  const { begin } = await fallback(down);
  const fault = await begin("findWorkOrderByCode", { Code: "W-9" }).catch((error: Fault) => error);
  expect(fault).toBeInstanceOf(Fault);
  expect(localise((fault as Fault).operatorText ?? "", "en")).toMatch(
    /W-9 is not among the orders known here. Take another/,
  );
});

test("orders begun meanwhile are not offered again, and ended ones are not found again", async () => {
  const { query, become, written, worked } = await fallback(() =>
    ok(["W-1", "W-2", "W-3", "W-4"].map((number) => order(number))),
  );
  await query("listWorkOrders");
  await written();
  become(down);
  worked.set("W-1", "started").set("W-2", "finished").set("W-3", "cancelled");
  expect(numbers(await query("listWorkOrders"))).toEqual(["W-4"]);
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toMatchObject({ data: { number: "W-1" } });
  expect(await query("findWorkOrderByCode", { Code: "W-2" })).toMatchObject({
    text: expect.stringContaining("finished"),
  });
  expect(await query("findWorkOrderByCode", { Code: "W-3" })).toMatchObject({
    text: expect.stringContaining("cancelled"),
  });
});

test("an order of another storage is named as such; of two spellings the exact one is meant; put-wall codes are found", async () => {
  const { query, become, written } = await fallback(() =>
    ok([
      order("abc"),
      order("ABC", { designatedStorageName: "North", deliveryNumber: "D-1" }),
      order("W-3", { designatedStorageName: "South", deliveryNumber: "D-1" }),
    ]),
  );
  await query("listWorkOrders");
  await written();
  become(down);
  const scan = (Code: string, StorageName: string) => query("findWorkOrderByCode", { Code, StorageName });
  expect(await scan("ABC", "north")).toMatchObject({ data: { number: "ABC" } });
  expect(await scan("ABC", "South")).toMatchObject({ data: { number: "abc" } });
  expect(await scan("W-3", "North")).toEqual({
    result: "WorkOrderDoesNotExist",
    text: expect.stringContaining("South"),
  });
  expect(numbers(await query("findPutWallOrders", { code: "d-1" }))).toEqual(["ABC", "W-3"]);
});

test("a new list replaces the old one: orders that are missing in it are forgotten", async () => {
  const { query, become, written } = await fallback(() => ok([order("W-1"), order("W-2", { description: "a" })]));
  await query("listWorkOrders");
  await written();
  become(() => ok([order("W-2", { description: "b" }), order("W-3")]));
  await query("listWorkOrders");
  await written();
  become(down);
  expect(await query("listWorkOrders")).toMatchObject({
    data: [{ number: "W-2", description: "b" }, { number: "W-3" }],
  });
  expect(await query("findWorkOrderByCode", { Code: "W-1" })).toBe("Fault: connection refused");
});

test("bad orders of a list or a scan are quarantined, and leave quarantine when a good version comes", async () => {
  const { query, become, quarantine } = await fallback((id) =>
    ok(id === "listWorkOrders" ? [order("W-1"), { number: "W-2" }] : { number: "W-3" }),
  );
  expect(await query("listWorkOrders")).toMatchObject({
    text: expect.stringContaining("W-2"),
    data: [{ number: "W-1" }],
  });
  await query("findWorkOrderByCode", { Code: "W-3" });
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([
    { source: "erp", kind: "workOrders", number: "W-3" },
    { number: "W-2", problems: [{ field: "dueDate" }, { field: "requests" }] },
  ]);
  become((id) => ok(id === "listWorkOrders" ? [order("W-2")] : order("W-3")));
  await query("listWorkOrders");
  await query("findWorkOrderByCode", { Code: "W-3" });
  expect(quarantine.count()).toBe(0);
});

test("a bad item is quarantined, the operator is told, and it leaves quarantine when a good version comes", async () => {
  const { query, begin, become, quarantine } = await fallback(() => ok({ number: "A-1", weight: "heavy" }));
  const fault = await begin("getItem", { number: "A-1" }).catch((error: Fault) => error);
  expect(localise((fault as Fault).operatorText ?? "", "en")).toMatch(/Item A-1 has wrong data .* tell the office/);
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([
    { source: "erp", kind: "items", number: "A-1", problems: [{ field: "weight" }] },
  ]);
  become(() => ok({ number: "A-1", weight: 2 }));
  expect(await query("getItem", { number: "A-1" })).toMatchObject({ data: { number: "A-1", weight: 2 } });
  expect(quarantine.count()).toBe(0);
});

test("a list that comes in parts is checked, served and remembered like any other", async () => {
  const parts = async function* () {
    yield [order("W-1"), { number: "W-2" }];
    yield [order("W-1"), order("W-3", { alternativeStartNumber: "TOTE-3" })];
  };
  const { query, become, written, quarantine } = await fallback(() => ok(new ListInParts(parts())));
  const answer = await query("listWorkOrders");
  expect(numbers(answer)).toEqual(["W-1", "W-3"]);
  expect(answer).toMatchObject({ text: expect.stringContaining("W-2") });
  expect(quarantine.list({ limit: 9 }).records).toMatchObject([{ number: "W-2" }]);
  await written();
  become(down);
  expect(numbers(await query("listWorkOrders"))).toEqual(["W-1", "W-3"]);
  expect(await query("findWorkOrderByCode", { Code: "tote-3" })).toMatchObject({ data: { number: "W-3" } });
});

test("a list that breaks off is not used: the last known data is given", async () => {
  const { query, become, written } = await fallback(() => ok([order("W-1")]));
  await query("listWorkOrders");
  await written();
  become(() =>
    ok(
      new ListInParts(
        (async function* () {
          yield [order("W-9")];
          down();
        })(),
      ),
    ),
  );
  const answer = await query("listWorkOrders");
  expect(numbers(answer)).toEqual(["W-1"]);
  expect(answer).toMatchObject({ text: expect.stringContaining("as of") });
});

test("equal scans under way are one call to the external system; another language is another call", async () => {
  const answers: ((outcome: AnyOutcome) => void)[] = [];
  const { begin, calls, timers } = await fallback(() => new Promise((resolve) => answers.push(resolve)));
  const scans = [
    ...["en", "en", "de"].map((language) => begin("findWorkOrderByCode", { Code: "W-1" }, language as Language)),
    begin("findWorkOrderByCode", { Code: "W-2" }),
  ];
  expect(calls).toHaveLength(3);
  for (const answer of answers) answer(ok(order("W-1")));
  await timers.settle();
  expect((await Promise.all(scans)).every((outcome) => outcome.ok)).toBe(true);
});

test("ten thousand orders of ten lines are checked, written and served in pieces that do not block the event loop", async () => {
  const lines = Array.from({ length: 10 }, (_, index) => ({ itemNumber: `ITEM-${index}`, requestedAmount: index + 1 }));
  const many = Array.from({ length: 10_000 }, (_, index) => order(`W-${index}`, { requests: lines }));
  const { begin, become, written, timers } = await fallback(() => ok(many));
  const answer = begin("listWorkOrders");
  let isDone = false;
  void answer.finally(() => (isDone = true));
  while (!isDone) await timers.settle();
  let settled = false;
  const writing = written().then(() => (settled = true));
  while (!settled) await timers.settle();
  await writing;
  become(down);
  const outcome = (await begin("listWorkOrders")) as AnyOutcome & { data: ReadyJsonList };
  let pieces = 0;
  let longest = 0;
  let count = 0;
  for (const piece of outcome.data.pieces) {
    const orders = JSON.parse(`[${pieceText(piece)}]`).length;
    longest = Math.max(longest, orders);
    count += orders;
    pieces++;
  }
  expect(count).toBe(10_000);
  expect(pieces).toBeGreaterThan(100);
  expect(longest).toBeLessThanOrEqual(100);
});

test("every order that was listed, found by scan or shown at the put wall is noted as served, withheld ones are not", async () => {
  const { query, become, served } = await fallback(() =>
    ok([order("W-1"), order("W-2"), order("BAD", { requests: [] })]),
  );
  await query("listWorkOrders");
  expect(served.splice(0)).toEqual(["W-1", "W-2"]);
  become(() => ok(order("W-3")));
  await query("findWorkOrderByCode", { Code: "W-3" });
  expect(served.splice(0)).toEqual(["W-3"]);
  become(() => ok([order("W-4")]));
  await query("findPutWallOrders", { code: "TOTE" });
  expect(served.splice(0)).toEqual(["W-4"]);
  become(() => refuse("WorkOrderDoesNotExist"));
  await query("findWorkOrderByCode", { Code: "W-9" });
  become(() => ok({ number: "W-5" }));
  await query("getItem", { number: "W-5" });
  expect(served).toEqual([]);
});

test("a scanned code reaches every system without the blanks that a scanner adds", async () => {
  const asked: unknown[] = [];
  const { query } = await fallback((id, input) => {
    asked.push(input);
    return id === "findWorkOrderByCode" ? ok(order("W-1")) : ok([]);
  });
  await query("findWorkOrderByCode", { Code: " W-1\r\n", StorageName: "Main" });
  await query("findPutWallOrders", { code: "\tTOTE 7 " });
  expect(asked).toEqual([{ Code: "W-1", StorageName: "Main" }, { code: "TOTE 7" }]);
});
