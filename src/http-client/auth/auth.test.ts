import { expect, onTestFinished, test } from "vitest";
import { type ReceivedRequest, receiver } from "../../../test/support/receivers/receiver.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { authorisedClient, httpClient } from "../http-client.ts";
import { defaultTimeouts } from "../network/connection-pool.ts";
import type { SentAuth } from "./auth-kinds.ts";
import { openAuth } from "./open-auth.ts";

const connection = {
  timeouts: defaultTimeouts,
  maxAnswerBytes: 1024 * 1024,
  decodes: true,
  resolve: async () => [{ address: "127.0.0.1", family: 4 }],
};

interface Scripted {
  readonly answer: (
    request: ReceivedRequest,
    position: number,
  ) => { status?: number; body?: object; cookies?: string[] };
}

/** An external system on the loopback address, and a client that authenticates there. */
async function system({ answer }: Scripted, auth: (url: URL) => SentAuth) {
  const { url, requests } = await receiver((response, request, position) => {
    const { status = 200, body = {}, cookies } = answer(request, position);
    response.writeHead(status, {
      "content-type": "application/json",
      ...(cookies === undefined ? {} : { "set-cookie": cookies }),
    });
    response.end(JSON.stringify(body));
  });
  const baseUrl = new URL("/", url);
  const clock = manualClock();
  const bare = httpClient({ ...connection, url: baseUrl });
  const authenticator = openAuth(auth(baseUrl), { clock, client: bare, baseUrl, connection });
  const client = authorisedClient(bare, authenticator);
  onTestFinished(() => client.close());
  const get = (path = "/orders") =>
    client.send({ method: "GET", url: new URL(path, baseUrl), headers: {}, signal: new AbortController().signal });
  return { get, requests, clock, authenticator };
}

const token = (url: URL): SentAuth => ({
  kind: "oauth2",
  tokenUrl: new URL("/token", url).href,
  clientId: "cross:dock",
  clientSecret: "s3cret/väl",
  scope: "orders",
});
const isTokenRequest = ({ path }: ReceivedRequest) => path === "/token";
/** Issues token-1, token-2, … and accepts each of them except the refused ones. */
const handingOut = (seconds: number | undefined, refused: string[] = []) => {
  let count = 0;
  return {
    answer: (request: ReceivedRequest) => {
      if (isTokenRequest(request)) return { body: { access_token: `token-${++count}`, expires_in: seconds } };
      return { status: refused.includes(String(request.headers.authorization)) ? 401 : 200 };
    },
  };
};

test.each<[string, SentAuth, string, string | undefined]>([
  ["basic", { kind: "basic", username: "jürgen", password: "pä:ss" }, "authorization", "Basic asO8cmdlbjpww6Q6c3M="],
  ["bearer", { kind: "bearer", token: "abc" }, "authorization", "Bearer abc"],
  ["bearer with another word", { kind: "bearer", token: "k:s", prefix: "token" }, "authorization", "token k:s"],
  ["API key", { kind: "apiKey", key: "abc" }, "x-api-key", "abc"],
  ["API key in a named header", { kind: "apiKey", key: "abc", header: "DOLAPIKEY" }, "dolapikey", "abc"],
  ["nobody", { kind: "none" }, "authorization", undefined],
])("%s is shown with every request", async (_name, auth, header, expected) => {
  const { get, requests } = await system({ answer: () => ({}) }, () => auth);
  await get();
  expect(requests[0]?.headers[header]).toBe(expected);
});

test("a key in the query leaves the rest of the query as it is written", async () => {
  const { get, requests } = await system({ answer: () => ({}) }, () => ({
    kind: "apiKey",
    key: "a b&c",
    query: "key",
  }));
  await get("/orders?$filter=a%20eq%20'x'");
  await get("/orders");
  expect(requests.map(({ path }) => path)).toEqual([
    "/orders?$filter=a%20eq%20%27x%27&key=a%20b%26c",
    "/orders?key=a%20b%26c",
  ]);
});

test("a token is requested once and used until it is renewed before it expires", async () => {
  const { get, requests, clock, authenticator } = await system(handingOut(1000), token);
  await Promise.all([get(), get(), get()]);
  expect(requests.filter(isTokenRequest)).toHaveLength(1);
  expect(authenticator.expiresAt()).toBe(clock.now() + 1_000_000);
  clock.advance({ seconds: 850 });
  // No request waits for the new token: this one is still sent with the old one.
  expect((await get()).status).toBe(200);
  await expect.poll(() => requests.filter(isTokenRequest).length).toBe(2);
  await expect.poll(() => authenticator.expiresAt()).toBe(clock.now() + 1_000_000);
  await get();
  const shown = requests.filter((request) => !isTokenRequest(request)).map(({ headers }) => headers.authorization);
  expect(shown).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-1", "Bearer token-1", "Bearer token-2"]);
});

test("the token request carries name and secret as the standard writes them", async () => {
  const { get, requests } = await system(handingOut(1000), token);
  await get();
  const request = requests.find(isTokenRequest);
  expect(Buffer.from(request?.headers.authorization?.slice(6) ?? "", "base64").toString()).toBe(
    "cross%3Adock:s3cret%2Fv%C3%A4l",
  );
  expect(request?.body.toString()).toBe("grant_type=client_credentials&scope=orders");
});

test("name and secret go in the body where that is wanted", async () => {
  const inBody = (url: URL): SentAuth => ({
    ...{ kind: "oauth2", tokenUrl: new URL("/token", url).href, clientId: "me" },
    ...{ clientSecret: "sesame", clientAuth: "body" },
  });
  const { get, requests } = await system(handingOut(1000), inBody);
  await get();
  const request = requests.find(isTokenRequest);
  expect([request?.headers.authorization, request?.body.toString()]).toEqual([
    undefined,
    "grant_type=client_credentials&client_id=me&client_secret=sesame",
  ]);
});

test("a refused token is replaced once, and a second refusal is the answer", async () => {
  const { get, requests } = await system(handingOut(undefined, ["Bearer token-1"]), token);
  expect((await get()).status).toBe(200);
  expect(requests.filter(isTokenRequest)).toHaveLength(2);
  const never = await system(handingOut(1000, ["Bearer token-1", "Bearer token-2", "Bearer token-3"]), token);
  expect((await never.get()).status).toBe(401);
  expect(never.requests.filter((request) => !isTokenRequest(request))).toHaveLength(2);
});

test("many requests with a refused token share one new token", async () => {
  const { get, requests } = await system(handingOut(1000, ["Bearer token-1"]), token);
  const answers = await Promise.all(Array.from({ length: 20 }, () => get()));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(requests.filter(isTokenRequest)).toHaveLength(2);
});

test("a refused client is reported with what to check and without the secret", async () => {
  const refusing = {
    answer: () => ({ status: 401, body: { error: "invalid_client", error_description: "no such client" } }),
  };
  const { get } = await system(refusing, token);
  const fault = await get().catch((error: unknown) => error);
  expect(fault).toMatchObject({ kind: "unreachable" });
  expect(String(fault)).toMatch(/invalid_client: no such client; check clientId/);
  expect(String(fault)).not.toContain("s3cret");
});

test("a failed renewal has no effect while the old token is valid", async () => {
  let isDown = false;
  const answer = (request: ReceivedRequest) =>
    isTokenRequest(request)
      ? isDown
        ? { status: 503 }
        : { body: { access_token: "token-1", expires_in: "1000" } }
      : {};
  const { get, requests, clock } = await system({ answer }, token);
  await get();
  isDown = true;
  clock.advance({ seconds: 900 });
  expect((await get()).status).toBe(200);
  await expect.poll(() => requests.filter(isTokenRequest).length).toBe(2);
  expect((await get()).status).toBe(200);
  expect(requests.filter(isTokenRequest)).toHaveLength(2);
  clock.advance({ seconds: 99 });
  await expect(get()).rejects.toMatchObject({ kind: "unreachable" });
});

const body = { CompanyDB: "DB", UserName: "me", Password: "pass-word" };
const login = (): SentAuth => ({ kind: "session", loginPath: "/b1s/v1/Login", body });

test("a session is opened once and shown by its cookies", async () => {
  const answer = ({ path }: ReceivedRequest) =>
    path.endsWith("/Login") ? { cookies: ["B1SESSION=s1; path=/b1s; HttpOnly", "ROUTEID=.node1; path=/"] } : {};
  const { get, requests } = await system({ answer }, login);
  await Promise.all([get(), get()]);
  expect(requests.map(({ headers }) => headers.cookie)).toEqual([
    undefined,
    "B1SESSION=s1; ROUTEID=.node1",
    "B1SESSION=s1; ROUTEID=.node1",
  ]);
  expect(JSON.parse(requests[0]?.body.toString() ?? "")).toEqual(body);
});

test("a session that ended is opened again, and the request goes out a second time", async () => {
  let sessions = 0;
  let ended = "";
  const answer = ({ path, headers }: ReceivedRequest) => {
    if (path.endsWith("/Login")) return { cookies: [`B1SESSION=s${++sessions}`] };
    return { status: headers.cookie === ended ? 401 : 200 };
  };
  const { get, requests } = await system({ answer }, login);
  await get();
  ended = "B1SESSION=s1";
  expect((await get()).status).toBe(200);
  expect(requests.map(({ path }) => path)).toEqual(["/b1s/v1/Login", "/orders", "/orders", "/b1s/v1/Login", "/orders"]);
});

test("the token from a login is sent in the header", async () => {
  const answer = ({ path }: ReceivedRequest) => (path === "/login" ? { body: { data: { token: "t-1" } } } : {});
  const withToken = (): SentAuth => ({
    ...{ kind: "session", loginPath: "/login", body: {} },
    ...{ tokenPath: "data.token", header: "X-Session", prefix: "Session" },
  });
  const { get, requests } = await system({ answer }, withToken);
  await get();
  expect(requests[1]?.headers["x-session"]).toBe("Session t-1");
});

test.each<[string, object, string]>([
  ["is sent as a bearer token", {}, "Bearer t-1"],
  ["has another word before it", { prefix: "token" }, "token t-1"],
  ["is sent alone", { prefix: "" }, "t-1"],
])("the token from a login %s where the configuration names no header", async (_how, more, sent) => {
  const answer = ({ path }: ReceivedRequest) => (path === "/login" ? { body: { token: "t-1" } } : {});
  const withToken = (): SentAuth => ({ kind: "session", loginPath: "/login", body: {}, tokenPath: "token", ...more });
  const { get, requests } = await system({ answer }, withToken);
  await get();
  expect(requests[1]?.headers.authorization).toBe(sent);
});

test.each([
  ["refused", { status: 401 }],
  ["without a cookie", { body: { error: "wrong company" } }],
])("a login that is %s is trouble of the system, and says what to check", async (_name, answered) => {
  const { get } = await system({ answer: () => answered }, login);
  await expect(get()).rejects.toThrow(/login was refused.*check user name and password/);
});

test("a refused login is tried again after a while, also if the clock was set back meanwhile", async () => {
  let isRight = false;
  const answer = (request: ReceivedRequest) =>
    isTokenRequest(request) && !isRight ? { status: 401 } : { body: { access_token: "token-1" } };
  const { get, requests, clock } = await system({ answer }, token);
  await expect(get()).rejects.toThrow();
  isRight = true;
  await expect(get()).rejects.toThrow();
  expect(requests).toHaveLength(1);
  clock.advance({ days: -8 });
  expect(await get()).toMatchObject({ status: 200 });
});
