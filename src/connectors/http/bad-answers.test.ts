import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { answered, erpOrder, httpErp, orderMap } from "../../../test/support/receivers/http-erp.ts";
import { rawReceiver } from "../../../test/support/receivers/receiver.ts";
import { say } from "../../messages/message.ts";

const operations = { listWorkOrders: { path: "/orders", records: "data", map: orderMap } };
const json = { "content-type": "application/json" };

test.each([
  ["a login page", 200, { "content-type": "text/html" }, "<html>please log in</html>", /media type is text\/html/],
  ["JSON without a Content-Type", 200, {}, '{"data":[]}', /media type is missing/],
  ["half JSON", 200, json, '{"data":[{"DocNum":"1"', /not complete JSON/],
  [
    "letters in another encoding than it says",
    200,
    json,
    Buffer.from('{"data":[{"DocNum":"\xe4"}]}', "latin1"),
    /not valid utf-8/,
  ],
  [
    "a member that is given twice beside the records",
    200,
    json,
    '{"count":1,"data":[{"DocNum":"1"}],"count":2}',
    /the member count of its JSON is given twice, so it can be read in two ways/,
  ],
  ["nothing", 200, json, "", /empty/],
  ["JSON that is nested without end", 200, json, "[".repeat(100_000), /nested too deep/],
  ["a number where the list belongs", 200, json, '{"data":7}', /not a list of records/],
  ["another member than the configured one", 200, json, '{"items":[]}', /has no data; check `records`/],
  [
    "a compression that is broken",
    200,
    { ...json, "content-encoding": "gzip" },
    gzipSync("{}").subarray(0, 12),
    /cannot be decoded/,
  ],
  ["a redirect", 302, { location: "http://evil.example/" }, "", /status 302/],
])("%s is a fault that says what came, and a text for the operator", async (_name, status, headers, body, reason) => {
  const { query, faultOf, requests } = await httpErp({ operations }, (_request, response) => {
    response.writeHead(status, headers).end(body);
    return answered;
  });
  const fault = await faultOf(query("listWorkOrders"));
  expect([fault.kind, fault.message]).toEqual(["rejected", expect.stringMatching(reason)]);
  expect(fault.operatorText).toEqual(say(status === 200 ? "http.unreadable" : "http.refused"));
  expect(requests).toHaveLength(1);
});

test("letters in the declared encoding are read", async () => {
  const { query } = await httpErp({ operations }, (_request, response) => {
    const body = Buffer.from(JSON.stringify({ data: [erpOrder("Größe")] }), "latin1");
    response.writeHead(200, { "content-type": "application/json; charset=iso-8859-1" }).end(body);
    return answered;
  });
  expect(await query("listWorkOrders")).toMatchObject({ data: [{ number: "Größe" }] });
});

test("an answer beyond the limit is cut and reported, compressed or not", async () => {
  const body = Buffer.from(JSON.stringify({ data: [erpOrder("1", { Text: "x".repeat(1_500_000) })] }));
  for (const isPacked of [true, false]) {
    const { query, faultOf } = await httpErp({ operations, limits: { maxAnswerMiB: 1 } }, (_request, response) => {
      response
        .writeHead(200, isPacked ? { ...json, "content-encoding": "gzip" } : json)
        .end(isPacked ? gzipSync(body) : body);
      return answered;
    });
    expect((await faultOf(query("listWorkOrders"))).message).toMatch(/longer than 1 MiB/);
  }
});

test("a connection that breaks during the answer counts as a failure of the ERP", async () => {
  const { url } = await rawReceiver((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"data":['),
  );
  const { query, faultOf } = await httpErp({ operations, baseUrl: new URL(url).origin }, () => ({}));
  expect((await faultOf(query("listWorkOrders"))).kind).toBe("unreachable");
});

test("an answer that is not HTTP is rejected", async () => {
  const { url } = await rawReceiver((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
  const { query, faultOf } = await httpErp({ operations, baseUrl: new URL(url).origin }, () => ({}));
  expect(await faultOf(query("listWorkOrders"))).toMatchObject({
    kind: "rejected",
    operatorText: say("http.unreadable"),
  });
});

test("the wait for a silent ERP ends after the configured time, or earlier if the caller stops waiting", async () => {
  const timeouts = { connectMs: 60_000, headersMs: 100, totalMs: 60_000 };
  const { query, faultOf } = await httpErp({ operations, timeouts }, () => answered);
  expect((await faultOf(query("listWorkOrders"))).message).toMatch(/no answer within 100 ms/);
  const patient = await httpErp({ operations }, () => answered);
  expect((await patient.faultOf(patient.query("listWorkOrders", {}, { signal: AbortSignal.abort() }))).kind).toBe(
    "unreachable",
  );
});

test("a scanned order with a member that is given twice is not served", async () => {
  const { query, faultOf } = await httpErp(
    { operations: { findWorkOrderByCode: { path: "/orders/{code}", map: orderMap } } },
    (_request, response) => {
      response.writeHead(200, json).end(JSON.stringify(erpOrder("1")).replace("{", '{"\\u0044ocNum":"2",'));
      return answered;
    },
  );
  const fault = await faultOf(query("findWorkOrderByCode", { Code: "1", StorageName: null }));
  expect([fault.kind, fault.message]).toEqual(["rejected", expect.stringMatching(/DocNum of its JSON is given twice/)]);
});
