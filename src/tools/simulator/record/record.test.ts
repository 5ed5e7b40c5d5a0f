import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { hasFileModes } from "../../../../test/support/test-if.ts";
import { operations } from "../../../contract/operations.ts";
import { pushes } from "../../../contract/pushes.ts";
import type { RecordedCall } from "./captured-call.ts";
import { record } from "./record.ts";
import { readRecording } from "./recording-file.ts";

async function adapterThat(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function recording(target: string, more: { mostFileBytes?: number; keepFiles?: number } = {}) {
  const file = join(temporaryFolder(), "calls.jsonl");
  const limits = { mostFileBytes: 10 * 2 ** 20, keepFiles: 3, mostBodyBytes: 2 ** 20, ...more };
  const proxy = await record({
    target,
    host: "127.0.0.1",
    port: 0,
    file,
    secret: "s",
    now: () => performance.now(),
    ...limits,
  });
  return { proxy, file, text: () => readFileSync(file, "utf8") };
}

async function calls(file: string): Promise<RecordedCall[]> {
  const all: RecordedCall[] = [];
  for await (const call of readRecording(file)) all.push(call);
  return all;
}
const ok = JSON.stringify({ isResultSuccess: true, result: 1, data: null });

test("bytes go through untouched in both directions, whatever their size, with status and headers", async () => {
  const body = randomBytes(8 * 2 ** 20);
  const seen: { hash?: string; headers?: string[] } = {};
  const target = await adapterThat((incoming, response) => {
    const hash = createHash("sha256");
    incoming.on("data", (chunk: Buffer) => hash.update(chunk));
    incoming.on("end", () => {
      Object.assign(seen, { hash: hash.digest("hex"), headers: incoming.rawHeaders });
      response.writeHead(418, "Odd", [...["X-Odd", "one"], ...["X-Odd", "two"], ...["Set-Cookie", "a=b"]]).end(body);
    });
  });
  const { proxy, text } = await recording(target);
  const sending = request(proxy.url + operations.parseItemFile.path, {
    ...{ method: "POST", headers: { Authorization: "Bearer top-secret", "X-Mixed-Case": "kept" } },
  });
  sending.end(body);
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  const received = Buffer.concat(await answer.toArray());
  await proxy.close();
  expect(received.equals(body)).toBe(true);
  expect([answer.statusCode, answer.statusMessage]).toEqual([418, "Odd"]);
  expect(answer.rawHeaders.join()).toContain("X-Odd,one,X-Odd,two,Set-Cookie,a=b");
  expect(seen.hash).toBe(createHash("sha256").update(body).digest("hex"));
  expect(seen.headers?.join()).toContain("Authorization,Bearer top-secret,X-Mixed-Case,kept");
  expect(text()).toMatch(/"lost":"too large to be kept"/);
});

test("no credentials, names or numbers are written, not even from the address or a compressed answer", async () => {
  const target = await adapterThat((_, response) => {
    const data = { number: "Q4711Z-secret", description: "Huber secret Bakery" };
    const packed = gzipSync(JSON.stringify({ isResultSuccess: true, result: 1, externalMessage: "secret text", data }));
    response.writeHead(200, { "content-encoding": "gzip", "set-cookie": "sid=secret" }).end(packed);
  });
  const { proxy, file, text } = await recording(target);
  const headers = {
    authorization: "Bearer secret",
    "x-api-key": "secret",
    cookie: "secret",
    "idempotency-key": "secret-1",
  };
  const code = `?Code=Q4711Z-secret&StorageName=secret&apiKey=secret`;
  await fetch(proxy.url + operations.findWorkOrderByCode.path + code, { headers });
  await fetch(`${proxy.url + operations.getItem.path.replace("{number}", "secret%2F1")}`, { headers });
  await fetch(proxy.url + pushes.workOrders.path, {
    method: "POST",
    headers,
    body: '{"number":"secret","note":"secret"}',
  });
  await fetch(`${proxy.url}/admin/entries?secret=1`, { headers });
  const { others, written } = await proxy.close();
  // Not the digits alone: times and made-up names may hold them by chance.
  expect(text()).not.toMatch(/secret|Q4711|4711Z|Huber/);
  const [scan, item, push, ...more] = await calls(file);
  expect([more, others, written]).toEqual([[], 1, 3]);
  expect(item?.path).toMatch(/%2F/);
  expect(push?.row).toEqual({ push: "workOrders" });
  const found = scan?.answer?.body as { json: { data: { number: string } } };
  // The scanned code and the number of the found order are still the same text.
  expect(new URLSearchParams(scan?.path.split("?")[1]).get("Code")).toBe(found.json.data.number);
  if (hasFileModes) expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("an adapter that cannot be reached is a 502, and half an answer stays half an answer", async () => {
  const { proxy, file } = await recording("http://127.0.0.1:1");
  expect((await fetch(proxy.url + operations.getStatus.path)).status).toBe(502);
  await proxy.close();
  expect(await calls(file)).toMatchObject([{ answer: null }]);
  const target = await adapterThat((_, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
  });
  const second = await recording(target);
  await expect(fetch(second.proxy.url + operations.getStatus.path).then((answer) => answer.text())).rejects.toThrow();
  await second.proxy.close();
  expect(await calls(second.file)).toMatchObject([{ answer: null }]);
});

test("a caller that hangs up hangs up on the adapter too", async () => {
  let hungUp: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  let asked = () => {};
  const target = await adapterThat((_, response) => {
    response.on("close", () => hungUp?.());
    asked();
  });
  const { proxy } = await recording(target);
  const abort = new AbortController();
  asked = () => abort.abort();
  await expect(fetch(proxy.url + operations.listWorkOrders.path, { signal: abort.signal })).rejects.toThrow(/abort/i);
  await closed;
  await proxy.close();
});

test("the files stay within their size and number, and are read in the order in which the calls began", async () => {
  const target = await adapterThat((_, response) => response.end(ok));
  const limits = { mostFileBytes: 2000, keepFiles: 3 };
  const { proxy, file } = await recording(target, limits);
  const path = (index: number) => operations.getItem.path.replace("{number}", `I${index}`);
  for (let index = 0; index < 60; index++) await (await fetch(proxy.url + path(index))).text();
  await proxy.close();
  const folder = join(file, "..");
  expect(readdirSync(folder).toSorted()).toEqual(["calls.jsonl", "calls.jsonl.1", "calls.jsonl.2"]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(2000);
  const sequences = (await calls(file)).map(({ sequence }) => sequence);
  expect(sequences.length).toBeGreaterThan(5);
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(sequences.at(-1)).toBe(59);
});

test("a recording is never added to, and an older one beside it is not read with it", async () => {
  const target = await adapterThat((_, response) => response.end(ok));
  const first = await recording(target);
  await (await fetch(first.proxy.url + operations.getStatus.path)).text();
  await first.proxy.close();
  const limits = { mostFileBytes: 2 ** 20, keepFiles: 3, mostBodyBytes: 1000 };
  const needs = { target, host: "127.0.0.1", port: 0, file: first.file, secret: undefined, now: () => 0, ...limits };
  await (await record(needs)).close();
  expect(readdirSync(join(first.file, "..")).length).toBe(2);
  expect(await calls(first.file)).toEqual([]);
});
