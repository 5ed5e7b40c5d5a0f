import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, expect, test, vi } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { pushRow } from "../../../src/contract/pushes.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { leastStall, workedMs } from "../../support/longest-stall.ts";

let adapter: Awaited<ReturnType<typeof startAdapter>>;
beforeAll(async () => {
  adapter = await startAdapter({ onFinished: () => {} });
  return adapter.close;
});

const head = (method: string, path: string, more = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`;
const bodyOf = (index: number) => JSON.stringify({ workOrderNumber: `N-${index}`, containerCode: "C" });
const attachment = (index: number) =>
  head("POST", operations.attachWorkOrder.path, `Content-Length: ${bodyOf(index).length}\r\n`) + bodyOf(index);

/** A connection, and what it has answered so far. */
async function opened() {
  const { port } = new URL(adapter.url);
  const socket = connect(Number(port), "127.0.0.1");
  const heard = { text: "", isClosed: false };
  socket.on("data", (chunk) => {
    heard.text += String(chunk);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    heard.isClosed = true;
  });
  await once(socket, "connect");
  return { socket, heard };
}

const count = 200;
const numbersIn = (text: string) =>
  [...text.matchAll(/Order N-(\d+) is not known/g)].map(([, number]) => Number(number));

test("requests that are sent ahead are answered in order, and others run between them", async () => {
  const ahead = Array.from({ length: count }, (_, index) => attachment(index)).join("");
  const works: number[] = [];
  const stallMs = await leastStall(async () => {
    const { socket, heard } = await opened();
    const startedMs = workedMs();
    socket.write(ahead);
    await vi.waitFor(() => expect(numbersIn(heard.text)).toHaveLength(count), { timeout: 60_000 });
    works.push(workedMs() - startedMs);
    expect(numbersIn(heard.text)).toEqual(Array.from({ length: count }, (_, index) => index));
    socket.destroy();
  });
  expect(stallMs).toBeLessThan(Math.min(...works) / 2);
});

test("a connection on which hundreds of requests wait is closed", async () => {
  const { socket, heard } = await opened();
  socket.write(head("GET", operations.getStatus.path).repeat(1_000));
  await vi.waitFor(() => expect(heard.isClosed).toBe(true), { timeout: 30_000 });
  expect((await fetch(adapter.url + operations.getStatus.path)).status).toBe(200);
});

test("a sender that asks first gets leave for a body that is read", async () => {
  const { socket, heard } = await opened();
  const body = bodyOf(1);
  const more = `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`;
  socket.write(head("POST", operations.attachWorkOrder.path, more));
  await vi.waitFor(() => expect(heard.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/), { timeout: 30_000 });
  socket.write(body + attachment(2));
  await vi.waitFor(() => expect(numbersIn(heard.text)).toEqual([1, 2]), { timeout: 30_000 });
  socket.destroy();
});

test.each([
  ["one that is too long", operations.attachWorkOrder.path, "Content-Length: 99999999\r\n", "413"],
  ["one without a key", pushRow("stock").path, "Content-Length: 10\r\n", "401"],
  ["a compressed one", operations.attachWorkOrder.path, "Content-Encoding: gzip\r\nContent-Length: 10\r\n", "415"],
])("it gets none for %s, but the answer, and the connection ends", async (_what, path, more, status) => {
  const { heard, socket } = await opened();
  socket.write(head("POST", path, `Expect: 100-continue\r\n${more}`));
  await vi.waitFor(() => expect(heard.isClosed).toBe(true), { timeout: 30_000 });
  expect(heard.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});
