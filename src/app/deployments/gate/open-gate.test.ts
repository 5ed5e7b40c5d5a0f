import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../kit/log.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { manualTimers } from "../../../kit/time/timers.ts";
import { callerHeaders, notOwnerHeader } from "../../../server/connection/passed-on.ts";
import { fairShares } from "./fair-shares.ts";
import { type Opened, openGate } from "./open-gate.ts";

const unusedMs = 60_000;

/** The gate of a deployment in which nothing waits; its closing takes a second. */
function idleDeployment() {
  const clock = manualClock();
  const timers = manualTimers(clock);
  let openings = 0;
  const opened: Opened = {
    handle: () => {},
    isStandby: () => false,
    isIdle: () => true,
    metrics: () => [],
    close: () => new Promise<void>((resolve) => timers.after(1_000, resolve)),
  };
  const gate = openGate({
    // Of a deployment without requests, only these are read.
    address: { basePath: "/north", timeZone: "UTC" } as never,
    open: async () => {
      openings++;
      return opened;
    },
    onClosed: () => {},
    share: fairShares({ mostAtOnce: 1 }).open(),
    ...{ timers, clock, log: silentLog, newReference: () => "r" },
  });
  const closeIfUnused = async () => {
    const closing = gate.closeIfUnused(unusedMs);
    await timers.pass(1_000);
    return await closing;
  };
  return { gate, timers, closeIfUnused, openings: () => openings };
}

test("a deployment that is only opened is closed again if it was not used before", async () => {
  const { gate, timers, closeIfUnused } = idleDeployment();
  await timers.pass(unusedMs);
  await gate.wake();
  expect(await closeIfUnused()).toBe(true);
});

test("a deployment that is used without a request is as good as one that had a request", async () => {
  const { gate, timers, closeIfUnused } = idleDeployment();
  await timers.pass(unusedMs);
  const { promise, resolve } = Promise.withResolvers<string>();
  const used = gate.use(() => promise);
  await timers.pass(2 * unusedMs);
  expect([gate.state(), await closeIfUnused()]).toEqual(["open", false]);
  resolve("done");
  expect(await used).toBe("done");
  await timers.pass(unusedMs / 2);
  expect(await closeIfUnused()).toBe(false);
  await timers.pass(unusedMs / 2);
  expect(await closeIfUnused()).toBe(true);
});

test("a deployment that is being closed is opened again for a use", async () => {
  const { gate, timers, openings } = idleDeployment();
  await gate.wake();
  await timers.pass(unusedMs);
  const closing = gate.closeIfUnused(unusedMs);
  const used = gate.use(async () => gate.state());
  await timers.pass(1_000);
  expect([await closing, await used, openings()]).toEqual([true, "open", 2]);
});

test.each([
  ["that another process passed on is marked as not done, so that it looks for the next owner", true],
  ["of a caller is answered without a mark", false],
])("a request to a process that stops %s", async (_what, isPassedOn) => {
  const { gate, timers } = idleDeployment();
  const closed = gate.close();
  await timers.pass(1_000);
  await closed;
  const server = createServer(gate.handle).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const headers = isPassedOn ? callerHeaders("s", { address: "", names: null }, { url: "/" }) : {};
  const answer = await fetch(`http://127.0.0.1:${port}/north/inbound/work-orders`, { method: "POST", headers });
  expect([answer.status, answer.headers.has(notOwnerHeader)]).toEqual([503, isPassedOn]);
});
