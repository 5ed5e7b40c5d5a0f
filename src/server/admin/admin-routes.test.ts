import { afterAll, beforeAll, expect, test } from "vitest";
import { adminSetup, setupTarget } from "../../../test/support/adapter/admin-setup.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { newFolder, removeFolder } from "../../../test/support/temporary-folder.ts";
import { actionNames } from "../../engine/journal-view/entries/act-on-entry.ts";
import type { EntryDetail } from "../../engine/journal-view/entries/entry-detail.ts";
import type { EntryPage } from "../../engine/journal-view/journal-overview.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";

type Setup = Awaited<ReturnType<typeof adminSetup>>;

const placement = (workOrderNumber: string, itemNumber = "A-1") => ({
  workOrderNumber,
  itemNumber,
  completedAmount: 2,
  userEmail: "jo@example.com",
});
const by = { operator: "kim" };
const dead = { state: "dead", reason: "refused" } as const;
const seqsOf = async (setup: Setup, query: string): Promise<number[]> =>
  ((await setup.call("GET", `/admin/journal?${query}`)).json() as EntryPage).entries.map(({ seq }) => seq);
const show = async (setup: Setup, seq: number, query = "") =>
  (await setup.call("GET", `/admin/journal/${seq}${query}`)).json() as EntryDetail;

/** Shared by the tests of refusals, which change nothing: a setup of its own for each refusal would take a minute. */
let shared: Setup;
let deadSeq = 0;
const sharedFolder = newFolder();
beforeAll(async () => {
  shared = await adminSetup({ folder: sharedFolder, onFinished: () => {} });
  deadSeq = await shared.event("confirmPutWallPlacement", placement("W-1"));
  await shared.attempt(deadSeq, dead);
});
afterAll(async () => {
  await shared.close();
  removeFolder(sharedFolder);
});

const everyRoute = [
  ["GET", "/admin/journal"],
  ["GET", "/admin/journal/1"],
  ["GET", "/admin/journal/export"],
  ["POST", "/admin/journal/bulk"],
  ...actionNames.map((action) => ["POST", `/admin/journal/1/${action}`] as const),
  ["GET", "/admin/orders/W-1/timeline"],
  ["GET", "/admin/targets"],
  ["POST", `/admin/targets/${setupTarget}/pause`],
  ["POST", `/admin/targets/${setupTarget}/resume`],
] as const;

test("a stranger learns nothing and changes nothing, whatever the route", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  for (const [method, path] of everyRoute) {
    for (const key of ["", "another"]) {
      const body = method === "POST" ? { ...by, reason: "x", action: "skip", filter: { order: "W-1" } } : undefined;
      const { status, text, headers } = await setup.call(method, path, body, { "x-api-key": key });
      // After several wrong keys the caller is told to wait (429).
      expect({ path, isRefused: status === 401 || (key !== "" && status === 429) }).toEqual({ path, isRefused: true });
      expect(headers["content-type"]).toMatch("application/problem+json");
      expect(text).not.toContain("W-1");
    }
  }
  expect(setup.journal.read.entry(seq)?.state).toBe("accepted");
  expect(setup.paused.size).toBe(0);
});

test("all routes lie under the base path", async () => {
  const setup = await adminSetup({ basePath: "/wms" });
  expect((await setup.call("GET", "/admin/journal")).status).toBe(200);
  expect((await setup.app.inject({ url: "/admin/journal" })).statusCode).toBe(404);
});

test("each filter finds its entries, and several filters must all hold", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  const placed = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const other = await setup.event("confirmPutWallPlacement", {
    ...placement("W-2", "B-7"),
    userEmail: "ann@example.com",
  });
  const attached = await setup.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-9" });
  await setup.attempt(other, dead);
  expect(await seqsOf(setup, "order=W-1")).toEqual([attached, placed, 1]);
  expect(await seqsOf(setup, "container=C-9")).toEqual([attached]);
  expect(await seqsOf(setup, "item=B-7")).toEqual([other]);
  expect(await seqsOf(setup, "operator=JO@example.com")).toEqual([placed]);
  expect(await seqsOf(setup, "text=b-7")).toEqual([other]);
  expect(await seqsOf(setup, "topic=attachworkorder")).toEqual([attached]);
  expect(await seqsOf(setup, "state=dead,discarded")).toEqual([other]);
  expect(await seqsOf(setup, "state=delivered,dead")).toEqual([other, 1]);
  expect(await seqsOf(setup, "direction=in")).toEqual([1]);
  expect(await seqsOf(setup, "from=2026-01-05T08:00:02Z")).toEqual([attached, other]);
  expect(await seqsOf(setup, "to=2026-01-05T08:00:01Z")).toEqual([placed, 1]);
  expect(await seqsOf(setup, "from=2026-01-05&to=2026-01-05&order=W-1&state=accepted")).toEqual([attached, placed]);
  expect(await seqsOf(setup, "to=2026-01-04")).toEqual([]);
});

test("pages follow each other without a gap or a repeat", async () => {
  const setup = await adminSetup();
  const seqs: number[] = [];
  for (let n = 0; n < 7; n++) seqs.unshift(await setup.event("confirmPutWallPlacement", placement(`W-${n % 2}`)));
  const collected: number[] = [];
  let before: number | null = null;
  do {
    const page: EntryPage = (
      await setup.call("GET", `/admin/journal?limit=2${before === null ? "" : `&before=${before}`}`)
    ).json();
    expect(page.entries.length).toBeLessThanOrEqual(2);
    collected.push(...page.entries.map(({ seq }) => seq));
    before = page.nextBefore;
  } while (before !== null);
  expect(collected).toEqual(seqs);
});

test.each([
  ["limit=501", "limit"],
  ["limit=0", "limit"],
  ["before=x", "before"],
  ["state=deadd", "state"],
  ["direction=up", "direction"],
  ["from=yesterday", "from"],
  ["ordr=W-1", "ordr"],
  ["order=", "order"],
])("the filter %s is refused by name, not ignored", async (query, name) => {
  const { status, json } = await shared.call("GET", `/admin/journal?${query}`);
  expect(status).toBe(400);
  expect(Object.keys(json().errors)).toEqual([name]);
});

test("operators' addresses are masked everywhere until they are asked for", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  await setup.attempt(seq, dead, { error: "no", response: '{"userEmail": "jo@example.com"}' });
  await setup.call("POST", `/admin/journal/${seq}/edit`, { ...by, reason: "typo", body: placement("W-1", "A-2") });
  for (const path of [
    "/admin/journal",
    `/admin/journal/${seq}`,
    "/admin/journal/export",
    "/admin/orders/W-1/timeline",
  ]) {
    const masked = await setup.call("GET", path);
    expect(masked.text).not.toContain("jo@example.com");
    expect(masked.text).toContain("j***@example.com");
    expect((await setup.call("GET", `${path}?show=personal`)).text).toContain("jo@example.com");
    expect(masked.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  }
  expect((await setup.call("GET", "/admin/journal/export?format=csv")).text).not.toContain("jo@example.com");
});

test("an entry is shown with its attempts, its audit, what holds it up and what waits for it", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  const first = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const moved = (number: string) => [{ containerCode: "C-1", destinationLocationName: "L-2", workOrder: { number } }];
  const second = await setup.event("relocateCartContainers", moved("W-1"));
  const third = await setup.event("relocateCartContainers", moved("W-2"));
  await setup.attempt(first, dead, { status: 422, error: "no such item" });
  expect(await show(setup, first)).toMatchObject({
    state: "dead",
    reason: "refused",
    text: "2 × A-1 put on the wall",
    attemptLog: [{ n: 1, ms: 40, outcome: "dead", status: 422, error: "no such item" }],
    heldBehind: [],
    waitingBehind: [{ seq: second }],
    possibleActions: ["retry", "edit", "skip"],
  });
  const held = await show(setup, second);
  expect(held.heldBehind).toMatchObject([{ seq: first, state: "dead" }]);
  expect(held.waitingBehind).toMatchObject([{ seq: third }]);
  const { id } = held;
  expect((await setup.call("GET", `/admin/journal/${id}`)).json().seq).toBe(second);
  expect((await setup.call("GET", "/admin/journal/99")).status).toBe(404);
});

test("each action is done once, leaves an audit record, and gives the outbox what may go on", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const behind = await setup.event("confirmPutWallPlacement", placement("W-1", "A-2"));
  const act = (action: string, body: object = {}) =>
    setup.call("POST", `/admin/journal/${seq}/${action}`, { ...by, ...body });

  await setup.attempt(seq, dead);
  expect(await act("retry").then(({ json }) => json())).toMatchObject({
    entry: { state: "accepted" },
    releasedCount: 2,
  });
  expect(setup.added.map((entry) => entry.seq)).toEqual([seq, behind]);
  expect((await act("retry")).status).toBe(409);

  const body = JSON.stringify({ ...placement("W-1"), completedAmount: 1 });
  expect((await act("edit", { reason: "miscounted", body })).status).toBe(200);
  expect(setup.journal.read.entry(seq)?.body).toBe(body);
  await setup.attempt(seq, { state: "delivered" });
  expect((await act("replay", { reason: "the ERP was restored" })).status).toBe(200);
  expect((await act("skip", { reason: "booked by hand" })).status).toBe(200);
  expect((await act("skip", { reason: "again" })).json()).toMatchObject({
    detail: `Entry ${seq} is discarded. skip is possible while it is dead or retry or accepted.`,
  });
  const { audit } = await show(setup, seq);
  expect(audit.map(({ operator, action, reason }) => [operator, action, reason])).toEqual([
    ["kim", "retry", null],
    ["kim", "edit", "miscounted"],
    ["kim", "replay", "the ERP was restored"],
    ["kim", "skip", "booked by hand"],
  ]);
});

test.each([
  ["retry", { operator: " " }, "operator"],
  ["skip", by, "reason"],
  ["replay", { ...by, reason: "" }, "reason"],
  ["edit", { ...by, body: placement("W-1") }, "reason"],
  ["edit", { ...by, reason: "x" }, "body"],
  ["edit", { ...by, reason: "x", body: "{" }, "body"],
  [
    "edit",
    { ...by, reason: "x", body: { workOrderNumber: "W-1", itemNumber: "A", completedAmount: -1 } },
    "completedAmount",
  ],
])("%s with %j is refused for its %s and leaves no trace", async (action, body, field) => {
  const { status, json } = await shared.call("POST", `/admin/journal/${deadSeq}/${action}`, body);
  expect(status).toBe(400);
  expect(Object.keys(json().errors)).toEqual([field]);
  expect(await show(shared, deadSeq)).toMatchObject({ state: "dead", audit: [] });
});

test("an edited body stays about the same order: another one's events would be overtaken", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const edit = { ...by, reason: "x", body: placement("W-2") };
  const { status, json } = await setup.call("POST", `/admin/journal/${seq}/edit`, edit);
  expect(status).toBe(409);
  expect(json().detail).toContain("wo:W-1, wo:W-2");
});

test("an edited step stays about the same containers", async () => {
  const setup = await adminSetup();
  const step = (containerCode: string | null, amount = 2) => ({
    ...{ workOrderNumber: "W-1", requestId: 7, itemNumber: "A" },
    amountToConfirmPickingSummary: {
      locationName: "A-01",
      containersBreakdown: [{ containerCode, amountToConfirmInBaseUnitOfMeasure: amount }],
    },
  });
  const seq = await setup.event("confirmStep", step("BOX 1"));
  const edit = (body: unknown) => setup.call("POST", `/admin/journal/${seq}/edit`, { ...by, reason: "x", body });
  const { status, json } = await edit(step("BOX 2"));
  expect(status).toBe(409);
  expect(json().detail).toContain("container BOX 1, container BOX 2");
  expect((await edit(step(null))).status).toBe(409);
  expect((await edit(step("BOX 1", 3))).status).toBe(200);
});

test("an edited body in another letter case is stored in the documented spelling, and long numbers survive", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const edit = (body: unknown) => setup.call("POST", `/admin/journal/${seq}/edit`, { ...by, reason: "x", body });
  await edit({ WorkOrderNumber: "W-1", ItemNumber: "A", CompletedAmount: 3 });
  expect(JSON.parse(setup.journal.read.entry(seq)?.body ?? "")).toMatchObject({ workOrderNumber: "W-1" });
  const long = '{"workOrderNumber":"W-1","itemNumber":"A","completedAmount":1,"erpId":9007199254740993}';
  await edit(long);
  expect(setup.journal.read.entry(seq)?.body).toBe(long);
  await edit(parseJsonKeepingDigits(long.replace("4740993", "4740995")));
  expect(setup.journal.read.entry(seq)?.body).toContain('"erpId":9007199254740995');
  await edit(long.replace("itemNumber", "ITEMNUMBER"));
  expect(setup.journal.read.entry(seq)?.body).toBe(long);
});

test("an entry without a target cannot be sent again", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"), "keep");
  const { status, json } = await setup.call("POST", `/admin/journal/${seq}/replay`, { ...by, reason: "x" });
  expect(status).toBe(409);
  expect(json().detail).toContain("only kept in the journal");
});

test("the journal allows exactly what the overview offers", async () => {
  const setup = await adminSetup();
  const retryLater = { state: "retry", nextAt: 1, countsAsAttempt: true } as const;
  const make = {
    accepted: async (_seq: number) => {},
    inflight: async (seq: number) => void (await setup.journal.start(seq, "token")),
    retry: (seq: number) => setup.attempt(seq, retryLater),
    delivered: (seq: number) => setup.attempt(seq, { state: "delivered" }),
    rejected: (seq: number) => setup.attempt(seq, { state: "rejected" }),
    dead: (seq: number) => setup.attempt(seq, dead),
    discarded: async (seq: number) =>
      void (await setup.journal.act(seq, { action: "skip", reason: "x" }, "kim", setup.clock.now())),
  };
  let order = 0;
  for (const [state, bring] of Object.entries(make)) {
    for (const action of actionNames) {
      const number = `W-${order++}`;
      const seq = await setup.event("confirmPutWallPlacement", placement(number));
      await bring(seq);
      const entry = setup.journal.read.entry(seq);
      expect(entry?.state).toBe(state);
      const offered = (await show(setup, seq)).possibleActions.includes(action);
      const body = JSON.stringify(placement(number));
      const released = await setup.journal.act(seq, { action, reason: "x", body }, "kim", setup.clock.now());
      expect({ state, action, allowed: released !== null }).toEqual({ state, action, allowed: offered });
    }
  }
});

test("a bulk action says first what it would do, then does the oldest first and reports each", async () => {
  const setup = await adminSetup();
  const seqs: number[] = [];
  for (const number of ["W-1", "W-2", "W-3"]) {
    const seq = await setup.event("confirmPutWallPlacement", placement(number));
    await setup.attempt(seq, dead);
    seqs.push(seq);
  }
  const waiting = await setup.event("confirmPutWallPlacement", placement("W-4"));
  const request = { ...by, action: "retry", filter: { item: "A-1" } };
  const dry = (await setup.call("POST", "/admin/journal/bulk", request)).json();
  expect(dry).toMatchObject({ dryRun: true, count: 3, isCut: false, results: [] });
  expect(dry.first.map((entry: { seq: number }) => entry.seq)).toEqual(seqs);
  expect(setup.added).toEqual([]);

  const real = (await setup.call("POST", "/admin/journal/bulk", { ...request, dryRun: false, limit: 2 })).json();
  expect(real.results).toEqual(seqs.slice(0, 2).map((seq) => ({ seq, done: true, detail: null })));
  expect(setup.journal.read.counts()).toMatchObject({ dead: 1, accepted: 3 });
  expect((await show(setup, seqs[0] ?? 0)).audit).toHaveLength(1);
  expect((await show(setup, waiting)).audit).toEqual([]);
});

test("an action that is stored is answered as done, also if the thread of the views has ended meanwhile", async () => {
  const ended = () => Promise.reject(new Error("the thread that reads the journal has ended"));
  const setup = await adminSetup({ viewsAs: (views) => ({ ...views, view: ended, lines: ended }) });
  const seqs: number[] = [];
  for (const number of ["W-1", "W-2"]) {
    const seq = await setup.event("confirmPutWallPlacement", placement(number));
    await setup.attempt(seq, dead);
    seqs.push(seq);
  }
  const [one = 0, other = 0] = seqs;
  const retried = await setup.call("POST", `/admin/journal/${one}/retry`, by);
  expect([retried.status, retried.json().entry]).toMatchObject([200, { seq: one, state: "accepted" }]);
  const request = { ...by, action: "retry", filter: { state: "dead" }, dryRun: false };
  expect((await setup.call("POST", "/admin/journal/bulk", request)).json()).toMatchObject({
    first: [{ seq: other, state: "accepted" }],
    results: [{ seq: other, done: true }],
  });
});

test("a bulk action goes on after a given entry, and leaves alone what failed again before it", async () => {
  const setup = await adminSetup();
  const seqs: number[] = [];
  for (const number of ["W-1", "W-2", "W-3"]) {
    const seq = await setup.event("confirmPutWallPlacement", placement(number));
    await setup.attempt(seq, dead);
    seqs.push(seq);
  }
  const request = { ...by, action: "retry", filter: { state: "dead" }, dryRun: false, limit: 2 };
  const [first = 0, second = 0, third = 0] = seqs;
  const part = async (after: number) =>
    (await setup.call("POST", "/admin/journal/bulk", { ...request, after }))
      .json()
      .results.map(({ seq }: { seq: number }) => seq);
  expect(await part(0)).toEqual([first, second]);
  await setup.attempt(first, dead);
  expect(await part(second)).toEqual([third]);
  expect(await part(third)).toEqual([]);
  expect((await show(setup, first)).audit).toHaveLength(1);
});

test.each([
  [{ action: "retry", filter: { state: "dead" }, after: -1 }, "after"],
  [{ action: "retry", filter: { state: "dead" }, after: "7" }, "after"],
  [{ action: "retry" }, "filter"],
  [{ action: "retry", filter: {} }, "filter"],
  [{ action: "retry", filter: { ordr: "W-1" } }, "ordr"],
  [{ action: "retry", filter: { order: null } }, "order"],
  [{ action: "edit", filter: { order: "W-1" } }, "action"],
  [{ action: "skip", filter: { order: "W-1" } }, "reason"],
  [{ action: "retry", filter: { order: "W-1" }, dryRun: "no" }, "dryRun"],
  [{ action: "retry", filter: { order: "W-1" }, limit: 1001 }, "limit"],
])("the bulk action %j is refused for its %s", async (request, field) => {
  const { status, json } = await shared.call("POST", "/admin/journal/bulk", { dryRun: false, ...by, ...request });
  expect(status).toBe(400);
  expect(Object.keys(json().errors)).toEqual([field]);
  expect(shared.journal.read.counts().dead).toBe(1);
});

test("an export holds every matching entry, one JSON text per line", async () => {
  const setup = await adminSetup();
  const seqs: number[] = [];
  for (let n = 0; n < 120; n++) seqs.unshift(await setup.event("confirmPutWallPlacement", placement(`W-${n}`)));
  const { text, headers } = await setup.call("GET", "/admin/journal/export?topic=confirmPutWallPlacement");
  const lines = text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual(seqs);
  expect(headers["content-disposition"]).toContain("attachment");
  expect((await setup.call("GET", "/admin/journal/export?format=xlsx")).status).toBe(400);
});

test("what looks like a formula is text in a spreadsheet, wherever it stands", async () => {
  const setup = await adminSetup();
  const numbers = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"];
  for (const number of numbers) await setup.event("confirmPutWallPlacement", placement(number));
  await setup.event("confirmPutWallPlacement", { ...placement("W-1"), userEmail: '=HYPERLINK("x")' });
  const { text } = await setup.call("GET", "/admin/journal/export?format=csv&show=personal");
  for (const number of numbers) expect(text).toContain(`,"'${number}",`);
  expect(text).toContain(`,"'=HYPERLINK(""x"")",`);
});

test("the timeline shows calls with answers, pushes, attempts, changes, decisions and what is held, in time order", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  const first = await setup.event("confirmPutWallPlacement", placement("W-1"));
  await setup.attempt(first, dead, { status: 422, error: "no such item" });
  const second = await setup.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-1" });
  await setup.push("cancellations", { workOrderNumber: "W-1", itemNumber: "A-1", reason: "customer called" });
  await setup.call("POST", `/admin/journal/${first}/skip`, { ...by, reason: "booked by hand" });
  const third = await setup.event("confirmPutWallPlacement", placement("W-1"));

  const { events } = (await setup.call("GET", "/admin/orders/W-1/timeline")).json();
  expect(events.map((event: { kind: string; seq: number }) => [event.kind, event.seq])).toEqual([
    ["push", 1],
    ["call", first],
    ["attempt", first],
    ["call", second],
    ["push", second + 1],
    ["message", second + 2],
    ["change", second + 1],
    ["change", second + 1],
    ["action", first],
    ["call", third],
    ["held", third],
  ]);
  expect(events[3]).toMatchObject({ answer: { isSuccess: true }, text: "container C-1 attached" });

  const { text, headers } = await setup.call("GET", "/admin/orders/W-1/timeline?format=text");
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(text).toContain("attempt 1 to erp: failed, answered 422 after 40 ms: no such item");
  expect(text).toContain("wanted: line A-1 to be cancelled (customer called)");
  expect(text).toContain("skipped by kim: booked by hand");
  expect(text).toMatch(/→ ERP +changeReceipt: [a-z ]+: line A-1/);
  expect(text).toContain(`waits behind ${second} (attachWorkOrder, waiting)`);
});

test("the timeline of an order shows which change an answer brought along and what came of it", async () => {
  const setup = await adminSetup();
  const line = { itemNumber: "A-1", requestedAmount: 5, unitOfMeasure: 0, requestType: 1, order: 1 } as const;
  await setup.push("workOrders", workOrder({ number: "W-1", requests: [line, { ...line, itemNumber: "B-2" }] }));
  const model = {
    id: 7,
    itemRequests: [
      { requestId: 1, itemNumber: "A-1", requestedAmount: 5, isCancelled: false },
      { requestId: 2, itemNumber: "B-2", requestedAmount: 5, isCancelled: false },
    ],
  };
  const step = {
    workOrderNumber: "W-1",
    requestId: 1,
    itemNumber: "A-1",
    requestAmountInBaseUnitOfMeasure: 5,
    requestRemainingAmountInBaseUnitOfMeasure: 5,
    amountToConfirmPickingSummary: {
      locationName: "L-1",
      containersBreakdown: [{ containerCode: "C-1", amountToConfirmInBaseUnitOfMeasure: 1 }],
    },
    updateWorkOrderRequest: model,
  };
  await setup.event("confirmStep", step);
  await setup.push("cancellations", { workOrderNumber: "W-1", itemNumber: "B-2" });
  await setup.event("confirmStep", { ...step, requestRemainingAmountInBaseUnitOfMeasure: 4 });
  const seen = model.itemRequests.map((one) => (one.requestId === 2 ? { ...one, isCancelled: true } : one));
  await setup.event("confirmStep", {
    ...step,
    requestRemainingAmountInBaseUnitOfMeasure: 3,
    updateWorkOrderRequest: { ...model, itemRequests: seen },
  });
  const { text } = await setup.call("GET", "/admin/orders/W-1/timeline?format=text");
  expect(text).toContain("line 1 (A-1): 1 picked from L-1 into C-1");
  expect(text).toContain("the answer asked the platform for: line B-2 cancelled");
  expect(text).toContain("A-1: wanted 5, shown 5, picked 2, offered –; B-2: wanted 0, shown 5, picked 0, offered 0");
  expect(text).toMatch(/applied: line B-2 to be cancelled \(offered 1 time/);

  // An increase is shown as a new wanted amount. Steps of a follow-up order are shown with the order that it follows.
  await setup.push("cancellations", { workOrderNumber: "W-1", itemNumber: "A-1", requestedAmount: 7 });
  await setup.event("confirmStep", {
    ...{ ...step, workOrderNumber: "W-1-F1", requestId: 9, updateWorkOrderRequest: null },
    ...{ requestAmountInBaseUnitOfMeasure: 2, requestRemainingAmountInBaseUnitOfMeasure: 2 },
  });
  const later = await setup.call("GET", "/admin/orders/W-1/timeline?format=text");
  expect(later.text).toContain("line A-1 wanted: 7");
  expect(later.text).toContain("W-1-F1: line 9 (A-1): 1 picked from L-1 into C-1");
});

test("an order number may hold anything an address can carry, and nothing in it steers a terminal", async () => {
  const setup = await adminSetup();
  const number = "A/1 50%\u001b[31m<script>";
  await setup.event("confirmPutWallPlacement", placement(number));
  const path = `/admin/orders/${encodeURIComponent(number)}/timeline`;
  expect((await setup.call("GET", path)).json().order).toBe(number);
  const { text } = await setup.call("GET", `${path}?format=text`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  expect((await setup.call("GET", "/admin/orders/nobody/timeline")).status).toBe(404);
});

test("targets are listed, paused and resumed by name", async () => {
  const setup = await adminSetup();
  await setup.event("confirmPutWallPlacement", placement("W-1"));
  expect((await setup.call("GET", "/admin/targets")).json()).toMatchObject({
    targets: [{ target: setupTarget, isPaused: false }],
    entries: { accepted: 1 },
  });
  expect((await setup.call("POST", `/admin/targets/${setupTarget}/pause`, by)).json().targets[0].isPaused).toBe(true);
  expect((await setup.call("POST", `/admin/targets/${setupTarget}/resume`, by)).json().targets[0].isPaused).toBe(false);
  expect((await setup.call("POST", "/admin/targets/nobody/pause", by)).status).toBe(404);
  expect((await setup.call("POST", `/admin/targets/${setupTarget}/pause`, {})).status).toBe(400);
  expect(setup.acted.map(({ operator, action, subject }) => `${operator} ${action} ${subject}`)).toEqual([
    ...[`kim pause ${setupTarget}`, `kim resume ${setupTarget}`],
  ]);
});
