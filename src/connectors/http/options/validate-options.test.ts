import { expect, test } from "vitest";
import { orderMap } from "../../../../test/support/receivers/http-erp.ts";
import { validator } from "../../../contract/validate/validator.ts";
import type { SentAuth } from "../../../http-client/auth/auth-kinds.ts";
import { sentAuthProblems } from "../../../http-client/auth/sent-auth.ts";
import { type HttpOptions, httpOptions, withPreset } from "./options.ts";
import { validateOptions } from "./validate-options.ts";

const baseUrl = "https://erp.example";
const problems = (options: Partial<HttpOptions>) =>
  validateOptions({ baseUrl, ...options }).map(({ path, text }) => `${[path].flat().join(".")}: ${text}`);

test("consistent options have no problems", () => {
  const page = { by: "page" as const, param: "page" };
  expect(
    problems({
      variables: { company: "A" },
      operations: {
        listWorkOrders: { path: "/{company}/orders", page, map: orderMap },
        findWorkOrderByCode: { path: "/orders", query: { c: "{code}", s: "{storageName}" }, map: orderMap },
        attachWorkOrder: {
          path: "/a/{containerCode}",
          refusals: [{ status: 409, result: "ContainerAlreadyAttached" }],
        },
      },
      poll: [{ topic: "items", path: "/items", query: { from: "{since}" }, map: { number: "Sku" }, since: {} }],
    }),
  ).toEqual([]);
});

test.each<[string, Partial<HttpOptions>, RegExp]>([
  [
    "a placeholder without a value",
    { operations: { getItem: { path: "/i/{sku}" } } },
    /^operations\.getItem: \{sku\} has no value$/,
  ],
  [
    "a misspelt member of the event in a field rule",
    {
      operations: {
        confirmStep: {
          path: "/s",
          each: "amountToConfirmPickingSummary.containersBreakdown",
          map: { qty: "amountToConfirm" },
        },
      },
    },
    /^operations\.confirmStep\.map\.qty: amountToConfirm: .*did you mean amountToConfirmInBaseUnitOfMeasure\?/,
  ],
  [
    "a misspelt member of the event in a body",
    { operations: { cancelPutWallItem: { path: "/s", body: { lines: [{ item: "{input.itemNo}" }] } } } },
    /^operations\.cancelPutWallItem: \{input\.itemNo\} has no value: .*did you mean itemNumber\?.*input\["itemNo"\]/,
  ],
  [
    "the beginning of a name in an address",
    { operations: { confirmStep: { path: "/s/{amountToConfirm}" } } },
    /\{amountToConfirm\} has no value; did you mean amountToConfirmPickingSummary or amountToConfirmPlacing/,
  ],
  [
    "a misspelt member in a condition",
    { operations: { attachWorkOrder: { path: "/s", when: { path: "isAbandonedOrCanceled" } } } },
    /when\.path: .*did you mean isAbandonedOrCancelled\?/,
  ],
  [
    "a list that the event does not have",
    { operations: { confirmStep: { path: "/s", each: "containersBreakdown" } } },
    /operations\.confirmStep\.each: containersBreakdown: it has no value/,
  ],
  [
    "an element where nothing is sent by elements",
    { operations: { relocateCartContainers: { path: "/s/{element.containerCode}" } } },
    /\{element\.containerCode\} has no value/,
  ],
  [
    "a mapped member that no rule makes",
    { operations: { changeStatus: { path: "/s/{mapped.no}", map: { nr: "number" } } } },
    /\{mapped\.no\} has no value: .*did you mean nr\?/,
  ],
  [
    "a member that the contract does not have",
    { operations: { getItem: { path: "/i/{number}", map: { number: "Sku", nam: "Title" } } } },
    /^operations\.getItem\.map\.nam: /,
  ],
  [
    "an expression that does not compile",
    { poll: [{ topic: "items", path: "/i", map: { number: "= $trim(" } }] },
    /^poll\.0\.map\.number: .*column/,
  ],
  [
    "a result that the event does not have",
    { operations: { changeStatus: { path: "/s", refusals: [{ result: "NoSuchResult" }] } } },
    /changeStatus has no result "NoSuchResult"/,
  ],
  [
    "the success of an event as a refusal",
    { operations: { attachWorkOrder: { path: "/s", refusals: [{ result: "Success" }] } } },
    /no result "Success"/,
  ],
  [
    "a placeholder in a name",
    { operations: { changeStatus: { path: "/s", body: { a: [{ "{number}": 1 }] } } } },
    /^operations\.changeStatus\.body: placeholders are filled in values, not in names: "\{number\}"/,
  ],
  [
    "a nested name that no rule makes",
    { operations: { changeStatus: { path: "/s/{mapped.a.c}", map: { a: { b: "number" } } } } },
    /\{mapped\.a\.c\} has no value/,
  ],
  [
    "a member of a value of one's own",
    { variables: { company: "A" }, operations: { getItem: { path: "/i/{company.id}" } } },
    /\{company\.id\} has no value: company is a single value/,
  ],
  [
    "a placeholder that is no path",
    { operations: { changeStatus: { path: "/s", body: { a: "{input..number}" } } } },
    /is not a path/,
  ],
  ["records that are no path", { poll: [{ topic: "items", path: "/i", records: "a[" }] }, /^poll\.0\.records: .*path/],
  [
    "the path of a page that is none",
    { operations: { listWorkOrders: { path: "/o", page: { by: "cursor", param: "c", path: "meta..next" } } } },
    /^operations\.listWorkOrders\.page\.path: .*is not a path/,
  ],
  [
    "a result where only events have results",
    { operations: { getItem: { path: "/i/{number}", refusals: [{ status: 409, result: "ItemDoesNotExist" }] } } },
    /^operations\.getItem\.refusals\.0\.result: only events/,
  ],
  ["an event without a request", { operations: { attachWorkOrder: {} } }, /either `path` or `steps`/],
  [
    "a page that is not asked for",
    { operations: { listWorkOrders: { path: "/o", page: { by: "offset" } } } },
    /no place for the page/,
  ],
  [
    "a mark without a place",
    { operations: { listWorkOrders: { path: "/o", page: { by: "cursor", param: "c" } } } },
    /path of the next page's cursor/,
  ],
  [
    "a poll that does not say since when",
    { poll: [{ topic: "items", path: "/i", since: { path: "d" } }] },
    /^poll\.0\.since: /,
  ],
  ["a certificate without its key", { tls: { cert: "x" } }, /^tls: cert and key/],
  [
    "a header that belongs to the connection",
    { operations: { listWorkOrders: { path: "/o", headers: { Host: "x" } } } },
    /^operations\.listWorkOrders\.headers: /,
  ],
])("%s is found when the options are loaded", (_name, options, expected) => {
  expect(problems(options)).toEqual([expect.stringMatching(expected)]);
});

test("an operation that does not exist is refused by the schema", () => {
  expect(validator(httpOptions).isValid({ baseUrl, operations: { listOrders: { path: "/" } } })).toBe(false);
  expect(validator(httpOptions).isValid({ baseUrl, operations: { listWorkOrders: { path: "/" } } })).toBe(true);
});

test.each<[string, object, RegExp]>([
  [
    "a member of another kind",
    { kind: "bearer", token: "x", key: "y" },
    /^auth\.key: the kind bearer has no such setting/,
  ],
  ["a kind without what it needs", { kind: "apiKey" }, /^auth\.key: kind apiKey needs it/],
  ["no kind", { token: "x" }, /^auth\.kind: the kind is missing/],
])("an auth with %s is a mistake", (_name, auth, expected) => {
  // A configuration file can contain this; the type forbids it.
  const [problem] = sentAuthProblems(auth as SentAuth);
  expect(`${[problem?.path].flat().join(".")}: ${problem?.text}`).toMatch(expected);
});

test("an auth of another kind replaces the preset's auth completely", () => {
  const auth = { kind: "basic", username: "u", password: "p" };
  expect(withPreset({ preset: "erpnext", auth })["auth"]).toEqual(auth);
  expect(withPreset({ preset: "erpnext", auth: { kind: "bearer", token: "t" } })["auth"]).toEqual({
    kind: "bearer",
    token: "t",
    prefix: "token",
  });
});

test("field rules of an event know the names that it can refer to, and no others", () => {
  const map = {
    a: "entryId",
    b: "topic",
    c: "attempt",
    d: "language",
    e: "input.workOrderNumber",
    f: "= entryId & topic",
  };
  expect(problems({ operations: { confirmStep: { path: "/p", map } }, notices: { path: "/r", map } })).toEqual([]);
  const each = "amountToConfirmPickingSummary.containersBreakdown";
  const ofElement = { a: "element.containerCode", b: "index", c: "entryId", d: "input.requestId" };
  expect(problems({ operations: { confirmStep: { path: "/p", each, map: ofElement } } })).toEqual([]);
  const wrong = { a: "entryIdd", b: "input.workOrdrNumber", c: "element", d: "= attemptt", e: "index" };
  expect(problems({ operations: { confirmStep: { path: "/p", map: wrong } } })).toEqual([
    expect.stringMatching(/map\.a: .*did you mean entryId\?/),
    expect.stringMatching(/map\.b: .*did you mean workOrderNumber\?/),
    expect.stringMatching(/map\.c: element: the contract has no element here/),
    expect.stringMatching(/map\.d.*: .*did you mean attempt\?/),
    expect.stringMatching(/map\.e: index: the contract has no index here/),
  ]);
});

test("no sentence of a problem ends with two marks", () => {
  const path = "/{input.workOrdrNumber}";
  const found = problems({ operations: { attachWorkOrder: { path, map: { a: "workOrdrNumber" } } } });
  expect(found).toHaveLength(2);
  for (const text of found) expect(text).toMatch(/did you mean workOrderNumber\? A name that is not in the contract/);
});
