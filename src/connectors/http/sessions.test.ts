import { expect, test } from "vitest";
import { deliveryContext } from "../../../test/support/connectors/delivery.ts";
import { answered, type ErpAnswer, type ErpRequest, httpErp } from "../../../test/support/receivers/http-erp.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { ok } from "../../operation/outcome.ts";
import type { OpenConnector } from "../../sdk/connector.ts";
import type { HttpOptions } from "./options/options.ts";

const attachment = { workOrderNumber: "4711", containerCode: "C-9" };
const attach = async (connector: OpenConnector) =>
  connector.operations.attachWorkOrder?.(attachment, deliveryContext({ topic: "attachWorkOrder" }));

/** A system with one address: a login returns user and token, and an ended session is an error with status 200. */
const rpc: Partial<HttpOptions> = {
  variables: { user: "admin", password: "kX9vTq2w{Pz}" },
  auth: {
    kind: "session",
    loginPath: "/erp/",
    body: { id: 1, method: "common.db.login", params: ["{user}", { password: "{password}" }, "en"] },
    loginFailedWhen: [{ path: "error" }],
    headers: {
      Authorization: '= "Session " & $base64encode($variables.user & ":" & $string(result[0]) & ":" & result[1])',
    },
    lifetimeSeconds: "= result[2]",
  },
  success: { absent: "error" },
  loginExpiredWhen: [{ path: "error[0]", equals: "SessionExpired" }],
  operations: { attachWorkOrder: { path: "/erp/", body: { method: "attach", params: ["{containerCode}"] } } },
};

const methodOf = ({ json }: ErpRequest): unknown => (json as { method?: unknown } | undefined)?.method;
const isLogin = (request: ErpRequest) => methodOf(request) === "common.db.login";
const sessionOf = ({ headers }: ErpRequest) =>
  Buffer.from(String(headers.authorization ?? "").slice("Session ".length), "base64").toString();

/** Opens sessions t1, t2, …; those before `firstValid` have ended. */
function rpcServer({ lifetimeSeconds = 1000, firstValid = (): number => 0 } = {}): ErpAnswer {
  let sessions = 0;
  return (request) => {
    if (isLogin(request)) return { result: [7, `t${++sessions}`, lifetimeSeconds] };
    const number = Number(/t(\d+)$/.exec(sessionOf(request))?.[1] ?? 0);
    return number < firstValid() ? { error: ["SessionExpired", []] } : { result: null };
  };
}

test("the header of a session is an expression over the login's answer", async () => {
  const { connector, requests } = await httpErp(rpc, rpcServer());
  expect(await attach(connector)).toEqual(ok(null));
  expect(requests[0]?.json).toMatchObject({ params: ["admin", { password: "kX9vTq2w{Pz}" }, "en"] });
  expect(requests.slice(1).map(sessionOf)).toEqual(["admin:7:t1"]);
});

test("an answer with status 200 that says the login has expired leads to one login for all waiting calls", async () => {
  let firstValid = 0;
  const { connector, requests } = await httpErp(rpc, rpcServer({ firstValid: () => firstValid }));
  await attach(connector);
  firstValid = 2;
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => attach(connector)));
  expect(outcomes).toEqual(outcomes.map(() => ok(null)));
  expect(requests.filter(isLogin)).toHaveLength(2);
});

test("a login that expires again at once is trouble of the system, not of the event", async () => {
  const { connector, requests, faultOf } = await httpErp(rpc, rpcServer({ firstValid: () => 99 }));
  const fault = await faultOf(Promise.resolve(attach(connector)));
  expect(fault).toMatchObject({ kind: "unreachable", message: expect.stringMatching(/login has expired/) });
  expect(requests.filter((request) => !isLogin(request))).toHaveLength(2);
});

test("a session is opened again before it ends", async () => {
  const clock = manualClock();
  const { connector, requests } = await httpErp(rpc, rpcServer(), { clock });
  await attach(connector);
  clock.advance({ seconds: 900 });
  await attach(connector);
  await expect.poll(() => requests.filter(isLogin).length).toBe(2);
  // The new session is used when its answer has arrived.
  const nextSession = async () => {
    await attach(connector);
    return requests.slice(-1).map(sessionOf);
  };
  await expect.poll(nextSession).toEqual(["admin:7:t2"]);
});

test("a refused login is not repeated by every waiting event, and its secrets are not shown", async () => {
  const clock = manualClock();
  const { connector, requests, faultOf } = await httpErp(rpc, () => ({ error: ["LoginException", ["kX9vTq2w{Pz}"]] }), {
    clock,
  });
  const first = await faultOf(Promise.resolve(attach(connector)));
  const second = await faultOf(Promise.resolve(attach(connector)));
  expect([first.message, second.message]).toEqual(Array(2).fill(expect.stringMatching(/^the login was refused/)));
  expect(first.message).not.toContain("kX9vTq2w");
  expect(requests).toHaveLength(1);
  clock.advance({ seconds: 6 });
  await faultOf(Promise.resolve(attach(connector)));
  expect(requests).toHaveLength(2);
});

test("a token against forged requests is fetched with its cookies, and again when the system asks for it", async () => {
  let tokens = 0;
  let valid = "T1";
  const { connector, requests } = await httpErp(
    {
      auth: { kind: "csrf", loginPath: "/odata/", username: "me", password: "" },
      operations: { attachWorkOrder: { path: "/odata/Attach" } },
    },
    ({ method, headers }, response) => {
      if (method === "GET") {
        response.writeHead(200, {
          "content-type": "application/json",
          "x-csrf-token": `T${++tokens}`,
          "set-cookie": ["SAP_SESSIONID=s1; path=/", "sap-usercontext=c; path=/"],
        });
        response.end("{}");
        return answered;
      }
      if (headers["x-csrf-token"] === valid) return {};
      response.writeHead(403, { "content-type": "text/plain", "x-csrf-token": "Required" });
      response.end("CSRF token validation failed");
      return answered;
    },
  );
  expect(await attach(connector)).toEqual(ok(null));
  valid = "T2";
  expect(await attach(connector)).toEqual(ok(null));
  const basic = `Basic ${Buffer.from("me:").toString("base64")}`;
  const shown = requests.map(({ method, headers }) => [method, headers["x-csrf-token"], headers.authorization]);
  expect(shown).toEqual([
    ["GET", "Fetch", basic],
    ["POST", "T1", basic],
    ["POST", "T1", basic],
    ["GET", "Fetch", basic],
    ["POST", "T2", basic],
  ]);
  expect(requests[1]?.headers.cookie).toBe("SAP_SESSIONID=s1; sap-usercontext=c");
});

const inSteps: Partial<HttpOptions> = {
  ...rpc,
  operations: {
    attachWorkOrder: {
      steps: [
        { name: "find", onlyReads: true, path: "/erp/", body: { method: "find" } },
        { name: "book", path: "/erp/", body: { method: "book", params: ["{steps.find.result}"] } },
        { name: "close", path: "/erp/", body: { method: "close", params: ["{steps.book.result}"] } },
      ],
    },
  },
};

/** Ends the session at the first call of this method. Returns what was executed. */
function expiringAt(method: string, { isLoginRefused = (): boolean => false } = {}) {
  const executed: unknown[] = [];
  let sessions = 0;
  let firstValid = 1;
  const answer: ErpAnswer = (request) => {
    if (isLogin(request)) {
      return firstValid > 1 && isLoginRefused() ? { error: ["Locked", []] } : { result: [7, `t${++sessions}`, 1000] };
    }
    if (methodOf(request) === method) firstValid = 2;
    const number = Number(/t(\d+)$/.exec(sessionOf(request))?.[1] ?? 0);
    if (number < firstValid) return { error: ["SessionExpired", []] };
    executed.push(methodOf(request));
    return { result: `${String(methodOf(request))} done` };
  };
  return { answer, executed };
}

test.each(["find", "book", "close"])(
  "a session that ends before the step %s is renewed there: every step is executed once, with the earlier answers",
  async (method) => {
    const { answer, executed } = expiringAt(method);
    const { connector, requests } = await httpErp(inSteps, answer);
    expect(await attach(connector)).toEqual(ok(null));
    expect(executed).toEqual(["find", "book", "close"]);
    expect(requests.filter(isLogin)).toHaveLength(2);
    expect(requests.at(-1)?.json).toMatchObject({ method: "close", params: ["book done"] });
  },
);

test("a session that ends between two steps and cannot be renewed leaves the event at that step until it can", async () => {
  const clock = manualClock();
  let isLoginRefused = true;
  const { answer, executed } = expiringAt("close", { isLoginRefused: () => isLoginRefused });
  const erp = await httpErp(inSteps, answer, { clock });
  const noted = new Map<string, string>();
  const attempt = async (wasTried: boolean) =>
    erp.connector.operations.attachWorkOrder?.(attachment, {
      ...deliveryContext({ topic: "attachWorkOrder" }),
      progress: {
        noted: () => noted,
        note: async (marks) => {
          for (const { key, value } of marks) noted.set(key, value);
        },
        wasTried: () => wasTried,
        restart: () => {},
      },
    });
  const fault = await erp.faultOf(attempt(false));
  expect([fault.kind, fault.message]).toEqual([
    "unreachable",
    expect.stringMatching(/^step close \(3 of 3\): .*login/),
  ]);
  isLoginRefused = false;
  clock.advance({ seconds: 6 });
  expect(await attempt(true)).toEqual(ok(null));
  expect(executed).toEqual(["find", "book", "close"]);
  expect(erp.requests.at(-1)?.json).toMatchObject({ method: "close", params: ["book done"] });
});
