import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, expectTypeOf, test } from "vitest";
import { envelopeHead } from "../envelope.ts";
import { operationIds, operationRow } from "../operations.ts";
import { pushes } from "../pushes.ts";
import type { VersionInfo } from "../schemas/queries.ts";
import type { WorkOrder } from "../schemas/work-order.ts";
import { type Client, ClientError, createClient } from "./client.ts";
import { validSamples } from "./samples.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let stop = () => {};
afterEach(() => stop());

async function serve(listener: RequestListener): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
  // A server that listens on a port has an address object.
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/wms/`, seen };
}

test("every operation sends the request of its row and returns the answer as it came", async () => {
  const { baseUrl, seen } = await serve((_, response) => response.end('{"isResultSuccess":true,"data":[1]}'));
  const client = createClient({ baseUrl, language: "de", headers: { "x-tenant": "north" } });
  for (const id of operationIds) {
    const row = operationRow(id);
    for (const sample of validSamples(id).filter(({ name }) => name !== "with unknown members")) {
      // The samples are inputs of the row. Only a call by a fixed name would have them typed.
      const call = client[id] as (input: unknown) => Promise<unknown>;
      await expect(call(sample.body ?? sample.query ?? sample.params)).resolves.toEqual({
        isResultSuccess: true,
        data: [1],
      });
      const request = seen.at(-1);
      const url = new URL(request?.url ?? "", baseUrl);
      const value = Object.values(sample.params ?? {})[0];
      const path = value === undefined ? row.path : row.path.replace(/\{\w+\}/, () => encodeURIComponent(value));
      expect(request?.method).toBe(row.method);
      expect(url.pathname).toBe(`/wms${path}`);
      expect(Object.fromEntries(url.searchParams)).toEqual(sample.query ?? {});
      expect(request?.body).toBe(sample.body === undefined ? "" : JSON.stringify(sample.body));
      expect(request?.headers).toMatchObject({ "accept-language": "de", "x-tenant": "north" });
    }
  }
});

test("inputs and answers are typed by the row", () => {
  expectTypeOf<Client["findWorkOrderByCode"]>().parameter(0).toHaveProperty("Code");
  expectTypeOf<Awaited<ReturnType<Client["findWorkOrderByCode"]>>["data"]>().toEqualTypeOf<WorkOrder | null>();
  expectTypeOf<Awaited<ReturnType<Client["attachWorkOrder"]>>["data"]>().toEqualTypeOf<null>();
  expectTypeOf<Awaited<ReturnType<Client["getStatus"]>>>().toEqualTypeOf<VersionInfo>();
  expectTypeOf<Client["listWorkOrders"]>().parameter(0).toEqualTypeOf<undefined>();
});

test("a path value of any characters arrives as one segment, and one that a URL would swallow is not sent", async () => {
  const { baseUrl, seen } = await serve((_, response) => response.end("{}"));
  const client = createClient({ baseUrl });
  for (const number of ["A/B", "50 %", "a+b", "ä🚚", "?x=1#y", "...", "%2e%2e"]) {
    await client.getItem({ number });
    expect(decodeURIComponent(seen.at(-1)?.url?.replace("/wms/Items/", "") ?? "")).toBe(number);
  }
  for (const number of [".", "..", ""]) await expect(async () => client.getItem({ number })).rejects.toThrow(TypeError);
  expect(seen).toHaveLength(7);
});

test("a refusal is an answer", async () => {
  const row = operationRow("getItem");
  const { baseUrl } = await serve((_, response) => response.end(`${envelopeHead(row, "ItemDoesNotExist", "no")}null}`));
  const answer = await createClient({ baseUrl }).getItem({ number: "7" });
  expect(answer).toMatchObject({ isResultSuccess: false, externalMessage: "no", data: null });
});

test("problem details become an error that says what is wrong", async () => {
  const problem = {
    type: "about:blank",
    title: "Invalid",
    status: 400,
    traceId: "t1",
    errors: { Code: ["Code: is missing"] },
  };
  const { baseUrl } = await serve((_, response) => response.writeHead(400).end(JSON.stringify(problem)));
  const error: unknown = await createClient({ baseUrl })
    .findWorkOrderByCode({ Code: "" })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ status: 400, problem });
  expect(String(error)).toContain("HTTP 400: Invalid");
});

test("an answer that is no JSON is an error and not a crash of the caller's code later", async () => {
  const { baseUrl } = await serve((_, response) => response.end("<html>Welcome to the proxy</html>"));
  await expect(createClient({ baseUrl }).getStatus()).rejects.toThrow("Welcome to the proxy");
});

test("a redirect is never followed", async () => {
  const { baseUrl, seen } = await serve((_, response) => response.writeHead(307, { location: "/elsewhere" }).end());
  await expect(createClient({ baseUrl, apiKey: "k" }).push.stock([])).rejects.toThrow();
  expect(seen).toHaveLength(1);
});

test("a call ends at its deadline, or when its caller gives up", async () => {
  const { baseUrl } = await serve(() => {});
  const client = createClient({ baseUrl, deadlineMs: 20 });
  await expect(client.getStatus()).rejects.toMatchObject({ name: "TimeoutError" });
  const signal = AbortSignal.abort();
  await expect(client.getStatus(undefined, { signal, deadlineMs: 60_000 })).rejects.toMatchObject({
    name: "AbortError",
  });
});

test("pushes carry the key, and contract calls do not", async () => {
  const receipt = { ids: ["e1"] };
  const { baseUrl, seen } = await serve((request, response) =>
    response.writeHead(request.url?.includes("/inbound/") ? 202 : 200).end(JSON.stringify(receipt)),
  );
  const client = createClient({ baseUrl, apiKey: "secret" });
  const cancellation = { workOrderNumber: "WO-1" };
  expect(await client.push.cancellations(cancellation)).toEqual(receipt);
  expect(seen.at(-1)).toMatchObject({
    method: "POST",
    url: `/wms${pushes.cancellations.path}`,
    body: JSON.stringify(cancellation),
    headers: { authorization: "Bearer secret", "content-type": "application/json; charset=utf-8" },
  });
  await client.push.items([{ number: "1" }, { number: "2" }]);
  expect(seen.at(-1)?.body).toBe('[{"number":"1"},{"number":"2"}]');
  await client.listWorkOrders();
  expect(seen.at(-1)?.headers.authorization).toBeUndefined();
});
