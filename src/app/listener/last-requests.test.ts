import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startAdapter } from "../../../test/support/adapter/adapter.ts";
import { silentLog } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import { systemTimers } from "../../kit/time/timers.ts";
import { mostConnections } from "../../server/create-listener.ts";
import { takeLastRequests } from "./last-requests.ts";
import { openListener } from "./open-listener.ts";

const request = "GET /Status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

/** A caller that keeps its connection open between two requests. */
async function keptConnection(url: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const ended = new Promise<string>((resolve) => {
    socket.on("error", (error) => resolve(error.message));
    socket.on("close", () => resolve(text));
  });
  await once(socket, "connect");
  socket.write(request);
  await expect.poll(() => text).toContain("200 OK");
  text = "";
  return { send: () => void socket.write(request), ended };
}

/** Sends a second request and stops before the listener can have read it. */
async function stopWithRequestOnItsWay(url: string, stop: () => Promise<void>): Promise<string> {
  const { send, ended } = await keptConnection(url);
  send();
  await stop();
  return await ended;
}

test("a request that reaches a kept connection just before a stop is answered, and the connection ends", async () => {
  const { url, close } = await startAdapter();
  const answer = await stopWithRequestOnItsWay(url, close);
  expect(answer).toContain("200 OK");
  expect(answer.toLowerCase()).toContain("connection: close");
});

test("so is one that reaches the listener of several deployments", async () => {
  const { url, close } = await openListener({
    ...{ host: "127.0.0.1", port: 0, connections: mostConnections },
    ...{ clock: systemClock, timers: systemTimers, log: silentLog },
    handle: (_request, response) => void response.end("fine"),
  });
  const answer = await stopWithRequestOnItsWay(url, () => close(async () => {}));
  expect(answer).toContain("200 OK");
  expect(answer.toLowerCase()).toContain("connection: close");
});

test("so is one that arrives while the process is held up for longer than a stop waits", async () => {
  const server = createServer((_request, response) => void response.end("200 OK"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server of Node has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const { send, ended } = await keptConnection(`http://127.0.0.1:${port}`);
  const holdUp = () => {
    send();
    const until = performance.now() + 300;
    while (performance.now() < until);
  };
  const taken = takeLastRequests(server).then(() => server.close());
  // Between two steps of the wait, after the sockets were read: the timers are due before they are read again.
  setTimeout(() => setImmediate(holdUp), 5);
  await taken;
  expect(await ended).toContain("200 OK");
});
