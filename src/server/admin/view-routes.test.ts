import { expect, test } from "vitest";
import { adminDesk } from "../../../test/support/adapter/admin-desk.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import type { FailureGroups } from "../../engine/journal-view/entries/failure-groups.ts";
import type { OrderPage } from "../../engine/journal-view/orders/order-view.ts";

type Desk = Awaited<ReturnType<typeof adminDesk>>;
const placement = (workOrderNumber: string) => ({
  ...{ workOrderNumber, itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" },
});
const refused = { state: "dead", reason: "refused" } as const;
const soon = { state: "retry", nextAt: Date.parse("2026-01-05T09:00:00Z"), countsAsAttempt: false } as const;
const numbers = async (desk: Desk, query: string) =>
  ((await desk.call("GET", `/admin/orders?${query}`)).json() as OrderPage).orders.map(({ number }) => number);
const groups = async (desk: Desk, query = "") =>
  (await desk.call("GET", `/admin/deliveries?${query}`)).json() as FailureGroups;

test("an order is found by its number, container, item, external identifier and operator", async () => {
  const desk = await adminDesk();
  await desk.push("workOrders", workOrder({ number: "W-1", externalIdentifier: "PO-77" }));
  await desk.push("workOrders", workOrder({ number: "W-2" }));
  await desk.event("confirmPutWallPlacement", { ...placement("W-2"), itemNumber: "B-7" });
  await desk.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-9" });
  expect(await numbers(desk, "")).toEqual(["W-2", "W-1"]);
  expect(await numbers(desk, "q=w-1")).toEqual(["W-1"]);
  expect(await numbers(desk, "q=po-7")).toEqual(["W-1"]);
  expect(await numbers(desk, "q=C-9")).toEqual(["W-1"]);
  expect(await numbers(desk, "q=B-7")).toEqual(["W-2"]);
  expect(await numbers(desk, "q=jo@example.com")).toEqual(["W-2"]);
  expect(await numbers(desk, "q=nothing")).toEqual([]);
  expect(await numbers(desk, "state=started&limit=1")).toHaveLength(1);
  expect((await desk.call("GET", "/admin/orders?stat=x")).status).toBe(400);
});

test("an order shows its lines, containers and changes, and whether something of it is not delivered", async () => {
  const desk = await adminDesk();
  await desk.push("workOrders", workOrder({ number: "W-1" }));
  await desk.push("cancellations", { workOrderNumber: "W-1", reason: "customer called" });
  await desk.attempt(await desk.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-9" }), refused);
  const order = (await desk.call("GET", "/admin/orders/W-1")).json();
  expect(order).toMatchObject({
    ...{ number: "W-1", undelivered: "dead", containers: [{ code: "C-9" }] },
    ...{ changes: [{ reason: "customer called", target: 0 }] },
  });
  expect(order.orderLines.length).toBeGreaterThan(0);
  expect((await desk.call("GET", "/admin/orders/nobody")).status).toBe(404);
});

test("an order that only the journal knows is found too", async () => {
  const desk = await adminDesk();
  await desk.event("attachWorkOrder", { workOrderNumber: "X-1", containerCode: "C-1" });
  expect(await numbers(desk, "")).toEqual(["X-1"]);
  expect((await desk.call("GET", "/admin/orders/X-1")).json()).toMatchObject({ state: null, number: "X-1" });
});

test("eleven entries with one cause are one group; a refusal and a silence are two", async () => {
  const desk = await adminDesk();
  const seqs: number[] = [];
  for (let n = 0; n < 13; n++) seqs.push(await desk.event("confirmPutWallPlacement", placement(`W-${n}`)));
  for (const [n, seq] of seqs.slice(0, 11).entries()) {
    await desk.attempt(seq, refused, { status: 422, error: `the item SKU-${n} of "order ${n}" is not known` });
  }
  await desk.attempt(seqs[11] ?? 0, soon, { error: "connect ECONNREFUSED 127.0.0.1:9" });
  const behind = await desk.event("confirmPutWallPlacement", placement("W-1"));
  const all = await groups(desk);
  expect(all.groups.map(({ kind, count, dead }) => ({ kind, count, dead }))).toEqual([
    { kind: "refused", count: 11, dead: 11 },
    { kind: "unreachable", count: 1, dead: 0 },
    { kind: "behind", count: 1, dead: 0 },
    { kind: "waiting", count: 1, dead: 0 },
  ]);
  expect(all.groups[0]).toMatchObject({ status: 422, firstSeq: seqs[0], target: "erp" });
  const two = await groups(desk, "failure=refused,%20unreachable");
  expect(two.groups.map(({ kind }) => kind)).toEqual(["refused", "unreachable"]);
  const [first] = all.groups;
  const listed = (await desk.call("GET", `/admin/journal?cause=${first?.cause}`)).json();
  expect(listed.entries).toHaveLength(11);
  expect((await desk.call("GET", "/admin/journal?failure=behind")).json().entries[0].seq).toBe(behind);
  const request = { action: "retry", filter: { cause: first?.cause }, operator: "kim" };
  expect((await desk.call("POST", "/admin/journal/bulk", request)).json()).toMatchObject({ count: 11, results: [] });
  const done = (await desk.call("POST", "/admin/journal/bulk", { ...request, dryRun: false })).json();
  expect(done.results.filter((one: { done: boolean }) => one.done)).toHaveLength(11);
  expect((await groups(desk, "failure=refused&target=erp")).count).toBe(0);
  expect((await desk.call("GET", "/admin/deliveries?failure=refused,lost")).status).toBe(400);
});

test("a body is checked against the contract before anything is changed", async () => {
  const desk = await adminDesk();
  const seq = await desk.event("confirmPutWallPlacement", placement("W-1"));
  await desk.attempt(seq, refused);
  const check = async (body: unknown) => (await desk.call("POST", `/admin/journal/${seq}/check`, { body })).json();
  expect(await check({ ...placement("W-1"), completedAmount: 1 })).toMatchObject({ isValid: true });
  expect(await check({ ...placement("W-1"), completedAmount: "many" })).toMatchObject({
    ...{ isValid: false, errors: { completedAmount: [expect.any(String)] } },
  });
  expect(await check(placement("W-2"))).toMatchObject({ isValid: false, detail: expect.stringContaining("W-2") });
  expect(await check("{")).toMatchObject({ isValid: false });
  expect(desk.journal.read.audit(seq)).toEqual([]);
});

test("a support bundle has everything about an order, and no secret, no address and no name of a person", async () => {
  const desk = await adminDesk();
  await desk.push("workOrders", workOrder({ number: "W-1", description: "for Jo Doe, Elm Street 1" }));
  const seq = await desk.event("confirmPutWallPlacement", placement("W-1"));
  const error = 'answered 422 {"customerName":"Jo Doe","code":"E-17"} for s3cret';
  await desk.attempt(seq, refused, { status: 422, error, response: error });
  await desk.call("POST", `/admin/journal/${seq}/retry`, { operator: "Kim Lee", reason: "Kim Lee knows" });
  expect((await desk.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann" })).status).toBe(400);
  expect((await desk.call("POST", "/admin/orders/no/bundle", { operator: "Ann", reason: "x" })).status).toBe(404);
  expect(desk.acted).toEqual([]);
  const given = await desk.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann", reason: "ticket 5" });
  expect(given.headers["content-disposition"]).toContain("attachment");
  for (const hidden of ["Jo Doe", "Elm Street", "jo@example.com", "@example.com", "s3cret", "Kim Lee"]) {
    expect(given.text).not.toContain(hidden);
  }
  expect(given.json()).toMatchObject({
    ...{ format: "crossdock-support-bundle-1", version: "1.2.3", order: { number: "W-1" }, isCut: false },
    entries: [{ attemptLog: [{ error: expect.stringContaining("E-17") }], audit: [{ operator: "person 1" }] }, {}],
  });
  expect(desk.acted).toEqual([{ action: "bundle", subject: "W-1", operator: "Ann", reason: "ticket 5" }]);
});

test("a support bundle stays small, however long the story of an order is", async () => {
  const desk = await adminDesk();
  const externalData = "x".repeat(300_000);
  for (let n = 0; n < 3; n++) await desk.event("confirmPutWallPlacement", { ...placement("W-1"), externalData });
  const given = await desk.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann", reason: "x" });
  expect(given.text).toMatch(/… \(\d+ more\)/);
  expect(given.text.length).toBeLessThan(300_000);
});
