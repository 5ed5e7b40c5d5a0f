import { EventEmitter } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { exchangedHandler } from "./exchanged-handler.ts";

/** Only the parts that the exchange uses. */
function newRequest(url: string) {
  const response = Object.assign(new EventEmitter(), {
    isDestroyed: false,
    destroy: () => {
      response.isDestroyed = true;
      response.emit("close");
    },
  });
  return { request: { url } as IncomingMessage, response: response as unknown as ServerResponse, end: response };
}

function begin() {
  const log: string[] = [];
  const by =
    (name: string): RequestListener =>
    ({ url }) =>
      void log.push(`${name}: ${url}`);
  const timers = manualTimers(manualClock(0));
  const exchange = exchangedHandler({ timers, answerLate: by("late") });
  const send = (url: string) => {
    const one = newRequest(url);
    exchange.handle(one.request, one.response);
    return one.end;
  };
  return { ...exchange, log, by, timers, send };
}

test("requests that come while there is no handler wait for the next one, in order", () => {
  const { log, by, send, serve } = begin();
  for (const url of ["1", "2"]) send(url);
  serve(by("owner"));
  send("3");
  expect(log).toEqual(["owner: 1", "owner: 2", "owner: 3"]);
});

test("a handler that was replaced before it left takes the next one's requests from nobody", () => {
  const { log, by, send, serve, leave } = begin();
  const former = by("former");
  serve(former);
  serve(by("next"));
  leave(former);
  send("1");
  expect(log).toEqual(["next: 1"]);
});

test("a request waits for a handler only for so long, and is then answered once", async () => {
  const { log, by, send, serve, timers } = begin();
  send("1");
  await timers.pass(10_001);
  serve(by("owner"));
  expect(log).toEqual(["late: 1"]);
});

test("whoever hangs up while waiting is not served", () => {
  const { log, by, send, serve } = begin();
  send("1").emit("close");
  serve(by("owner"));
  expect(log).toEqual([]);
});

test("after the end, nobody waits any more", () => {
  const { send, close } = begin();
  const before = send("1");
  close();
  expect([before.isDestroyed, send("2").isDestroyed]).toEqual([true, true]);
});
