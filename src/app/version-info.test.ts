import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, removeFolder } from "../../test/support/temporary-folder.ts";
import { buildStamp, buildStampFile, versionInfo } from "./version-info.ts";

function packed(stamp: object | null) {
  const root = newFolder();
  onTestFinished(() => removeFolder(root));
  const folder = join(root, "dist/src/app");
  mkdirSync(folder, { recursive: true });
  const file = join(root, "package.json");
  writeFileSync(file, '{"version":"1.2.3-rc.1"}');
  // npm sets this time on packed files.
  const packedAt = new Date("1985-10-26T08:15:00Z");
  utimesSync(file, packedAt, packedAt);
  if (stamp !== null) writeFileSync(join(root, "dist", buildStampFile), JSON.stringify(stamp));
  return folder;
}

test("a package reports its build time, whatever the times of its files are", () => {
  const stamp = buildStamp({}, Date.parse("2026-04-05T06:07:08.900Z"));
  expect(versionInfo(packed(stamp))).toEqual({
    version: "1.2.3",
    title: "Crossdock",
    buildDateTime: "2026-04-05T06:07:08Z",
  });
});

test("a build can be stamped with the time of its sources", () => {
  expect(buildStamp({ SOURCE_DATE_EPOCH: "1700000000" }, 0)).toEqual({ buildDateTime: "2023-11-14T22:13:20Z" });
  expect(buildStamp({ SOURCE_DATE_EPOCH: "soon" }, 0)).toEqual({ buildDateTime: "1970-01-01T00:00:00Z" });
});

test("sources that were never built report the time of their checkout", () => {
  expect(versionInfo(packed(null)).buildDateTime).toBe("1985-10-26T08:15:00.000Z");
});
