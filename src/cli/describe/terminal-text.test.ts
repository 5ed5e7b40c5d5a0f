import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { shownTimeIn, timeZoneHere } from "./terminal-text.ts";

test.each([
  ["UTC", "2026-03-01T08:00:00.123Z", "2026-03-01 08:00:00 UTC"],
  ["Europe/Vienna", "2026-03-01T23:30:00Z", "2026-03-02 00:30:00 +01:00"],
  ["Europe/Vienna", "2026-07-01T08:00:00Z", "2026-07-01 10:00:00 +02:00"],
  ["America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31 20:30:00 -03:30"],
  ["UTC", "never", "never"],
])("in %s the time %s is shown as %s", (timeZone, utc, shown) => {
  expect(shownTimeIn(timeZone)(utc)).toBe(shown);
});

test("times are shown in the zone of the configuration that is found here", async () => {
  const cwd = temporaryFolder();
  const here = () => timeZoneHere({ ...terminal, cwd });
  expect(await here()).toBe("UTC");
  writeFileSync(join(cwd, "crossdock.yaml"), "timeZone: Asia/Tokyo\n");
  expect(await here()).toBe("Asia/Tokyo");
  writeFileSync(join(cwd, "crossdock.yaml"), "timeZone: [\n");
  expect(await here()).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

const terminal = {
  ...{ print: () => {}, complain: () => {}, isInteractive: true, colour: false, env: {} },
  untilStopped: async () => "",
};
