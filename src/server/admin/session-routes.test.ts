import { expect, test } from "vitest";
import { apiKey } from "../../../test/support/adapter/adapter.ts";
import { adminSetup, setupTarget } from "../../../test/support/adapter/admin-setup.ts";
import { actionNames } from "../../engine/journal-view/entries/act-on-entry.ts";
import type { AccessSettings, Role } from "../auth/admin-access.ts";

type Setup = Awaited<ReturnType<typeof adminSetup>>;
const host = "adapter.example:8080";
const origin = `http://${host}`;
const users = {
  vera: { apiKey: "viewer-key-0123456789", role: "viewer" },
  otto: { apiKey: "operator-key-01234567", role: "operator" },
  anna: { apiKey: "admin-key-0123456789a", role: "admin" },
} as const satisfies AccessSettings["users"];
const settings = { users, idleMinutes: 30, sessionHours: 2 };
const withUsers = () => adminSetup({ settings: () => settings });
const placement = { workOrderNumber: "W-1", itemNumber: "A-1", completedAmount: 2, userEmail: "jo@example.com" };

interface Signed {
  readonly cookie: string;
  readonly csrf: string;
  readonly name: string;
  readonly role: Role;
  readonly setCookie: string;
}

async function signIn(setup: Setup, key: string, more: { name?: string; headers?: Record<string, string> } = {}) {
  const answer = await setup.app.inject({
    method: "POST",
    url: "/admin/session",
    headers: { host, origin, "content-type": "application/json", ...more.headers },
    payload: JSON.stringify({ key, ...(more.name === undefined ? {} : { name: more.name }) }),
  });
  const setCookie = String(answer.headers["set-cookie"] ?? "");
  const { name, role, csrfToken: csrf } = answer.json();
  const signed: Signed = { cookie: setCookie.split(";")[0] ?? "", csrf, name, role, setCookie };
  return { status: answer.statusCode, text: answer.body, ...signed };
}

const call = async (
  setup: Setup,
  method: "GET" | "POST" | "DELETE",
  url: string,
  { cookie, csrf }: Pick<Signed, "cookie" | "csrf">,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
) => {
  const answer = await setup.app.inject({
    ...{ method, url },
    headers: { host, origin, cookie, "x-csrf-token": csrf, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, text: answer.body, headers: answer.headers };
};

test("whoever signs in with the adapter's key is an admin under the name given", async () => {
  const setup = await adminSetup();
  expect((await signIn(setup, apiKey)).status).toBe(400);
  const signed = await signIn(setup, apiKey, { name: " Kim " });
  expect(signed).toMatchObject({ status: 200, name: "Kim", role: "admin" });
  expect((await call(setup, "GET", "/admin/session", signed)).text).toContain('"Kim"');
});

test("a person with a key of their own has the configured name and role, whatever name is given", async () => {
  const setup = await withUsers();
  expect(await signIn(setup, users.otto.apiKey, { name: "Anna" })).toMatchObject({ name: "otto", role: "operator" });
});

test("the cookie is out of reach for scripts and other pages, and secure where TLS is used", async () => {
  const setup = await adminSetup();
  const plain = await signIn(setup, apiKey, { name: "Kim" });
  expect(plain.setCookie).toMatch(/^crossdock_session_\d+=[\w-]{43}; Path=\/admin; HttpOnly; SameSite=Strict$/);
  const tls = await signIn(setup, apiKey, { name: "Kim", headers: { origin: `https://${host}` } });
  expect(tls.setCookie).toMatch(/; Secure$/);
});

test("a key that is too short opens nothing, wherever it came from", async () => {
  const short = { ...settings, users: { eve: { apiKey: "short", role: "admin" } } } as const;
  const setup = await adminSetup({ settings: () => short });
  expect((await signIn(setup, "short", { name: "Eve" })).status).toBe(401);
});

test("a wrong key opens nothing, and many wrong keys have to wait while the right one does not", async () => {
  const setup = await adminSetup();
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) statuses.push((await signIn(setup, `wrong-${n}`, { name: "Kim" })).status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect((await signIn(setup, apiKey, { name: "Kim" })).status).toBe(200);
});

test("signing in ends the session that the browser had, so that a planted cookie gets no rights", async () => {
  const setup = await adminSetup();
  const first = await signIn(setup, apiKey, { name: "Kim" });
  const second = await signIn(setup, apiKey, { name: "Kim", headers: { cookie: first.cookie } });
  expect(second.cookie).not.toBe(first.cookie);
  expect((await call(setup, "GET", "/admin/session", first)).status).toBe(401);
  expect((await call(setup, "GET", "/admin/session", second)).status).toBe(200);
  const planted = `${first.cookie.split("=")[0]}=planted`;
  const third = await signIn(setup, apiKey, { name: "Kim", headers: { cookie: planted } });
  expect(third.cookie).not.toBe(planted);
  const both = { cookie: `${planted}; ${third.cookie}`, csrf: third.csrf };
  expect((await call(setup, "GET", "/admin/session", both)).status).toBe(401);
});

test("signing out ends the session at once, also for another tab", async () => {
  const setup = await adminSetup();
  const signed = await signIn(setup, apiKey, { name: "Kim" });
  const out = await call(setup, "DELETE", "/admin/session", signed);
  expect(out.status).toBe(204);
  expect(String(out.headers["set-cookie"])).toContain("Max-Age=0");
  expect((await call(setup, "GET", "/admin/targets", signed)).status).toBe(401);
});

test("an unused session ends, a used one goes on, and every session ends at last", async () => {
  const setup = await withUsers();
  const idle = await signIn(setup, users.vera.apiKey);
  setup.clock.advance({ minutes: 31 });
  expect((await call(setup, "GET", "/admin/targets", idle)).status).toBe(401);
  const used = await signIn(setup, users.vera.apiKey);
  const statuses: number[] = [];
  for (let minutes = 0; minutes < 125; minutes += 25) {
    statuses.push((await call(setup, "GET", "/admin/targets", used)).status);
    setup.clock.advance({ minutes: 25 });
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect((await call(setup, "GET", "/admin/targets", used)).status).toBe(401);
});

test("a session ends when its key is replaced or removed, and follows a changed role", async () => {
  let now: AccessSettings = settings;
  const setup = await adminSetup({ settings: () => now });
  const signed = await signIn(setup, users.otto.apiKey);
  now = { ...settings, users: { otto: { ...users.otto, role: "viewer" } } };
  expect((await call(setup, "GET", "/admin/session", signed)).text).toContain('"viewer"');
  now = { ...settings, users: { otto: { apiKey: "another-key-0123456789", role: "operator" } } };
  expect((await call(setup, "GET", "/admin/session", signed)).status).toBe(401);
});

const changing: readonly (readonly [method: "POST" | "DELETE", path: string])[] = [
  ...actionNames.map((action) => ["POST", `/admin/journal/1/${action}`] as const),
  ["POST", "/admin/journal/bulk"],
  ["POST", `/admin/targets/${setupTarget}/pause`],
  ["POST", `/admin/targets/${setupTarget}/resume`],
  ["DELETE", "/admin/session"],
];
const decision = {
  ...{ operator: "x", reason: "x", action: "retry", dryRun: false, filter: { order: "W-1" } },
  body: { ...placement, completedAmount: 1 },
};

test("no request that another page can cause has an effect, on any changing route", async () => {
  const setup = await adminSetup();
  const seq = await setup.event("confirmPutWallPlacement", placement);
  await setup.attempt(seq, { state: "dead", reason: "refused" });
  const signed = await signIn(setup, apiKey, { name: "Kim" });
  const forged: readonly Record<string, string>[] = [
    { origin: "https://evil.example", "x-csrf-token": signed.csrf },
    { origin: `http://${host}.evil.example`, "x-csrf-token": signed.csrf },
    { origin: "http://adapter.example", "x-csrf-token": signed.csrf },
    { origin: "http://adapter.example:8081", "x-csrf-token": signed.csrf },
    { origin: "null", "x-csrf-token": signed.csrf },
    { origin: "", "x-csrf-token": signed.csrf },
    { "sec-fetch-site": "cross-site", "x-csrf-token": signed.csrf },
    { "sec-fetch-site": "same-site", "x-csrf-token": signed.csrf },
    { "sec-fetch-site": "none", "x-csrf-token": signed.csrf },
    { "x-csrf-token": "" },
    { "x-csrf-token": "guess" },
    { "x-csrf-token": `${signed.csrf}x` },
  ];
  for (const [method, path] of changing) {
    for (const headers of forged) {
      const { status } = await call(setup, method, path, signed, { body: decision, headers });
      expect({ path, headers, status }).toEqual({ path, headers, status: 403 });
    }
  }
  for (const headers of forged.slice(0, 9)) {
    const { status, setCookie } = await signIn(setup, apiKey, { name: "Kim", headers });
    expect({ headers, status, setCookie }).toEqual({ headers, status: 403, setCookie: "" });
  }
  expect(setup.journal.read.entry(seq)?.state).toBe("dead");
  expect(setup.journal.read.audit(seq)).toEqual([]);
  expect(setup.paused.size).toBe(0);
  expect((await call(setup, "GET", "/admin/session", signed)).status).toBe(200);
});

const reading = ["/admin/journal", "/admin/journal/1", "/admin/journal/export", "/admin/orders/W-1/timeline"];

test.each(["vera", "otto", "anna"] as const)("%s can do what the role allows, by session and by key", async (who) => {
  const setup = await withUsers();
  const seq = await setup.event("confirmPutWallPlacement", placement);
  await setup.attempt(seq, { state: "dead", reason: "refused" });
  const signed = await signIn(setup, users[who].apiKey);
  const byKey = { cookie: "", csrf: "" };
  const key = { "x-api-key": users[who].apiKey };
  for (const path of reading) {
    expect({ path, status: (await call(setup, "GET", path, signed)).status }).toEqual({ path, status: 200 });
    expect((await call(setup, "GET", path, byKey, { headers: key })).status).toBe(200);
  }
  for (const [method, path] of changing.filter(([, one]) => !one.endsWith("/session"))) {
    const bySession = await call(setup, method, path, signed, { body: decision });
    const withKey = await call(setup, method, path, byKey, { body: decision, headers: key });
    expect({ path, isForbidden: bySession.status === 403 }).toEqual({ path, isForbidden: who === "vera" });
    expect({ path, isForbidden: withKey.status === 403 }).toEqual({ path, isForbidden: who === "vera" });
  }
  expect(setup.journal.read.entry(seq)?.state === "dead").toBe(who === "vera");
});

test("the audit has the name of the session, whatever name the request gives", async () => {
  const setup = await withUsers();
  const seq = await setup.event("confirmPutWallPlacement", placement);
  await setup.attempt(seq, { state: "dead", reason: "refused" });
  const signed = await signIn(setup, users.otto.apiKey);
  await call(setup, "POST", `/admin/journal/${seq}/retry`, signed, { body: { operator: "somebody else" } });
  expect(setup.journal.read.audit(seq)).toMatchObject([{ operator: "otto", action: "retry" }]);
});

test("a viewer never sees who worked, an operator may", async () => {
  const setup = await withUsers();
  await setup.event("confirmPutWallPlacement", placement);
  for (const path of reading.map((one) => `${one}?show=personal`)) {
    const seenBy = async (who: keyof typeof users) =>
      (await call(setup, "GET", path, await signIn(setup, users[who].apiKey))).text.includes("jo@example.com");
    expect({ path, viewer: await seenBy("vera"), operator: await seenBy("otto") }).toEqual({
      ...{ path, viewer: false, operator: true },
    });
  }
});

test("a page that loads by itself while nobody is there does not keep the session open", async () => {
  const setup = await withUsers();
  const signed = await signIn(setup, users.anna.apiKey);
  const load = async (headers: Record<string, string>) =>
    (await call(setup, "GET", "/admin/targets", signed, { headers })).status;
  setup.clock.advance({ minutes: 20 });
  expect(await load({})).toBe(200);
  setup.clock.advance({ minutes: 20 });
  // The control: the load before it has prolonged the session.
  expect(await load({ "x-unattended": "true" })).toBe(200);
  setup.clock.advance({ minutes: 20 });
  expect(await load({ "x-unattended": "true" })).toBe(401);
});
