import fc from "fast-check";
import { expect, test } from "vitest";
import { type ErpRequest, erpOrder, httpErp, orderMap } from "../../../../test/support/receivers/http-erp.ts";
import type { AnyOutcome } from "../../../operation/outcome.ts";
import { inPortions, nextLink, type PageOptions } from "./page-options.ts";

const count = 23;
const all = Array.from({ length: count }, (_, index) => erpOrder(String(index + 1)));
const numbers = (outcome: AnyOutcome) =>
  outcome.ok ? (outcome.data as { number: string }[]).map(({ number }) => number) : [];
const wanted = all.map(({ DocNum }) => DocNum);
const operations = (page: PageOptions) => ({
  listWorkOrders: { path: "/orders", query: { state: "open" }, records: "data", page, map: orderMap },
});
const slice = (from: number, size: number) => all.slice(from, from + size);

type Serve = (request: ErpRequest, setLink: (value: string) => void) => object;
const ways: [string, PageOptions, Serve][] = [
  [
    "its number",
    { by: "page", param: "p", size: 10, sizeParam: "n" },
    ({ query }) => ({ data: slice((Number(query["p"]) - 1) * Number(query["n"]), Number(query["n"])) }),
  ],
  [
    "its number, counted from 0",
    { by: "page", param: "p", start: 0 },
    ({ query }) => ({ data: slice(Number(query["p"]) * 10, 10) }),
  ],
  [
    "how many were read",
    { by: "offset", param: "skip", size: 10, sizeParam: "top" },
    ({ query }) => ({ data: slice(Number(query["skip"]), 10) }),
  ],
  [
    "how many were read, from a system that gives fewer than asked for",
    { by: "offset", param: "skip", size: 1000, sizeParam: "top" },
    ({ query }) => ({ data: slice(Number(query["skip"]), 7) }),
  ],
  [
    "a mark in the answer",
    { by: "cursor", param: "after", path: "meta.next" },
    ({ query }) => {
      const from = Number(query["after"] ?? 0);
      return { data: slice(from, 10), meta: { next: from + 10 < count ? from + 10 : null } };
    },
  ],
  [
    "the header Link",
    { by: "link" },
    ({ query }, setLink) => {
      const from = Number(query["from"] ?? 0);
      if (from + 10 < count) setLink(`</orders?from=0>; rel="first", </orders?from=${from + 10}>; rel=next`);
      return { data: slice(from, 10) };
    },
  ],
  [
    "an address in the answer",
    { by: "next", path: "@odata.nextLink" },
    ({ query }) => {
      const from = Number(query["$skip"] ?? 0);
      return {
        data: slice(from, 10),
        ...(from + 10 < count ? { "@odata.nextLink": `orders?$skip=${from + 10}` } : {}),
      };
    },
  ],
];

test.each(ways)("a list is read to its end by %s", async (_name, page, serve) => {
  const { query, requests } = await httpErp({ operations: operations(page) }, (request, response) =>
    serve(request, (value) => response.setHeader("link", value)),
  );
  expect(numbers(await query("listWorkOrders"))).toEqual(wanted);
  expect(requests[0]?.query["state"]).toBe("open");
});

test("if the answer has the total, no page too many is requested", async () => {
  const page: PageOptions = { by: "offset", param: "skip", total: "total" };
  const { query, requests } = await httpErp({ operations: operations(page) }, ({ query }) => ({
    data: slice(Number(query["skip"]), 23),
    total: count,
  }));
  expect(numbers(await query("listWorkOrders"))).toEqual(wanted);
  expect(requests).toHaveLength(1);
});

test("a page after the last one may be answered as not found", async () => {
  const page: PageOptions = { by: "page", param: "p" };
  const { query } = await httpErp({ operations: operations(page) }, ({ query }, response) => {
    if (query["p"] === "1") return { data: all };
    response.statusCode = 404;
  });
  expect(numbers(await query("listWorkOrders"))).toEqual(wanted);
});

test.each<[string, PageOptions, Serve, RegExp]>([
  [
    "a page parameter that the system does not know",
    { by: "page", param: "pagina" },
    () => ({ data: slice(0, 10) }),
    /page 2 repeats an earlier page; check that the system supports the parameter pagina/,
  ],
  [
    "a mark that does not change",
    { by: "cursor", param: "c", path: "next" },
    ({ query }) => ({ data: [erpOrder(`${query["c"]}${Math.random()}`)], next: "same" }),
    /repeats an earlier page/,
  ],
  [
    "marks in a circle",
    { by: "cursor", param: "c", path: "next" },
    ({ query }) => ({ data: [], next: query["c"] === "a" ? "b" : "a" }),
    /repeats an earlier page/,
  ],
  [
    "addresses in a circle",
    { by: "next", path: "next" },
    ({ query }) => ({ data: [], next: `/orders?at=${query["at"] === "1" ? 2 : 1}` }),
    /repeats an earlier page/,
  ],
  [
    "marks without end",
    { by: "cursor", param: "c", path: "next" },
    ({ query }) => ({ data: [erpOrder(String(query["c"]))], next: Number(query["c"] ?? 0) + 1 }),
    /more than 50 pages/,
  ],
  [
    "empty pages without end",
    { by: "cursor", param: "c", path: "next" },
    ({ query }) => ({ data: [], next: Number(query["c"] ?? 0) + 1 }),
    /empty pages in a row/,
  ],
  [
    "records without end",
    { by: "offset", param: "skip" },
    ({ query }) => ({ data: Array.from({ length: 60 }, (_, index) => erpOrder(`${query["skip"]}-${index}`)) }),
    /more than 200 records/,
  ],
  [
    "a next page on another host",
    { by: "next", path: "next" },
    () => ({ data: [], next: "http://evil.example/" }),
    /evil\.example/,
  ],
])("%s end in a fault, not in a loop", async (_name, page, serve, reason) => {
  const limits = { maxPages: 50, maxRecords: 200 };
  const { query, faultOf } = await httpErp({ limits, operations: operations(page) }, (request) =>
    serve(request, () => {}),
  );
  const fault = await faultOf(query("listWorkOrders"));
  expect([fault.kind, fault.message]).toEqual(["rejected", expect.stringMatching(reason)]);
});

test("whatever a Link header contains, only an address is read from it", () => {
  const base = new URL("http://erp.example/orders");
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^(<[a-z/?=&]*>; ?rel="?[a-z]+"?,? ?)*$/)), (header) => {
      expect([undefined, "http:", "https:"]).toContain(nextLink(header, base)?.protocol);
    }),
  );
  expect(nextLink('<a?x=1,2>; title="a, b"; rel="prev next"', base)?.href).toBe("http://erp.example/a?x=1,2");
  expect(nextLink('<a>; rel="nextish"', base)).toBeUndefined();
});

test("if a list has no lines, each record is fetched separately, in order, and a record that no longer exists is left out", async () => {
  const own = {
    path: "/orders",
    records: "data",
    map: orderMap,
    detail: { path: "/orders/{record.id}", records: "data" },
  };
  const { query, requests } = await httpErp({ operations: { listWorkOrders: own } }, ({ pathname }, response) => {
    if (pathname === "/orders") return { data: Array.from({ length: 20 }, (_, id) => ({ id: `a/${id}` })) };
    const id = decodeURIComponent(pathname).slice("/orders/a/".length);
    if (id !== "7") return { data: erpOrder(id) };
    response.statusCode = 404;
  });
  const others = Array.from({ length: 20 }, (_, id) => String(id)).filter((id) => id !== "7");
  expect(numbers(await query("listWorkOrders"))).toEqual(others);
  expect(requests).toHaveLength(21);
});

test("the records of a long page are handed over few at a time, and long ones fewer", async () => {
  const record = (number: number, length: number) => ({
    number,
    text: "ö".repeat(length),
    exact: "12345678901234567890",
  });
  const lengths = [...Array(60).fill(10), ...Array(60).fill(20_000), 1_000_000, ...Array(60).fill(10)];
  for (const given of [lengths, lengths.slice(90, 150)]) {
    const records = given.map((length, number) => record(number, length));
    const portions: (readonly unknown[])[] = [];
    for await (const portion of await inPortions(records)) portions.push(portion);
    expect(portions.flat()).toEqual(records);
    expect(Math.max(...portions.map(({ length }) => length))).toBeLessThanOrEqual(50);
    // Only the one that is longer by itself.
    const characters = portions.map((portion) => JSON.stringify(portion).length);
    expect(characters.filter((length) => length > 600 * 1024)).toHaveLength(1);
  }
});
