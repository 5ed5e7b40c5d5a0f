import { expect, test } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { openAdapterLog } from "./open-adapter-log.ts";

type Line = { readonly level: string; readonly text: string; readonly [field: string]: unknown };

async function logOf(text: string, env: Record<string, string> = {}) {
  const lines: Line[] = [];
  const write = (level: string) => (fields: object, text: string) => void lines.push({ level, text, ...fields });
  let now = Date.parse("2026-01-05T08:00:00Z");
  const load = (yaml: string) => loadConfig({ env, cwd: "/", text: yaml });
  const { config, redact } = await load(text);
  const opened = openAdapterLog({
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    ...{ config, redact, clock: { now: () => now } },
  });
  const learn = async (yaml: string) => {
    const next = await load(yaml);
    opened.learn(next.config, next.redact);
    opened.configure(next.config);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { ...opened, lines, learn, pass };
}

test("a line has the code and the room of its message; a message of a module of others has neither", async () => {
  const { log, lines } = await logOf("{}");
  log.warn({ seq: 7 }, "delivery failed; it will be retried");
  log.warn({}, "my own message");
  expect(lines).toEqual([
    { level: "warn", text: "delivery failed; it will be retried", code: "CD-406", room: "delivery", seq: 7 },
    { level: "warn", text: "my own message" },
  ]);
});

test("a room logs more for a while, the others as before, and it returns to normal by itself", async () => {
  const { log, lines, levels, pass } = await logOf("{}");
  levels.set("delivery", { level: "debug", forMs: 60_000 });
  log.debug({}, "delivered");
  log.debug({}, "opened");
  expect(lines.map(({ text }) => text)).toEqual(["delivered"]);
  expect(levels.view().find(({ room }) => room === "delivery")).toEqual({
    ...{ room: "delivery", level: "debug", until: "2026-01-05T08:01:00.000Z" },
  });
  pass(60_000);
  log.debug({}, "delivered");
  expect(lines).toHaveLength(1);
  expect(levels.view().every(({ until }) => until === null)).toBe(true);
});

test("a level set for a while can be ended before its time", async () => {
  const { log, lines, levels } = await logOf("{}");
  levels.set("delivery", { level: "error", forMs: 60_000 });
  log.warn({}, "delivery failed; it will be retried");
  levels.set("delivery", null);
  log.warn({}, "delivery failed; it will be retried");
  expect(lines).toHaveLength(1);
});

test("the configuration sets the level of a room, a reload changes it, and what was set for a while stays", async () => {
  const { log, lines, levels, learn } = await logOf("logLevel: warn\nlogging:\n  rooms:\n    delivery: debug");
  log.debug({}, "delivered");
  log.info({}, "stopping");
  levels.set("cli", { level: "debug", forMs: 60_000 });
  await learn("logLevel: error");
  log.debug({}, "delivered");
  log.info({}, "stopping");
  expect(lines.map(({ text }) => text)).toEqual(["delivered", "stopping"]);
});

test("messages of modules follow the level of the connectors", async () => {
  const { log, lines, levels } = await logOf("{}");
  levels.set("connectors", { level: "error", forMs: 60_000 });
  log.warn({}, "my own message");
  expect(lines).toEqual([]);
});

const secretConfig = `connectors:
  erp:
    type: webhook
    url: https://erp.example.com
    headers: { authorization: "Bearer \${ERP_TOKEN}" }
console:
  users:
    Maria Rossi: { apiKey: "0123456789abcdef-maria", role: operator }
`;

test("secrets are masked by value wherever they stand, also in an error, its stack and its cause", async () => {
  const { log, lines } = await logOf(secretConfig, { ERP_TOKEN: "s3cr3t-token-of-the-erp" });
  const cause = new Error("sent s3cr3t-token-of-the-erp");
  const err = Object.assign(new Error("refused s3cr3t-token-of-the-erp", { cause }), {
    sent: ["s3cr3t-token-of-the-erp"],
  });
  log.error(
    { err, deep: { list: [{ url: "https://x/?k=s3cr3t-token-of-the-erp" }] } },
    "a delivery failed with an unexpected error",
  );
  log.error({}, "module says s3cr3t-token-of-the-erp and 0123456789abcdef-maria");
  const text = JSON.stringify(lines);
  expect(text).not.toContain("s3cr3t-token");
  expect(text).not.toContain("0123456789abcdef");
  expect(lines[0]).toMatchObject({ err: { type: "Error", message: "refused ***", cause: { message: "sent ***" } } });
});

test("a field whose name says secret is masked, whatever its value", async () => {
  const { log, lines } = await logOf("{}");
  log.warn(
    { password: "abc", authorization: "Basic eHg=", tokenUrl: "https://x", nested: { apiKey: "k" } },
    "stopping",
  );
  expect(lines[0]).toMatchObject({
    ...{ password: "***", authorization: "***", tokenUrl: "https://x", nested: { apiKey: "***" } },
  });
});

test("secrets are masked by value in whatever form an external system sends them back", async () => {
  const secret = `p&ss/w"örd <1>`;
  const { log, lines } = await logOf(secretConfig, { ERP_TOKEN: secret });
  const echoed = {
    url: `https://erp/x?k=${encodeURIComponent(secret)}`,
    form: new URLSearchParams({ k: secret }).toString(),
    basic: `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`,
    json: JSON.stringify({ body: JSON.stringify({ secret }) }),
  };
  log.warn(echoed, "stopping");
  expect(lines[0]).toMatchObject({
    url: "https://erp/x?k=***",
    form: "k=***",
    basic: expect.stringMatching(/^Basic dXNlcjp\w?\*\*\*=*$/),
  });
  expect(lines[0]?.["json"]).toBe('{"body":"{\\"secret\\":\\"***\\"}"}');
});

test("a field whose name says secret is masked also if it is no text", async () => {
  const { log, lines } = await logOf("{}");
  const headers = { authorization: ["Basic eHg="], "set-cookie": ["a=b", "c=d"], "content-type": ["text/plain"] };
  log.warn({ headers, password: 4711, secrets: [{ value: "abc" }], hasToken: true, token: null }, "stopping");
  expect(lines[0]).toMatchObject({
    headers: { authorization: "***", "set-cookie": "***", "content-type": ["text/plain"] },
    ...{ password: "***", secrets: "***", hasToken: true, token: null },
  });
});

test("people are masked by field and by name, and shown where the configuration says so", async () => {
  const { log, lines, learn } = await logOf(secretConfig, { ERP_TOKEN: "s3cr3t-token-of-the-erp" });
  const say = () =>
    log.warn({ operator: "Maria Rossi", said: "Maria Rossi wrote to jo@example.com" }, "deliveries are paused");
  say();
  await learn("logging:\n  personalData: show");
  say();
  expect(lines).toMatchObject([
    { operator: "M***", said: "M*** wrote to ***@***" },
    { operator: "Maria Rossi", said: "Maria Rossi wrote to jo@example.com" },
  ]);
});

test("a field that contains itself, or is very deep, ends", async () => {
  const { log, lines } = await logOf("{}");
  const round: Record<string, unknown> = { name: "x" };
  round["self"] = round;
  log.warn(round, "stopping");
  expect(JSON.stringify(lines).length).toBeLessThan(500);
});

test("what an external system answers is masked by the names of its members too, in fields, errors and messages", async () => {
  const { log, lines } = await logOf("{}");
  const answer = 'refused: {"user":"jo","password":"not-configured","pin":4711,"access_token":[ "t-1" ]}';
  const url = "https://erp/x?key=k-1&order=4711&sig=s-1";
  log.warn({ reason: answer, url, err: new Error(`${url} answered ${answer}`) }, "delivery failed; it will be retried");
  log.warn({}, `my module got ${answer}`);
  const text = JSON.stringify(lines);
  for (const secret of ["not-configured", "t-1", "k-1", "s-1"]) expect(text).not.toContain(secret);
  expect(lines[0]).toMatchObject({
    reason: 'refused: {"user":"jo","password":"***","pin":4711,"access_token":[ "***" ]}',
    url: "https://erp/x?key=***&order=4711&sig=***",
  });
});

test("fields that are called like members of the record do not replace them", async () => {
  const { log, lines } = await logOf("{}");
  const fields = { level: 10, time: "1970-01-01", msg: "all is well", code: "CD-101", room: "cli", fields: 1, seq: 7 };
  log.error(fields, "delivery failed; it will be retried");
  log.error({ code: "CD-101", password: "abc" }, "my own message");
  expect(lines).toEqual([
    {
      ...{ level: "error", text: "delivery failed; it will be retried", code: "CD-406", room: "delivery", seq: 7 },
      fields: { level: 10, time: "1970-01-01", msg: "all is well", code: "CD-101", room: "cli", fields: 1 },
    },
    { level: "error", text: "my own message", password: "***", fields: { code: "CD-101" } },
  ]);
});
