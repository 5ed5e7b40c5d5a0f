import { expect, test } from "vitest";
import { workedMs } from "../../../../test/support/longest-stall.ts";
import { manualClock } from "../../../kit/time/clock.ts";
import { exchangeLog } from "./exchange-log.ts";

const clock = manualClock(1000);
const logOf = (maskSecrets?: (text: string) => string) => exchangeLog({ clock, maskSecrets });

test("a request and its answer are kept with their times", () => {
  const log = logOf();
  const answered = log.record({ to: "POST http://erp/x", headers: { accept: "text/plain" }, body: Buffer.from("ä") });
  clock.advance({ ms: 20 });
  answered({ status: 409, headers: { "content-type": "text/plain", "x-powered-by": "y" }, body: "taken" });
  expect(log.whole()).toEqual({
    status: 409,
    exchanges: [
      {
        sentAt: 1000,
        to: "POST http://erp/x",
        headers: { accept: "text/plain" },
        body: { text: "ä", bytes: 2 },
        answer: { ms: 20, status: 409, headers: { "content-type": "text/plain" }, body: { text: "taken", bytes: 5 } },
      },
    ],
  });
});

test("a request without an answer is recorded, and an answer after the end of the attempt is not", () => {
  const log = logOf();
  const answered = log.record({ to: "POST http://erp/x" });
  const { exchanges = [], status } = log.whole();
  answered({ status: 200 });
  log.record({ to: "too late" });
  expect([exchanges.length, exchanges[0]?.answer, status]).toEqual([1, undefined, undefined]);
  expect(log.whole().exchanges).toHaveLength(1);
});

test("secrets are masked by their names and by their values, in addresses, headers and bodies", () => {
  const log = logOf((text) => text.replaceAll("hunter2", "***"));
  log.record({
    to: "POST https://kim:pass1@erp.example/x?api_key=key1&n=1&x=hunter2#f",
    headers: {
      Authorization: "Bearer token1",
      Cookie: "s=cookie1",
      "X-Api-Key": "key2",
      "webhook-signature": "v1,sig1",
      "ocp-apim-subscription-key": "key3",
      "idempotency-key": '"evt_1"',
      note: "hunter2 and own1",
    },
    body: '{"user":"kim","password" : "pass\\"2","nested":{"accessToken":"token2"},"note":"hunter2, own1","n":1}',
    mask: (text) => text.replaceAll("own1", "***"),
  })({ status: 200, headers: { location: "/y?token=token3" }, body: "<r><Secret>s3</Secret></r> password=pass4&a=b" });
  const text = JSON.stringify(log.whole());
  for (const secret of ["pass1", "key1", "token1", "cookie1", "key2", "sig1", "key3", "hunter2", "own1", "token2"])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/pass\\+"2|s3|token3/);
  expect(text).toContain('\\"evt_1\\"');
  expect(text).toContain("&n=1");
  expect(text).toContain('\\"user\\":\\"kim\\"');
});

test("no part of a secret remains where a text is cut", () => {
  const log = logOf((text) => text.replaceAll("hunter2-hunter2", "***"));
  const body = `${"x".repeat(16 * 1024 - 7)}hunter2-hunter2${"y".repeat(100_000)}`;
  log.record({ to: "x", body });
  const [exchange] = log.whole().exchanges ?? [];
  expect(exchange?.body?.bytes).toBe(body.length);
  expect(exchange?.body?.text).not.toContain("hunter");
  expect(exchange?.body?.text.length).toBeLessThanOrEqual(16 * 1024);
});

test("a long text is cut between characters, and an event of hundreds of requests keeps both ends", () => {
  const log = logOf();
  for (let n = 1; n <= 500; n++) log.record({ to: `PUT /${n}`, body: "ä".repeat(20_000) })({ status: 200 + (n % 2) });
  const { exchanges = [], status } = log.whole();
  expect(exchanges.map(({ to }) => to).slice(8, 13)).toEqual([
    "PUT /9",
    "PUT /10",
    "(480 more were sent and are not recorded)",
    "PUT /491",
    "PUT /492",
  ]);
  expect(status).toBe(200);
  expect(exchanges.at(-1)?.body).toEqual({ text: "ä".repeat(8192), bytes: 40_000 });
  expect(Buffer.byteLength(JSON.stringify(exchanges))).toBeLessThan(128 * 1024);
});

test("an invalid report by a connector does not fail the delivery", () => {
  const log = logOf();
  // A connector in plain JavaScript may pass values of the wrong type.
  log.record({ to: 5, body: { a: 1 } } as never);
  log.record(null as never);
  expect(log.whole().exchanges).toHaveLength(2);
});

test("masking a text that is made to be slow takes no longer than it should", () => {
  const plain = "a".repeat(24_000);
  const hostile = ['"'.repeat(24_000), "<token".repeat(4_000), '"token":"'.repeat(2_600), `"${"\\".repeat(23_000)}`];
  const time = (body: string) => {
    const log = logOf();
    for (let n = 0; n < 5; n++) log.record({ to: "x", body });
    const from = workedMs();
    log.whole();
    return workedMs() - from;
  };
  const least = (body: string) => Math.min(...[1, 2, 3].map(() => time(body)));
  const control = Math.max(least(plain), 1);
  for (const body of hostile) expect(least(body)).toBeLessThan(control * 200);
});

test.each([
  ["longer than what is masked beyond the cut", 20_000, ""],
  ["after another one, which is shorter when it is masked", 6_000, `${"t0ken".repeat(1_200)} `],
])("no part of a secret is left at the cut of a body: one that is %s", (_, length, before) => {
  const secret = "abcdefghij".repeat(length / 10);
  const secrets = ["t0ken".repeat(1_200), secret];
  const mask = (text: string) => secrets.reduce((rest, one) => rest.replaceAll(one, "***"), text);
  for (let start = 7 * 1024; start < 26 * 1024; start += 500) {
    const body = `${before}${"ä".repeat(start - before.length)} ${secret} ${"z".repeat(40_000)}`;
    for (const content of [body, Buffer.from(body)]) {
      const log = logOf(Object.assign(mask, { longest: secret.length }));
      log.record({ to: "POST http://erp/x", body: content });
      const [exchange] = log.whole().exchanges ?? [];
      expect(exchange?.body?.text).not.toContain("abc");
    }
  }
});

test("a long body without secrets is kept up to the limit, whatever its letters", () => {
  for (const letter of ["a", "ä", "€"]) {
    for (const content of [letter.repeat(60_000), Buffer.from(letter.repeat(60_000))]) {
      const log = logOf(Object.assign((text: string) => text, { longest: 20_000 }));
      log.record({ to: "POST http://erp/x", body: content });
      const kept = Buffer.byteLength(log.whole().exchanges?.[0]?.body?.text ?? "");
      expect(Math.abs(kept - 16 * 1024)).toBeLessThan(3);
    }
  }
});
