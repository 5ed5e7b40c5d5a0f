import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminRoute, adminRouteNames, adminRow } from "../../src/contract/admin/admin-rows.ts";
import { mayAct, roles } from "../../src/server/auth/admin-access.ts";
import { adminStage, keys, person, type SignedIn } from "./admin-stage.ts";

/** Everything here follows from the table of admin routes: a new route is tested as soon as it stands there. */
let stage: Awaited<ReturnType<typeof adminStage>>;
beforeAll(async () => {
  stage = await adminStage();
});
afterAll(async () => stage.close());

const methodOf = (route: AdminRoute) => route.split(" ")[0] ?? "";
const json = { "content-type": "application/json" };
const guarded = adminRouteNames.filter((route) => adminRow(route).role !== undefined);
const changing = guarded.filter((route) => methodOf(route) !== "GET");
const asked = (route: AdminRoute, headers: Readonly<Record<string, string>>) => ({
  ...{ method: methodOf(route), path: stage.pathOf(route) },
  headers: { ...(methodOf(route) === "GET" ? {} : json), ...headers },
  ...(methodOf(route) === "GET" ? {} : { body: stage.bodyFor(route) }),
});
const isRefused = (status: number) => [401, 403, 405, 415, 421].includes(status) || status >= 500;
/** They take a body, and change nothing. */
const looking: readonly AdminRoute[] = [
  ...(["POST /admin/journal/:entry/check", "POST /admin/files/preview"] as const),
  ...(["POST /admin/config/propose", "POST /admin/config/try", "POST /admin/config/check"] as const),
];
const bySession = ({ cookie, csrf }: SignedIn) => ({ origin: stage.origin, cookie, "x-csrf-token": csrf });

test("every admin route of the server stands in the table, so that none is left out here", () => {
  const offered = stage.registered.filter((route) => /^(?!HEAD)\S+ \/admin\b/.test(route));
  expect(offered.toSorted()).toEqual(adminRouteNames.toSorted());
});

describe("every route for every role", () => {
  test.each(guarded)("%s is refused to nobody in particular and to lower roles, without any effect", async (route) => {
    const needed = adminRow(route).role ?? "admin";
    const before = await stage.state();
    expect((await stage.send(asked(route, {}))).status).toBe(401);
    expect((await stage.send(asked(route, { "x-api-key": "a-wrong-key-0123456" }))).status).toSatisfy(
      (status: number) => status === 401 || status === 429,
    );
    for (const role of roles.filter((one) => !mayAct(one, needed))) {
      const byKey = await stage.send(asked(route, { "x-api-key": keys[role] }));
      const signed = await stage.send(asked(route, bySession(await stage.signIn(role))));
      expect({ role, byKey: byKey.status, signed: signed.status }).toEqual({ role, byKey: 403, signed: 403 });
    }
    expect(await stage.state()).toEqual(before);
  });

  test.each(guarded.filter((route) => methodOf(route) === "GET"))(
    "%s answers the roles that may read it",
    async (route) => {
      const needed = adminRow(route).role ?? "admin";
      for (const role of roles.filter((one) => mayAct(one, needed))) {
        const byKey = await stage.send(asked(route, { "x-api-key": keys[role] }));
        const signed = await stage.send(asked(route, bySession(await stage.signIn(role))));
        // There may be nothing to show, such as the report of a run that never was.
        for (const { status } of [byKey, signed]) expect([200, 404]).toContain(status);
      }
    },
  );
});

describe("who worked", () => {
  /** As it stands in an address as well. */
  const found = (text: string) => [person, encodeURIComponent(person)].some((one) => text.includes(one));
  const readable = guarded.filter((route) => methodOf(route) === "GET");
  const read = async (route: AdminRoute, role: keyof typeof keys) => {
    const path = stage.pathOf(route);
    const ask = (to: string) => stage.send({ path: to, headers: { "x-api-key": keys[role] } });
    const plain = await ask(path);
    const asked = await ask(`${path}${path.includes("?") ? "&" : "?"}show=personal`);
    return { status: plain.status, text: plain.text + asked.text };
  };

  test.each(readable)("%s shows no viewer who it was, whatever was sent, answered or kept", async (route) => {
    const { status, text } = await read(route, "viewer");
    expect({ route, status, isFound: found(text) }).toEqual({
      ...{ route, status: mayAct("viewer", adminRow(route).role ?? "admin") ? status : 403, isFound: false },
    });
  });

  test("an operator sees it where the delivery failed and where the record is kept", async () => {
    const shown = await Promise.all(
      readable.map(async (route) => (found((await read(route, "operator")).text) ? [route] : [])),
    );
    expect(shown.flat()).toEqual(
      expect.arrayContaining([
        ...["GET /admin/journal", "GET /admin/journal/:entry", "GET /admin/journal/export"],
        ...["GET /admin/orders/:number/timeline", "GET /admin/quarantine/:id"],
      ]),
    );
  });
});

describe("forged requests", () => {
  /** What another page, a planted cookie or an old session can send. Null: leave the header out. */
  const forgeries = async (signed: SignedIn) => {
    const right = bySession(signed);
    const other = await stage.signIn("admin");
    const ended = await stage.signIn("admin");
    await stage.send({ method: "DELETE", path: "/admin/session", headers: bySession(ended) });
    const expired = await stage.expiredSession("admin");
    const name = signed.cookie.split("=")[0];
    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(right).filter(([one]) => !names.includes(one)));
    return [
      ["no token", without("x-csrf-token")],
      ["an empty token", { ...right, "x-csrf-token": "" }],
      ["a wrong token", { ...right, "x-csrf-token": `${signed.csrf}x` }],
      ["the token of another session", { ...right, "x-csrf-token": other.csrf }],
      ["the cookie in place of the token", { ...right, "x-csrf-token": signed.cookie.split("=")[1] ?? "" }],
      ["no origin", without("origin")],
      ["another origin", { ...right, origin: "https://evil.example" }],
      ["the origin of another port", { ...right, origin: `${stage.origin}1` }],
      ["an origin that only begins like ours", { ...right, origin: `${stage.origin}.evil.example` }],
      ["an opaque origin", { ...right, origin: "null" }],
      ["a browser that says cross-site", { ...right, "sec-fetch-site": "cross-site" }],
      ["a form: text/plain, no token", { ...without("x-csrf-token"), "content-type": "text/plain" }],
      ["a form: fields, no token", { ...without("x-csrf-token"), "content-type": "application/x-www-form-urlencoded" }],
      ["a form: parts, no token", { ...without("x-csrf-token"), "content-type": "multipart/form-data; boundary=x" }],
      ["another host", { ...right, host: "evil.example", origin: "http://evil.example" }],
      ["another host with our origin", { ...right, host: "evil.example" }],
      ["the cookie of another person with this token", { ...right, cookie: (await stage.signIn("viewer")).cookie }],
      ["two cookies of the same name", { ...right, cookie: `${name}=planted; ${signed.cookie}` }],
      ["a session that was signed out", bySession(ended)],
      ["a session that has expired", bySession(expired)],
      ["no cookie", without("cookie")],
    ] as const;
  };

  test.each(changing)("%s has no effect when it is forged", async (route) => {
    const signed = await stage.signIn("admin");
    const all = await forgeries(signed);
    expect(all.length).toBeGreaterThanOrEqual(12);
    await stage.prepare(route);
    const before = await stage.state();
    for (const [forgery, headers] of all) {
      const { status } = await stage.send(asked(route, headers));
      expect({ forgery, status }).toEqual({ forgery, status: expect.toBeOneOf([401, 403, 415, 421]) });
    }
    // A link or a picture of another page: the cookie would be sent with it if it were not strict.
    const { body: _, ...link } = asked(route, bySession(signed));
    const overrides = ["x-http-method-override", "x-http-method", "x-method-override"];
    const overriding = {
      ...{ path: `${link.path}${link.path.includes("?") ? "&" : "?"}_method=${methodOf(route)}` },
      headers: { ...link.headers, ...Object.fromEntries(overrides.map((name) => [name, methodOf(route)])) },
    };
    for (const method of ["GET", "HEAD", "PUT", "PATCH", "OPTIONS"]) {
      await stage.send({ ...link, method });
      await stage.send({ ...link, ...overriding, method });
    }
    const inAddress = {
      ...link,
      path: `${link.path}${link.path.includes("?") ? "&" : "?"}x-csrf-token=${signed.csrf}`,
    };
    const { "x-csrf-token": _token, ...noToken } = bySession(signed);
    expect((await stage.send({ ...inAddress, headers: { ...json, ...noToken } })).status).toBe(403);
    expect(await stage.state()).toEqual(before);
    expect((await stage.send({ path: "/admin/session", headers: bySession(signed) })).status).toBe(200);
  });

  test("signing in is refused to other pages, so that nobody works under the name of somebody else", async () => {
    const { origin } = stage;
    const right: Record<string, string> = { origin, ...json };
    const body = JSON.stringify({ key: keys.admin });
    const foreign: readonly Record<string, string>[] = [
      { ...right, origin: "https://evil.example" },
      { ...right, origin: "null" },
      json,
      { ...right, "sec-fetch-site": "same-site" },
      { ...right, "content-type": "text/plain" },
      { ...right, host: "evil.example", origin: "http://evil.example" },
    ];
    for (const headers of foreign) {
      const answer = await stage.send({ method: "POST", path: "/admin/session", headers, body });
      expect(answer.headers["set-cookie"]).toBeUndefined();
      expect([403, 415, 421]).toContain(answer.status);
    }
  });

  // Last: here each request has its effect, which shows that the requests above could have had one.
  test("the same requests, not forged, have their effect", async () => {
    const signedOut = "DELETE /admin/session";
    // What sends a dead delivery again comes before what takes it away.
    const last = ["POST /admin/journal/:entry/skip", "POST /admin/journal/:entry/replay", "POST /admin/journal/bulk"];
    const inTurn = changing
      .filter((one) => one !== signedOut)
      .toSorted((one, other) => last.indexOf(one) - last.indexOf(other));
    const refused: unknown[] = [];
    const withoutEffect: string[] = [];
    for (const route of inTurn) {
      if (!last.includes(route)) await stage.settled();
      await stage.prepare(route);
      const before = await stage.state();
      const { status, text } = await stage.send(asked(route, bySession(await stage.signIn("admin"))));
      if (isRefused(status)) refused.push({ route, status, text });
      if (isDeepStrictEqual(await stage.state(), before)) withoutEffect.push(route);
      const run = (await stage.state()).floor.run;
      if (route === "POST /admin/floor/stop") expect(run).toMatchObject({ state: "stopped" });
      for (const kind of ["simulate", "conform"]) {
        if (route === `POST /admin/floor/${kind}`) expect(run).toMatchObject({ kind, state: "running" });
      }
      await stage.quiet();
      if (route === "POST /admin/config/apply") expect((await stage.state()).file).toContain("Europe/Berlin");
      if (route === "POST /admin/config/back") expect((await stage.state()).file).not.toContain("Europe/Berlin");
    }
    expect(refused).toEqual([]);
    expect(withoutEffect.toSorted()).toEqual(looking.toSorted());
    const { audit, secrets, alarms } = await stage.state();
    expect(new Set(audit.actions.map((one: { action: string }) => one.action))).toEqual(
      new Set([
        ...["config", "config-back", "conform", "secret", "simulate", "stop"],
        ...["alarm-test", "bundle", "drop", "log-level", "log-order", "pause", "resume", "retry"],
      ]),
    );
    expect([secrets, alarms]).toEqual([["stolen"], 1]);
  });

  test.each(changing)("%s lets every role through that may do it", async (route) => {
    for (const role of roles.filter((one) => mayAct(one, adminRow(route).role ?? "admin"))) {
      await stage.state();
      const signed = await stage.send(asked(route, bySession(await stage.signIn(role))));
      const byKey = await stage.send(asked(route, { "x-api-key": keys[role] }));
      expect({ role, signed: signed.status, byKey: byKey.status }).toSatisfy(
        () => !isRefused(signed.status) && !isRefused(byKey.status),
      );
    }
  });
});

test("a planted cookie never becomes a session, and a new sign-in ends the one before", async () => {
  const first = await stage.signIn("admin");
  const name = first.cookie.split("=")[0];
  const second = await stage.signIn("admin", { cookie: `${name}=planted-by-somebody` });
  expect(second.cookie).not.toContain("planted");
  const third = await stage.signIn("admin", { cookie: second.cookie });
  const look = ({ cookie }: SignedIn) => stage.send({ path: "/admin/session", headers: { cookie } });
  expect([(await look(first)).status, (await look(second)).status, (await look(third)).status]).toEqual([
    200, 401, 200,
  ]);
});

test("two tabs share a session, its token and its end", async () => {
  const one = await stage.signIn("operator");
  const look = () => stage.send({ path: "/admin/session", headers: { cookie: one.cookie } });
  expect(JSON.parse((await look()).text).csrfToken).toBe(one.csrf);
  await stage.send({ method: "DELETE", path: "/admin/session", headers: bySession(one) });
  expect((await look()).status).toBe(401);
});

test("a route that is called with another method says which ones it takes", async () => {
  const answer = await stage.send({ method: "PUT", path: "/admin/session" });
  expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD, POST, DELETE"]);
});
