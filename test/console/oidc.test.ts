import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startAdapter } from "../support/adapter/adapter.ts";
import { oidcConfig, oidcProvider, oidcRoles } from "../support/receivers/oidc-provider.ts";

let provider: Awaited<ReturnType<typeof oidcProvider>>;
let adapter: Awaited<ReturnType<typeof startAdapter>>;
let close = async () => {};
const configFor = (more: object = {}) => oidcConfig(provider, more);
beforeAll(async () => {
  provider = await oidcProvider();
  adapter = await startAdapter({
    config: configFor(),
    onFinished: (end) => {
      close = end;
    },
  });
});
beforeEach(() => {
  provider.spoil = {};
  provider.more = {};
  provider.person = { sub: "17", preferred_username: "kim", groups: ["leads"] };
});
afterAll(async () => {
  await close();
  await provider.close();
});

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
const go = (url: string, cookies: readonly string[] = []) =>
  fetch(url, { redirect: "manual", headers: cookies.length === 0 ? {} : { cookie: cookies.join("; ") } });
const locationOf = (answer: Response) => answer.headers.get("location") ?? "";

/** Goes to the provider and back as a browser does, as far as it gets. */
async function signIn(to = "") {
  const begun = await go(`${adapter.url}/admin/oidc/sign-in${to === "" ? "" : `?to=${encodeURIComponent(to)}`}`);
  const atProvider = await go(locationOf(begun));
  const back = locationOf(atProvider);
  const answer = await go(back, cookiesOf(begun));
  const session = cookiesOf(answer).find((one) => one.startsWith("crossdock_session")) ?? "";
  return { begun, back, answer, session, leadsTo: locationOf(answer), begin: cookiesOf(begun) };
}
const who = async (session: string) => {
  const answer = await fetch(`${adapter.url}/admin/session`, { headers: { cookie: session } });
  return answer.status === 200 ? await answer.json() : answer.status;
};

test("a person whom the provider knows is signed in with a name and a role, and returns to the same place", async () => {
  const { begun, answer, session, leadsTo } = await signIn("orders/4711?lane=erp");
  const [authorization] = provider.authorizations.slice(-1);
  expect(Object.fromEntries(authorization ?? [])).toMatchObject({
    ...{ response_type: "code", code_challenge_method: "S256", client_id: "crossdock", scope: "openid profile email" },
  });
  expect(begun.headers.getSetCookie()[0]).toMatch(/; Path=\/admin\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
  expect(leadsTo).toBe(`${adapter.url}/console/orders/4711?lane=erp`);
  expect(answer.headers.getSetCookie()[1]).toMatch(/; Path=\/admin; HttpOnly; SameSite=Strict$/);
  expect(await who(session)).toMatchObject({ name: "kim", role: "operator", csrfToken: expect.any(String) });
});

test("groups may come from the user info, and nobody without a role gets in", async () => {
  provider.person = { sub: "18", email: "ann@example.com" };
  provider.more = { groups: ["it"] };
  expect(await who((await signIn()).session)).toMatchObject({ name: "ann@example.com", role: "admin" });
  provider.more = { groups: ["visitors"] };
  const refused = await signIn();
  expect([refused.leadsTo, refused.session]).toEqual([`${adapter.url}/console?sign-in=forbidden`, ""]);
});

const hour = 3_600;
test.each([
  ["a token for somebody else", () => ({ claims: { aud: "another-client" } })],
  ["a token of another issuer", () => ({ claims: { iss: "https://evil.example" } })],
  ["a token for another sign-in", () => ({ claims: { nonce: "another" } })],
  ["a token that has expired", () => ({ claims: { exp: Math.floor(Date.now() / 1000) - hour } })],
  ["a token that a stranger signed", () => ({ isStranger: true })],
  ["the state of another sign-in", () => ({ state: "another" })],
] as const)("%s signs nobody in", async (_name, spoil) => {
  provider.spoil = spoil();
  const { leadsTo, session } = await signIn();
  expect([leadsTo, session]).toEqual([`${adapter.url}/console?sign-in=failed`, ""]);
});

test("an answer of the provider works once, only in the browser that began, and with one cookie", async () => {
  const { back, begin } = await signIn();
  expect((await go(back, begin)).status).toBe(403);
  const begun = await go(`${adapter.url}/admin/oidc/sign-in`);
  const fresh = locationOf(await go(locationOf(begun)));
  const [own = ""] = cookiesOf(begun);
  const other = cookiesOf(await go(`${adapter.url}/admin/oidc/sign-in`));
  expect((await go(fresh)).status).toBe(403);
  expect((await go(fresh, [`${own.split("=")[0]}=planted`, own])).status).toBe(403);
  expect(locationOf(await go(fresh, other))).toBe(`${adapter.url}/console?sign-in=failed`);
  expect(cookiesOf(await go(fresh, [own])).some((one) => one.startsWith("crossdock_session"))).toBe(true);
});

test.each([
  "https://evil.example/x",
  "//evil.example",
  "/../admin/session",
  "\\\\evil.example",
  "../../x",
  "javascript:alert(1)",
])("the way back never leads elsewhere: %s", async (to) => {
  expect((await signIn(to)).leadsTo).toBe(`${adapter.url}/console`);
});

test("a provider that is down is said to be, and is asked again at the next sign-in", async () => {
  provider.spoil = { isDown: true };
  await adapter.reload(configFor({ nameClaim: "sub" }));
  const begun = await go(`${adapter.url}/admin/oidc/sign-in`);
  expect(locationOf(begun)).toBe(`${adapter.url}/console?sign-in=failed`);
  provider.spoil = {};
  expect(await who((await signIn()).session)).toMatchObject({ name: "17" });
});

test("a session ends when the provider or its roles are configured differently", async () => {
  await adapter.reload(configFor());
  const { session } = await signIn();
  await adapter.reload(configFor());
  expect(await who(session)).toMatchObject({ name: "kim" });
  await adapter.reload(configFor({ roles: { ...oidcRoles, operator: [] } }));
  expect(await who(session)).toBe(401);
  await adapter.reload({});
  expect((await go(`${adapter.url}/admin/oidc/sign-in`)).status).toBe(403);
});

test("behind a proxy the public address is used, and cookies are for TLS only", async () => {
  await adapter.reload(configFor({ publicUrl: "https://adapter.example/wms/" }));
  const begun = await go(`${adapter.url}/admin/oidc/sign-in`);
  expect(new URL(locationOf(begun)).searchParams.get("redirect_uri")).toBe(
    "https://adapter.example/wms/admin/oidc/callback",
  );
  expect(begun.headers.getSetCookie()[0]).toContain("; Secure");
});
