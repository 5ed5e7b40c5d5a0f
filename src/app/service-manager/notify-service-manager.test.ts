import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { silentLog } from "../../kit/log.ts";
import { manualClock } from "../../kit/time/clock.ts";
import { manualTimers } from "../../kit/time/timers.ts";
import { notifyServiceManager } from "./notify-service-manager.ts";

function manager(env: Record<string, string>) {
  const sent: string[] = [];
  const timers = manualTimers(manualClock());
  const state = { isOfUse: true };
  const told = notifyServiceManager({
    ...{ env, log: silentLog, timers },
    isOfUse: () => state.isOfUse,
    openSender: () => (message) => void sent.push(message),
  });
  return { told, sent, timers, state };
}

test("without a service manager nothing is sent", () => {
  const { told, sent, timers } = manager({ WATCHDOG_USEC: "3000000" });
  told.ready("http://127.0.0.1:8080");
  told.stopping();
  expect([sent, timers.count()]).toEqual([[], 0]);
});

test("systemd is told that the adapter serves, that it lives, and that it stops", async () => {
  const { told, sent, timers } = manager({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "3000000" });
  await timers.pass(2_000);
  expect(sent).toEqual([]);
  told.ready("serving\nhttp://127.0.0.1:8080");
  expect(sent).toEqual(["STATUS=serving http://127.0.0.1:8080", "READY=1"]);
  await timers.pass(2_000);
  expect(sent.slice(2)).toEqual(["WATCHDOG=1", "WATCHDOG=1"]);
  told.stopping();
  await timers.pass(5_000);
  expect(sent.slice(4)).toEqual(["STOPPING=1"]);
});

test("a process that can store nothing until it is restarted does not feed the watchdog", async () => {
  const { told, sent, timers, state } = manager({ NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "3000000" });
  told.ready("serving");
  state.isOfUse = false;
  await timers.pass(10_000);
  expect(sent).not.toContain("WATCHDOG=1");
});

test.each([
  ["no watchdog", {}],
  ["the watchdog of another process", { WATCHDOG_USEC: "3000000", WATCHDOG_PID: "1" }],
])("with %s there are no signs of life", async (_, env) => {
  const { told, sent, timers } = manager({ NOTIFY_SOCKET: "/run/notify", ...env });
  told.ready("serving");
  await timers.pass(10_000);
  expect(sent).toEqual(["STATUS=serving", "READY=1"]);
});

test("why systemd cannot be told is logged once, not with every message", async () => {
  const folder = temporaryFolder();
  const program = `#!/bin/sh
case "$1" in STOPPING*) echo "another reason" >&2 ;; *) echo "no socket" >&2 ;; esac
`;
  writeFileSync(join(folder, "systemd-notify"), program, { mode: 0o755 });
  const said: unknown[] = [];
  const last = Promise.withResolvers<void>();
  const error = ({ reason }: { readonly reason?: unknown }) => {
    said.push(reason);
    if (reason === "another reason") last.resolve();
  };
  const told = notifyServiceManager({
    ...{ env: { NOTIFY_SOCKET: "/run/notify", PATH: folder }, timers: manualTimers(manualClock()) },
    ...{ isOfUse: () => true, log: { ...silentLog, error } },
  });
  told.ready("serving");
  told.stopping();
  await last.promise;
  expect(said).toEqual(["no socket", "another reason"]);
});
