import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { authority } from "../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { tlsListener } from "./tls-listener.ts";

test("changed files are found within ten seconds; an incomplete renewal is logged and not used", async () => {
  const folder = temporaryFolder();
  const ours = authority(folder);
  const files = { cert: join(folder, "live.pem"), key: join(folder, "live.key") };
  const [first, second] = ["first", "second"].map((name) =>
    ours.issue(name, { alternatives: "DNS:localhost", use: "server" }),
  );
  if (first === undefined || second === undefined) throw new Error("two certificates are needed");
  copyFileSync(first.cert, files.cert);
  copyFileSync(first.key, files.key);

  const clock = manualClock(Date.now());
  const timers = manualTimers(clock);
  const errors: object[] = [];
  const log = { ...silentLog, error: (facts: object) => void errors.push(facts) };
  const listener = tlsListener({ files, clock, timers, log });
  const given: unknown[] = [];
  listener.follow({ setSecureContext: (context) => void given.push(context.cert) });
  await timers.pass(60_000);
  expect(given).toEqual([]);

  copyFileSync(second.cert, files.cert);
  await timers.pass(10_000);
  expect([given.length, errors.length]).toEqual([0, 1]);
  copyFileSync(second.key, files.key);
  await timers.pass(10_000);
  expect([given.length, errors.length]).toEqual([1, 1]);

  writeFileSync(files.key, "");
  listener.stop();
  await timers.pass(60_000);
  expect(timers.count()).toBe(0);
  expect(given.length).toBe(1);
});

test.each([
  ["expired", 3],
  ["not valid yet", -1],
])("a certificate that is %s is named at the start and whenever it is read again", async (_, days) => {
  const folder = temporaryFolder();
  const files = authority(folder).issue("ours", { alternatives: "DNS:localhost", use: "server" });
  const clock = manualClock(Date.now() + days * 86_400_000);
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (facts: object) => void warnings.push(facts) };
  const listener = tlsListener({ files, clock, timers: manualTimers(clock), log });
  listener.follow({ setSecureContext: () => {} });
  expect(warnings).toEqual([{ validFrom: expect.any(String), validUntil: expect.any(String) }]);
  listener.reload();
  expect(warnings.length).toBe(2);
  clock.advance({ days: -days });
  listener.reload();
  expect(warnings.length).toBe(2);
  listener.stop();
});
