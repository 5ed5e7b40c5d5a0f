import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { validSamples } from "../../src/contract/derive/samples.ts";
import type { ProblemDetails } from "../../src/contract/envelope.ts";
import { limits } from "../../src/contract/limits.ts";
import { type OfferedId, operations } from "../../src/contract/operations.ts";
import { pushes } from "../../src/contract/pushes.ts";
import { type AnyOutcome, ok } from "../../src/operation/outcome.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";
import { scriptedConnector } from "../support/connectors/scripted-connector.ts";

interface Asked {
  id: OfferedId;
  input: unknown;
}

/** Remembers what reaches the connector, so that a test can see what was made of an address or a body. */
async function listeningAdapter(config: object = {}) {
  const asked: Asked[] = [];
  const script = (id: OfferedId, input: unknown): AnyOutcome => {
    asked.push({ id, input });
    return ok(id === "listWorkOrders" || id === "findPutWallOrders" ? [] : null);
  };
  const adapter = await startAdapter({ connector: scriptedConnector(script), config, onFinished: () => {} });
  return { ...adapter, asked };
}

/** Sends the address as it stands: fetch would normalise it. */
function rawGet(base: string, path: string, method = "GET"): Promise<{ status: number; body: string; allow?: string }> {
  const { port } = new URL(base);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, method }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      const { allow } = response.headers;
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body, ...(allow === undefined ? {} : { allow }) }),
      );
    });
    request.on("error", reject);
    request.end();
  });
}

/** All that a connection says until it is closed. */
const textOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
  });

const post = (
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "content-type": "application/json" },
) => fetch(url, { method: "POST", body, headers });

const itemPath = (value: string) => operations.getItem.path.replace("{number}", value);
const imagePath = (value: string) => operations.getItemImage.path.replace("{number}", value);
const codePath = (value: string) => `${operations.findWorkOrderByCode.path}?Code=${value}`;
const attachPath = operations.attachWorkOrder.path;

describe("addresses", () => {
  let adapter: Awaited<ReturnType<typeof listeningAdapter>>;
  beforeAll(async () => {
    adapter = await listeningAdapter();
    return adapter.close;
  });

  test.each([
    ["a slash stays part of the value", "A%2FB", "A/B"],
    ["an unencoded slash too", "A/B", "A/B"],
    ["a percent sign is decoded once", "50%2525", "50%25"],
    ["a broken encoding is taken literally", "50%", "50%"],
    ["a plus is a plus", "A+B", "A+B"],
    ["spaces and dots", "%20.%2e..", " ...."],
    ["any Unicode", "%E2%82%AC%F0%9F%93%A6", "€📦"],
    ["reserved words of other routes", "File", "File"],
    ["an encoded slash does not make an image of an item", "IntegrateImage%2F5", "IntegrateImage/5"],
    ["names of prototypes", "__proto__", "__proto__"],
    ["a NUL", "%00", "\0"],
  ])("%s", async (_, sent, value) => {
    adapter.asked.length = 0;
    expect((await rawGet(adapter.url, itemPath(sent))).status).toBe(200);
    expect(adapter.asked).toEqual([{ id: "getItem", input: { number: value } }]);
  });

  test("a value above the limit of identifiers is not looked up, and the answer names the limit", async () => {
    const { identifierLength } = limits;
    adapter.asked.length = 0;
    for (const path of [itemPath, imagePath, codePath]) {
      await rawGet(adapter.url, path(encodeURIComponent("📦".repeat(identifierLength))));
      const { body } = await rawGet(adapter.url, path("x".repeat(identifierLength + 1)));
      expect(JSON.parse(body)).toMatchObject({ isResultSuccess: false, validationStatus: { errorCount: 1 } });
      expect(body).toContain(`${identifierLength} characters at most`);
    }
    expect(adapter.asked).toHaveLength(3);
  });

  test.each([
    ["/Items/", operations.getItem.results.indexOf("OperationFailed")],
    ["/Items/IntegrateImage/", operations.getItemImage.results.indexOf("InvalidInput")],
    ["/WorkOrders/ForPutWall/", operations.findPutWallOrders.results.indexOf("OperationFailed")],
    ["/Items//", operations.getItem.results.indexOf("OperationFailed")],
    ["/Items/IntegrateImage//", operations.getItemImage.results.indexOf("InvalidInput")],
    ["/WorkOrders/ForPutWall//", operations.findPutWallOrders.results.indexOf("OperationFailed")],
  ])("%s has an empty value, and its own numbers of results", async (path, result) => {
    const { body } = await rawGet(adapter.url, path);
    expect(JSON.parse(body)).toMatchObject({ isResultSuccess: false, result, validationStatus: { errorCount: 1 } });
  });

  test.each([
    ["/workorders/code?code=A&storagename=S", { Code: "A", StorageName: "S" }],
    ["/WORKORDERS/CODE/?CODE=A%20B&StorageName=", { Code: "A B", StorageName: "" }],
    ["/WorkOrders/Code?Code=a+b%2Bc", { Code: "a b+c" }],
  ])("%s is read whatever its letter case", async (path, input) => {
    adapter.asked.length = 0;
    await rawGet(adapter.url, path);
    expect(adapter.asked).toEqual([{ id: "findWorkOrderByCode", input }]);
  });

  test("HEAD is answered like GET, without a body", async () => {
    const answer = await rawGet(adapter.url, operations.listWorkOrders.path, "HEAD");
    expect(answer).toMatchObject({ status: 200, body: "" });
  });

  test.each([
    ["/nowhere", "GET", 404, undefined],
    ["/~operation/listWorkOrders", "GET", 404, undefined],
    [operations.listWorkOrders.path, "DELETE", 405, "GET, HEAD"],
    [operations.findPutWallOrders.path.replace("/{code}", ""), "PUT", 405, "POST"],
    [itemPath("1"), "POST", 405, "GET, HEAD"],
    [itemPath("File"), "DELETE", 405, "GET, HEAD, POST"],
    [pushes.stock.path, "GET", 405, "POST"],
  ])("%s with %s is a problem document with status %i", async (path, method, status, allow) => {
    const answer = await rawGet(adapter.url, path, method);
    expect(answer.status).toBe(status);
    expect(answer.allow).toBe(allow);
    expect(JSON.parse(answer.body)).toMatchObject({ status, title: expect.any(String), traceId: expect.any(String) });
  });

  test.each([
    ["no name", "", 400],
    ["two names", "Host: localhost\r\nHost: localhost\r\n", 400],
    ["the name of a web page", "Host: evil.example\r\n", 421],
  ])("a request with %s in its headers is a problem document", async (_what, headers, status) => {
    const { port } = new URL(adapter.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`GET /Status HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    const answer = await textOf(socket);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status, title: expect.any(String) });
  });

  test("what is no HTTP at all is answered 400 and cut off", async () => {
    const socket = connect(Number(new URL(adapter.url).port), "127.0.0.1");
    socket.write("GARBAGE\r\n\r\n");
    const answer = await textOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("application/problem+json");
  });
});

describe("a base path", () => {
  test("stands in front of every route, in any letter case", async () => {
    const adapter = await listeningAdapter({ basePath: "/adapters/north" });
    const { origin } = new URL(adapter.url);
    expect(adapter.url).toBe(`${origin}/adapters/north`);
    expect((await rawGet(origin, `/Adapters/North${itemPath("7")}`)).status).toBe(200);
    expect(adapter.asked).toEqual([{ id: "getItem", input: { number: "7" } }]);
    expect((await rawGet(origin, itemPath("7"))).status).toBe(404);
    expect((await fetch(`${adapter.url}/health/ready`)).status).toBe(200);
    expect((await post(adapter.url + pushes.stock.path, "[]")).status).toBe(401);
    await adapter.close();
  });
});

describe("bodies", () => {
  let adapter: Awaited<ReturnType<typeof listeningAdapter>>;
  beforeAll(async () => {
    adapter = await listeningAdapter({ bodyLimitMiB: 1 });
    return adapter.close;
  });
  const attach = validSamples("attachWorkOrder")[0]?.body as Record<string, unknown>;
  const invalid = operations.attachWorkOrder.results.indexOf("InvalidInput");

  test("members in any letter case, a byte-order mark, nulls and unknown members are read", async () => {
    adapter.asked.length = 0;
    const body = '\uFEFF{"WORKORDERNUMBER":"1","containercode":"C","isAbandonedOrCancelled":null,"extra":{"Deep":[1]}}';
    const response = await post(adapter.url + attachPath, body);
    expect((await envelopeOf(response)).isResultSuccess).toBe(true);
    expect(adapter.asked[0]?.input).toEqual({
      workOrderNumber: "1",
      containerCode: "C",
      isAbandonedOrCancelled: null,
      extra: { Deep: [1] },
    });
  });

  test.each([
    ["nothing", ""],
    ["half a document", '{"workOrderNumber":'],
    ["a document with a tail", `${JSON.stringify(attach)} x`],
    ["a list instead of an object", "[]"],
    ["null", "null"],
    ["a number for a text", JSON.stringify({ ...attach, containerCode: 7 })],
    ["an empty identity", JSON.stringify({ ...attach, workOrderNumber: "" })],
    ["a member given twice", '{"workOrderNumber":"1","workOrderNumber":"2","containerCode":"C"}'],
    ["a hidden prototype", '{"workOrderNumber":"1","containerCode":"C","\\u005f_proto__":{"x":1}}'],
    ["65 levels", `{"workOrderNumber":"1","containerCode":"C","x":${"[".repeat(64)}${"]".repeat(64)}}`],
    ["100,000 levels", "[".repeat(100_000) + "]".repeat(100_000)],
    ["broken UTF-8", Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d])],
  ])("%s is invalid input, in the envelope", async (_, body) => {
    const response = await post(adapter.url + attachPath, body);
    expect(response.status).toBe(200);
    const envelope = await envelopeOf(response);
    expect(envelope).toMatchObject({ isResultSuccess: false, result: invalid, data: null });
    expect(envelope.validationStatus).toMatchObject({ isValid: false, errorCount: 1 });
    expect(envelope.validationStatus?.errorMessages).toHaveLength(1);
  });

  test.each([
    ["a word without quotes", '{"workOrderNumber":x}', 19],
    ["a comma too many", '{"workOrderNumber":"1",}', 23],
    ["a letter beyond ASCII before it", '{"workOrderNumber":"ä€😀",}', 26],
    ["a byte-order mark before it", '\uFEFF{"workOrderNumber":x}', 19],
    ["an event that another thread reads", `{"workOrderNumber":"${"n".repeat(100_000)}","containerCode":x}`, 100_038],
    ["half a document", '{"workOrderNumber":', 19],
  ])("what is no JSON is answered with the place of the mistake: %s", async (_, body, position) => {
    const { validationStatus } = await envelopeOf(post(adapter.url + attachPath, body));
    expect(validationStatus?.errorMessages[0]).toContain(`not valid JSON; see position ${position}.`);
  });

  test("64 levels are read", async () => {
    const body = `{"workOrderNumber":"1","containerCode":"C","x":${"[".repeat(63)}${"]".repeat(63)}}`;
    expect((await envelopeOf(post(adapter.url + attachPath, body))).isResultSuccess).toBe(true);
  });

  test("all errors are counted where only a hundred are told", async () => {
    const elements = Array.from({ length: 150 }, () => ({}));
    const response = await post(adapter.url + operations.relocateCartContainers.path, JSON.stringify(elements));
    const { validationStatus } = await envelopeOf(response);
    expect(validationStatus?.errorMessages).toHaveLength(100);
    expect(validationStatus?.errorCount).toBe(450);
    expect(validationStatus?.errorMessages[0]).toContain("[0].containerCode");
  });

  test("validation texts are in the operator's language", async () => {
    const response = await post(adapter.url + attachPath, "{}", {
      "content-type": "application/json",
      "accept-language": "fr;q=0.2, de-AT",
    });
    const { validationStatus } = await envelopeOf(response);
    expect(validationStatus?.errorMessages[0]).toMatch(/^workOrderNumber: fehlt/);
  });

  test.each([
    ["another media type", { "content-type": "text/xml" }, 415],
    ["another charset", { "content-type": "application/json; charset=utf-16" }, 415],
    ["a compressed body", { "content-type": "application/json", "content-encoding": "gzip" }, 415],
  ])("%s is refused with a problem document", async (_, headers, status) => {
    const response = await post(adapter.url + attachPath, JSON.stringify(attach), headers as Record<string, string>);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  });

  test.each(["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])("%s is read", async (type) => {
    const response = await post(adapter.url + attachPath, JSON.stringify(attach), { "content-type": type });
    expect(response.status).toBe(200);
  });

  test("a body over the limit is refused with 413", async () => {
    const response = await post(adapter.url + attachPath, JSON.stringify({ ...attach, x: "y".repeat(2 ** 21) }));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ status: 413, detail: expect.stringContaining("1 MiB") });
  });

  test("a body that is cut off leaves nothing behind", async () => {
    adapter.asked.length = 0;
    const socket = connect(Number(new URL(adapter.url).port), "127.0.0.1");
    socket.write(
      `POST ${attachPath} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"work`,
    );
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.destroy();
    await (await fetch(adapter.url + operations.getStatus.path)).text();
    expect(adapter.asked).toEqual([]);
  });
});

test("an event larger than 8 MiB is refused, however much a file may have", async () => {
  const adapter = await listeningAdapter();
  const body = JSON.stringify({ workOrderNumber: "1", containerCode: "C", x: "y".repeat(9 * 2 ** 20) });
  const response = await post(adapter.url + attachPath, body);
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining("8 MiB") });
  expect(adapter.asked).toEqual([]);
  await adapter.close();
});

describe("validation mode problem-details", () => {
  test("an invalid body is 400 with its errors by field, a domain refusal stays in the envelope", async () => {
    const adapter = await listeningAdapter({ validationMode: "problem-details" });
    const response = await post(adapter.url + attachPath, '{"containerCode":5}');
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    const problem = (await response.json()) as ProblemDetails;
    expect(problem).toMatchObject({ type: expect.any(String), title: "Bad Request", status: 400 });
    expect(problem.traceId).toMatch(/^[A-Z2-9]{8}$/);
    expect(Object.keys(problem.errors ?? {}).sort()).toEqual(["containerCode", "workOrderNumber"]);
    await adapter.close();
  });
});

describe("inbound routes", () => {
  test.each([{ authorization: `Bearer ${apiKey}` }, { "x-api-key": apiKey }])("take the key as %j", async (key) => {
    const adapter = await listeningAdapter();
    const headers = { "content-type": "application/json", ...key } as Record<string, string>;
    const response = await post(adapter.url + pushes.stock.path, "[]", headers);
    expect(response.status).toBe(202);
    await adapter.close();
  });

  test.each([{}, { authorization: "Bearer wrong" }, { "x-api-key": "" }, { authorization: `Basic ${apiKey}` }])(
    "refuse %j with 401",
    async (key) => {
      const adapter = await listeningAdapter();
      const headers = { "content-type": "application/json", ...key } as Record<string, string>;
      const response = await post(adapter.url + pushes.stock.path, "[]", headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      await adapter.close();
    },
  );
});
