import { expect, test } from "vitest";
import { backlog, limitsWithQueue, mostConnections } from "./create-listener.ts";

test("at a socket with a queue, the whole queue is above the limits until ten seconds after its first connection", () => {
  let now = 60_000;
  const { more = () => 0 } = limitsWithQueue(mostConnections, { socketFd: 3, passed: () => now });
  now += 60_000;
  expect(more()).toBe(backlog);
  now += 9_999;
  expect(more()).toBe(backlog);
  now += 1;
  expect(more()).toBe(0);
});

test("without a socket of the service manager the limits count from the start", () => {
  expect(limitsWithQueue(mostConnections, { passed: () => 0 })).toEqual(mostConnections);
});
