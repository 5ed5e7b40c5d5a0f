import { expect, test } from "vitest";
import type { SqlOptions } from "../options.ts";
import { compileOptions } from "./compile-options.ts";

const dates = { timeZone: "UTC", timeOfDay: "00:00" };
const problemsOf = (options: Partial<SqlOptions>) =>
  compileOptions({ driver: "sqlite", file: "erp.db", ...options }, dates).problems.map(
    ({ path, text }) => `${path.join(".")}: ${text}`,
  );
const event = (statements: NonNullable<NonNullable<SqlOptions["operations"]>["attachWorkOrder"]>["statements"]) => ({
  operations: { attachWorkOrder: { statements } },
});

test("a parameter without a source is refused with the one that was probably meant and a list of the known ones", () => {
  expect(problemsOf({ operations: { getItem: { sql: "SELECT :nummer" } } })).toEqual([
    "operations.getItem.sql: :nummer: nummer: unknown name; did you mean number? choose from number, language",
  ]);
  expect(problemsOf(event([{ sql: "SELECT :body.nothing" }]))[0]).toMatch(/body has no member nothing.*params/);
  expect(problemsOf(event([{ sql: "SELECT :entryId.x" }]))[0]).toMatch(/entryId has no members/);
  expect(problemsOf({ operations: { getItem: { sql: "SELECT :entryId" } } })[0]).toMatch(/unknown name/);
});

test("an additional parameter is made from the input, and a misspelt name is refused with the right one", () => {
  const step = (params: Record<string, unknown>) =>
    problemsOf({ operations: { confirmStep: { params, statements: [{ sql: "SELECT :qty" }] } } });
  expect(step({ qty: "amountToConfirmPlacingInBaseUnitOfMeasur" })[0]).toMatch(
    /operations\.confirmStep\.params\.qty: .*did you mean amountToConfirmPlacingInBaseUnitOfMeasure\?/,
  );
  expect(step({ qty: "= $sum(amountToConfirmPickingSummary.containersBreakdown.amount)" })[0]).toMatch(
    /did you mean amountToConfirmInBaseUnitOfMeasure\?/,
  );
  expect(step({ qty: "body.requestId" })).toEqual([]);
  const statements = [{ sql: "SELECT :entryId, :amountToConfirm, :itemNr" }];
  expect(problemsOf({ operations: { confirmStep: { statements } } }).join("\n")).toMatch(
    /amountToConfirm: unknown name; did you mean amountToConfirmPickingSummary or .*\n.*itemNr: .*did you mean itemN/,
  );
  expect(step({ qty: '["lotNumber"]' })).toEqual([]);
});

test("names are found in any letter case, and inner members by their path", () => {
  expect(problemsOf({ operations: { findWorkOrderByCode: { sql: "SELECT :code, :storagename, :LANGUAGE" } } })).toEqual(
    [],
  );
  const statements = [{ sql: "SELECT :request.itemNumber, :body.request.requestId, :entryId, :receivedAt" }];
  expect(problemsOf({ operations: { cancelWorkOrderRequest: { statements } } })).toEqual([]);
});

test("a list is not a single value: the statement runs for each element", () => {
  const relocate = (each: string | undefined, sql: string) =>
    problemsOf({
      operations: { relocateCartContainers: { statements: [{ sql, ...(each === undefined ? {} : { each }) }] } },
    });
  expect(relocate(undefined, "SELECT :body.containerCode")[0]).toMatch(/is a list: use `each`/);
  expect(relocate("body", "SELECT :each.containerCode, :each.workOrder.number, :eachIndex")).toEqual([]);
  expect(relocate("body.workOrder.requests", "SELECT :each.itemNumber, :parent.containerCode")).toEqual([]);
  expect(relocate("body", "SELECT :each.nothing")[0]).toMatch(/each has no member nothing/);
  expect(relocate("body.containerCode", "SELECT 1")[0]).toMatch(/is not a list/);
});

test("a result that the operation does not have is refused", () => {
  expect(problemsOf(event([{ sql: "SELECT 1", expectRows: 1, otherwise: "Succeed" }]))[0]).toMatch(
    /otherwise: Succeed is not a refusal of attachWorkOrder; choose from OperationFailed/,
  );
  expect(problemsOf({ refusals: [{ code: "1", result: "ContainerAlreadyAttachd" }] })[0]).toMatch(
    /no event has the refusal ContainerAlreadyAttachd; did you mean ContainerAlreadyAttached\? choose from /,
  );
  expect(problemsOf({ refusals: [{ code: "1", result: "Nope" }] })[0]).toMatch(/refusals.0.result: no event has/);
});

test("a mapping that does not compile is named with its place", () => {
  const [first] = problemsOf({ operations: { getItem: { sql: "SELECT 1", map: { number: "a", naem: "b" } } } });
  expect(first).toMatch(/^operations\.getItem\.map\.naem: /);
});

test("a query with only one of its three statements, and a statement that does not write the entry's id, are refused", () => {
  expect(problemsOf({ operations: { listWorkOrders: { orders: "SELECT 1" } } })[0]).toMatch(/all three of/);
  expect(problemsOf({ idempotency: "column", ...event([{ sql: "SELECT 1" }]) })[0]).toMatch(/must write :entryId/);
});

test("a column that holds the entry's id only once cannot be combined with a statement that runs for each element", () => {
  const insert = (values: string) => ({ each: "body", sql: `INSERT INTO t VALUES (${values})` });
  const relocate = (...statements: { sql: string; each?: string }[]) =>
    problemsOf({ idempotency: "column", operations: { relocateCartContainers: { statements } } });
  expect(relocate(insert(":entryId, :each.containerCode"))).toEqual([
    expect.stringMatching(
      /^operations.relocateCartContainers.statements.0: .*second row.*:eachIndex.*idempotency: table/,
    ),
  ]);
  expect(relocate(insert(":entryId, :eachIndex"))).toEqual([]);
  expect(relocate({ sql: "INSERT INTO t VALUES (:entryId)" }, insert(":each.containerCode"))).toEqual([]);
  const statements = [insert(":entryId, :each.containerCode")];
  expect(problemsOf({ operations: { relocateCartContainers: { statements } } })).toEqual([]);
});

test("an event with an empty list must also store its id if it changes anything", () => {
  const statements = [
    { sql: "UPDATE totals SET moves = moves + 1" },
    { each: "body", sql: "INSERT INTO t VALUES (:entryId, :eachIndex)" },
  ];
  expect(problemsOf({ idempotency: "column", operations: { relocateCartContainers: { statements } } })).toEqual([
    expect.stringMatching(/^operations.relocateCartContainers.statements: .*list is empty/),
  ]);
});

test("an address may be given instead of its parts, and a wrong one is not repeated in the message", () => {
  const given = (url: string) => compileOptions({ driver: "postgres", url }, dates).problems.map(({ text }) => text);
  expect(given("postgres://me:secret@db.example:5433/erp")).toEqual([]);
  for (const url of ["mysql://me:secret@db/erp", "secret", "postgres://me:secret@db/erp?sslmode=require"]) {
    expect(given(url).join()).toMatch(/^url: /);
    expect(given(url).join()).not.toContain("secret");
  }
  expect(given("postgres://db.example")).toEqual(["host and database are missing: set both, or `url`"]);
});

test("all problems are reported at once", () => {
  const operations = { getItem: { sql: "SELECT :a" }, getItemImage: { sql: "SELECT 'x" } };
  expect(problemsOf({ operations, file: "" })).toHaveLength(3);
});
