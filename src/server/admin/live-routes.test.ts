import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { type AdminGate, adminGate } from "./admin-gate.ts";
import { liveRoutes } from "./live-routes.ts";

test("an open console hears of every change of the overview: a target, an alarm, the quarantine", async () => {
  const app = fastify();
  onTestFinished(async () => {
    await app.close();
  });
  const timers = manualTimers(manualClock(0));
  const shown = { waiting: 0, quarantine: 0 };
  const current = {};
  liveRoutes(app, {
    ...{ basePath: "", newReference: () => "1", timers, current: () => current },
    gate: openGate,
    overview: { targets: () => ({ targets: [], entries: { ...none, accepted: shown.waiting } }) },
    alsoShown: () => shown.quarantine,
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  // The address of a server on a port has this type.
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/admin/live`);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const heard = async () => (await reader?.read())?.value ?? "";
  expect(await heard()).toContain("event: changed");
  await timers.pass(1_000);
  await heard();
  shown.waiting = 3;
  await timers.pass(1_000);
  expect(await heard()).toContain('"accepted":3');
  shown.quarantine = 40;
  await timers.pass(1_000);
  expect(await heard()).toContain("event: changed");
  await timers.pass(1_000);
  await timers.pass(20_000);
  expect(await heard()).toBe(": still here\n\n");
});

const minuteMs = 60_000;

test("a viewer's screen on the wall stays signed in until the session ends; nobody else's stream prolongs a session", async () => {
  const app = fastify();
  onTestFinished(async () => {
    await app.close();
  });
  const clock = manualClock();
  const timers = manualTimers(clock);
  const users = {
    vera: { apiKey: "viewer-key-0123456789", role: "viewer" },
    otto: { apiKey: "operator-key-01234567", role: "operator" },
  } as const;
  const settings = () => ({ users, idleMinutes: 1, sessionHours: 0.2 });
  const gate = adminGate({ apiKey: "k", newReference: () => "1", clock, settings });
  const current = {};
  liveRoutes(app, {
    ...{ basePath: "", newReference: () => "1", timers, current: () => current, gate, alsoShown: () => 0 },
    overview: { targets: () => ({ targets: [], entries: none }) },
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  // The address of a server on a port has this type.
  const { port } = app.server.address() as AddressInfo;
  const watch = async (key: string, view: string) => {
    const holder = gate.keys.holderOf(key);
    if (holder === null) throw new Error("the key is not known");
    const { token } = gate.sessions.open(holder, "somebody");
    const headers = { cookie: `crossdock_session_${port}=${token}`, accept: "text/event-stream" };
    const answer = await fetch(`http://127.0.0.1:${port}/admin/live${view}`, { headers });
    expect(answer.status).toBe(200);
    // An answer that nothing refers to is closed by the client.
    return { answer, isSignedIn: () => gate.sessions.find(token) !== null };
  };
  const watchers = {
    viewerOnWall: await watch(users.vera.apiKey, "?view=wall"),
    viewerElsewhere: await watch(users.vera.apiKey, ""),
    operatorOnWall: await watch(users.otto.apiKey, "?view=wall"),
  };
  const now = () => Object.entries(watchers).flatMap(([name, { isSignedIn }]) => (isSignedIn() ? [name] : []));
  await timers.pass(minuteMs);
  expect(now()).toEqual(["viewerOnWall"]);
  await timers.pass(10 * minuteMs);
  expect(now()).toEqual(["viewerOnWall"]);
  await timers.pass(minuteMs);
  expect(now()).toEqual([]);
});

const none = { accepted: 0, inflight: 0, retry: 0, delivered: 0, rejected: 0, dead: 0, discarded: 0 };
const anybody = { name: "kim", role: "viewer", session: null };
// Only what an open stream asks for.
const openGate = {
  routeCheck: () => async () => {},
  principalOf: () => anybody,
  sessions: { find: () => null },
} as unknown as AdminGate;
