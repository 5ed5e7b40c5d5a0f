import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { adminSetup } from "../../../test/support/adapter/admin-setup.ts";
import { workOrder } from "../../../test/support/floor/embedded-store.ts";
import { pathSegment } from "../../contract/admin/path-segment.ts";
import type { FailureGroups } from "../../engine/journal-view/entries/failure-groups.ts";
import type { OrderPage } from "../../engine/journal-view/orders/order-view.ts";

type Setup = Awaited<ReturnType<typeof adminSetup>>;
const placement = (workOrderNumber: string) => ({
  ...{ workOrderNumber, itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" },
});
const refused = { state: "dead", reason: "refused" } as const;
const soon = { state: "retry", nextAt: Date.parse("2026-01-05T09:00:00Z"), countsAsAttempt: false } as const;
const numbers = async (setup: Setup, query: string) =>
  ((await setup.call("GET", `/admin/orders?${query}`)).json() as OrderPage).orders.map(({ number }) => number);
const groups = async (setup: Setup, query = "") =>
  (await setup.call("GET", `/admin/deliveries?${query}`)).json() as FailureGroups;

test("an order is found by its number, container, item, external identifier and operator", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1", externalIdentifier: "PO-77" }));
  await setup.push("workOrders", workOrder({ number: "W-2" }));
  await setup.event("confirmPutWallPlacement", { ...placement("W-2"), itemNumber: "B-7" });
  await setup.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-9" });
  expect(await numbers(setup, "")).toEqual(["W-2", "W-1"]);
  expect(await numbers(setup, "q=w-1")).toEqual(["W-1"]);
  expect(await numbers(setup, "q=po-7")).toEqual(["W-1"]);
  expect(await numbers(setup, "q=C-9")).toEqual(["W-1"]);
  expect(await numbers(setup, "q=B-7")).toEqual(["W-2"]);
  expect(await numbers(setup, "q=jo@example.com")).toEqual(["W-2"]);
  expect(await numbers(setup, "q=nothing")).toEqual([]);
  expect(await numbers(setup, "state=started&limit=1")).toHaveLength(1);
  expect((await setup.call("GET", "/admin/orders?stat=x")).status).toBe(400);
});

const pickedInto = (workOrderNumber: string, containerCode: string) => ({
  ...{ workOrderNumber, requestId: 1, itemNumber: "A-1", requestAmountInBaseUnitOfMeasure: 3 },
  amountToConfirmPickingSummary: {
    ...{ locationName: "L", containersBreakdown: [{ containerCode, amountToConfirmInBaseUnitOfMeasure: 1 }] },
  },
});

test("a container is found by its lane in any letter case, and in the bodies of steps beside what else matches", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  await setup.push("workOrders", workOrder({ number: "BOX-50" }));
  await setup.event("attachWorkOrder", { workOrderNumber: "X-1", containerCode: "Tote-1" });
  for (const code of ["BOX-5", "W-1", 'B"\\é']) await setup.event("confirmStep", pickedInto("X-2", code));
  expect(await numbers(setup, "q=TOTE-1")).toEqual(["X-1"]);
  expect(await numbers(setup, "q=BOX-5")).toEqual(["BOX-50", "X-2"]);
  // Thousands of bodies would be read for what is found already.
  expect(await numbers(setup, "q=W-1")).toEqual(["W-1"]);
  expect(await numbers(setup, `q=${encodeURIComponent('B"\\é')}`)).toEqual(["X-2"]);
});

test("of a cart that was moved, only the orders in a container are found by it, and each shows its own containers", async () => {
  const setup = await adminSetup();
  const moved = (containerCode: string, number: string) => ({
    ...{ containerCode, destinationLocationName: `Dock-${number}`, workOrder: { number, requests: [] } },
  });
  await setup.event("relocateCartContainers", [moved("C-1", "X-1"), moved("C-2", "X-2"), moved("C-1", "X-3")]);
  expect(await numbers(setup, "q=c-1")).toEqual(["X-1", "X-3"]);
  for (const name of ["C-2", "X-2"]) expect(await numbers(setup, `q=${name}`)).toEqual(["X-2"]);
  const order = (await setup.call("GET", "/admin/orders/X-2")).json();
  expect(order).toMatchObject({ containers: [{ code: "C-2", location: "Dock-X-2" }] });
});

test("an order that another system holds is found by the beginning of its number, in either case", async () => {
  const setup = await adminSetup();
  for (const number of ["SO-4711", "SO-4712", "SO-5000"]) {
    await setup.event("confirmPutWallPlacement", placement(number));
  }
  for (const q of ["SO-47", "so-47"]) expect(await numbers(setup, `q=${q}`)).toEqual(["SO-4711", "SO-4712"]);
});

test("the list shows what is picked of an order that another system holds", async () => {
  const setup = await adminSetup();
  await setup.event("confirmStep", pickedInto("X-2", "C-1"));
  const { orders } = (await setup.call("GET", "/admin/orders")).json() as OrderPage;
  expect(orders).toMatchObject([{ number: "X-2", state: null, lines: 1, requested: 3, picked: 1 }]);
});

test("a search looks for the state before it cuts, and says that it has cut", async () => {
  const setup = await adminSetup();
  for (let n = 10; n < 40; n++) await setup.push("workOrders", workOrder({ number: `M-${n}` }));
  await setup.event("confirmPutWallPlacement", placement("M-39"));
  const page = async (query: string) => (await setup.call("GET", `/admin/orders?${query}`)).json() as OrderPage;
  expect(await numbers(setup, "q=M-&limit=5&state=finished")).toEqual(["M-39"]);
  expect(await page("q=M-&limit=5")).toMatchObject({ orders: { length: 5 }, isCut: true });
  expect(await page("q=M-1&limit=10")).toMatchObject({ orders: { length: 10 }, isCut: false });
});

test("an order shows its lines, containers and changes, and whether something of it is not delivered", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  await setup.push("cancellations", { workOrderNumber: "W-1", reason: "customer called" });
  await setup.attempt(await setup.event("attachWorkOrder", { workOrderNumber: "W-1", containerCode: "C-9" }), refused);
  const order = (await setup.call("GET", "/admin/orders/W-1")).json();
  expect(order).toMatchObject({
    ...{ number: "W-1", undelivered: "dead", containers: [{ code: "C-9" }] },
    ...{ changes: [{ reason: "customer called", target: 0 }] },
  });
  expect(order.orderLines.length).toBeGreaterThan(0);
  expect((await setup.call("GET", "/admin/orders/nobody")).status).toBe(404);
});

test("an order that only the journal knows is found too", async () => {
  const setup = await adminSetup();
  await setup.event("attachWorkOrder", { workOrderNumber: "X-1", containerCode: "C-1" });
  expect(await numbers(setup, "")).toEqual(["X-1"]);
  expect((await setup.call("GET", "/admin/orders/X-1")).json()).toMatchObject({ state: null, number: "X-1" });
});

test("eleven entries with one cause are one group; a refusal and a silence are two", async () => {
  const setup = await adminSetup();
  const seqs: number[] = [];
  for (let n = 0; n < 13; n++) seqs.push(await setup.event("confirmPutWallPlacement", placement(`W-${n}`)));
  for (const [n, seq] of seqs.slice(0, 11).entries()) {
    await setup.attempt(seq, refused, { status: 422, error: `the item SKU-${n} of "order ${n}" is not known` });
  }
  await setup.attempt(seqs[11] ?? 0, soon, { error: "connect ECONNREFUSED 127.0.0.1:9" });
  const behind = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const all = await groups(setup);
  expect(all.groups.map(({ kind, count, dead }) => ({ kind, count, dead }))).toEqual([
    { kind: "refused", count: 11, dead: 11 },
    { kind: "unreachable", count: 1, dead: 0 },
    { kind: "behind", count: 1, dead: 0 },
    { kind: "waiting", count: 1, dead: 0 },
  ]);
  expect(all.groups[0]).toMatchObject({ status: 422, firstSeq: seqs[0], target: "erp" });
  const two = await groups(setup, "failure=refused,%20unreachable");
  expect(two.groups.map(({ kind }) => kind)).toEqual(["refused", "unreachable"]);
  const [first] = all.groups;
  const listed = (await setup.call("GET", `/admin/journal?cause=${first?.cause}`)).json();
  expect(listed.entries).toHaveLength(11);
  expect((await setup.call("GET", "/admin/journal?failure=behind")).json().entries[0].seq).toBe(behind);
  const request = { action: "retry", filter: { cause: first?.cause }, operator: "kim" };
  expect((await setup.call("POST", "/admin/journal/bulk", request)).json()).toMatchObject({ count: 11, results: [] });
  const done = (await setup.call("POST", "/admin/journal/bulk", { ...request, dryRun: false })).json();
  expect(done.results.filter((one: { done: boolean }) => one.done)).toHaveLength(11);
  expect((await groups(setup, "failure=refused&target=erp")).count).toBe(0);
  expect((await setup.call("GET", "/admin/deliveries?failure=refused,lost")).status).toBe(400);
});

test("a group keeps the sentence of the ERP, without what differs between its entries", async () => {
  const setup = await adminSetup();
  for (const n of [1, 2]) {
    const seq = await setup.event("confirmPutWallPlacement", placement(`W-${n}`));
    const answer = { error: { code: "E-404", order: `W-${n}`, message: `There is no order W-${n}. Ask the office.` } };
    const error = `the receiver's answer is not a success: status 404; its text: ${JSON.stringify(answer)}`;
    await setup.attempt(seq, refused, { status: 404, error });
  }
  const { groups: found } = await groups(setup);
  expect(found).toMatchObject([{ count: 2, text: expect.stringContaining('"There is no order …. Ask the office."') }]);
});

test("a group says which address could not be reached, as long as it is the same for all of its entries", async () => {
  const setup = await adminSetup();
  const silent = async (order: string, error: string) =>
    await setup.attempt(await setup.event("confirmPutWallPlacement", placement(order)), soon, { error });
  for (const order of ["W-1", "W-2"]) await silent(order, "connect ECONNREFUSED 127.0.0.1:9");
  const [same] = (await groups(setup)).groups;
  expect(same).toMatchObject({ count: 2, text: "connect ECONNREFUSED 127.0.0.1:9" });
  await silent("W-3", "connect ECONNREFUSED 127.0.0.1:10");
  const { groups: found } = await groups(setup);
  expect(found).toMatchObject([{ cause: same?.cause, count: 3, text: expect.not.stringContaining("127") }]);
});

test("a body is checked against the contract before anything is changed", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  await setup.attempt(seq, refused);
  const check = async (body: unknown) => (await setup.call("POST", `/admin/journal/${seq}/check`, { body })).json();
  expect(await check({ ...placement("W-1"), completedAmount: 1 })).toMatchObject({ isValid: true });
  expect(await check({ ...placement("W-1"), completedAmount: "many" })).toMatchObject({
    ...{ isValid: false, errors: { completedAmount: [expect.any(String)] } },
  });
  expect(await check(placement("W-2"))).toMatchObject({ isValid: false, detail: expect.stringContaining("W-2") });
  expect(await check("{")).toMatchObject({ isValid: false });
  expect(setup.journal.read.audit(seq)).toEqual([]);
});

test("a support bundle has everything about an order, and no secret, no address and no name of a person", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1", description: "for Jo Doe, Elm Street 1" }));
  const seq = await setup.event("confirmPutWallPlacement", placement("W-1"));
  const error = 'answered 422 {"customerName":"Jo Doe","code":"E-17"} for s3cret';
  await setup.attempt(seq, refused, { status: 422, error, response: error });
  await setup.call("POST", `/admin/journal/${seq}/retry`, { operator: "Kim Lee", reason: "Kim Lee knows" });
  expect((await setup.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann" })).status).toBe(400);
  expect((await setup.call("POST", "/admin/orders/no/bundle", { operator: "Ann", reason: "x" })).status).toBe(404);
  expect(setup.acted).toEqual([]);
  const given = await setup.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann", reason: "ticket 5" });
  expect(given.headers["content-disposition"]).toContain("attachment");
  for (const hidden of ["Jo Doe", "Elm Street", "jo@example.com", "@example.com", "s3cret", "Kim Lee"]) {
    expect(given.text).not.toContain(hidden);
  }
  expect(given.json()).toMatchObject({
    ...{ format: "crossdock-support-bundle-1", version: "1.2.3", order: { number: "W-1" }, isCut: false },
    entries: [{ attemptLog: [{ error: expect.stringContaining("E-17") }], audit: [{ operator: "person 1" }] }, {}],
  });
  expect(setup.acted).toEqual([{ action: "bundle", subject: "W-1", operator: "Ann", reason: "ticket 5" }]);
});

test("a support bundle stays small, however long the story of an order is", async () => {
  const setup = await adminSetup();
  const externalData = "x".repeat(300_000);
  for (let n = 0; n < 3; n++) await setup.event("confirmPutWallPlacement", { ...placement("W-1"), externalData });
  const given = await setup.call("POST", "/admin/orders/W-1/bundle", { operator: "Ann", reason: "x" });
  expect(given.text).toMatch(/… \(\d+ more\)/);
  expect(given.text.length).toBeLessThan(300_000);
});

test("a long history is sent compressed to whoever reads that, and reads the same", async () => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number: "W-1" }));
  for (let n = 0; n < 60; n++) await setup.event("confirmPutWallPlacement", placement("W-1"));
  const url = "/admin/orders/W-1/timeline";
  const plain = await setup.call("GET", url);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const refusing = await setup.call("GET", url, undefined, { "accept-encoding": "br, gzip;q=0" });
  expect(refusing.text).toBe(plain.text);
  const headers = { "x-api-key": apiKey, "accept-encoding": "gzip, deflate, br" };
  const packed = await setup.app.inject({ method: "GET", url, headers });
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.text);
  expect(packed.rawPayload.length).toBeLessThan(plain.text.length / 5);
  const short = await setup.app.inject({ method: "GET", url: "/admin/orders/W-1", headers });
  expect(short.headers["content-encoding"]).toBeUndefined();
});

test.each([".", "..", "~."])("an order named %s is found by its address", async (number) => {
  const setup = await adminSetup();
  await setup.push("workOrders", workOrder({ number }));
  const url = (rest: string) => new URL(`/admin/orders/${pathSegment(number)}${rest}`, "http://x").pathname;
  expect((await setup.call("GET", url(""))).json()).toMatchObject({ number });
  expect((await setup.call("GET", url("/timeline"))).json()).toMatchObject({ order: number });
});

test("orders that only the journal knows are cut with a word about it", async () => {
  const setup = await adminSetup();
  for (const number of ["J-1", "J-2", "J-3"]) await setup.event("confirmPutWallPlacement", placement(number));
  const page = async (limit: number) => (await setup.call("GET", `/admin/orders?limit=${limit}`)).json() as OrderPage;
  expect(await page(2)).toMatchObject({ orders: [{ number: "J-3" }, { number: "J-2" }], isCut: true });
  expect(await page(3)).toMatchObject({ isCut: false });
});
