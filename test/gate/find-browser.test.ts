import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { findChromium } from "../../scripts/pictures/find-chromium.ts";

const root = resolve(import.meta.dirname, "../..");
const windows = {
  Path: "C:\\Windows;C:\\Tools",
  ProgramFiles: "C:\\Program Files",
  LOCALAPPDATA: "C:\\Users\\kim\\Local",
};

test.each([
  ["linux", { PATH: "/bin:/opt/bin" }, "/opt/bin/google-chrome"],
  ["linux", { PATH: "/bin", CHROMIUM: "/opt/my-browser" }, "/opt/my-browser"],
  ["darwin", { PATH: "/bin" }, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
  ["darwin", { HOME: "/Volumes/kim" }, "/Volumes/kim/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"],
  ["win32", windows, "C:\\Tools\\chromium.exe"],
  ["win32", windows, "C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe"],
  ["win32", windows, "C:\\Users\\kim\\Local\\Google\\Chrome\\Application\\chrome.exe"],
] as const)("on %s with %j, a browser at %s is found", (platform, env, installed) => {
  expect(findChromium({ platform, env, isProgram: (file) => file === installed })).toBe(installed);
});

test.each([
  ["linux", { PATH: "/bin" }, /^no browser was found: install Chromium/],
  // Whoever names a browser does not want another one.
  ["linux", { PATH: "/bin", CHROMIUM: "/opt/my-browser" }, "CHROMIUM names /opt/my-browser"],
] as const)("on %s with %j, an error says what to do", (platform, env, text) => {
  const isProgram = (file: string) => file === "/bin/chromium" && "CHROMIUM" in env;
  expect(() => findChromium({ platform, env, isProgram })).toThrow(text);
});

test("without a browser, the command for tests in a browser says why, and that none of them ran", () => {
  const { CROSSDOCK_REQUIRE_PEERS: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["scripts/gate/test-browser.ts"], {
    ...{ cwd: root, env: { ...env, CHROMIUM: "/nowhere/chromium" }, encoding: "utf8" },
  });
  expect({ status, lines: stdout.trimEnd().split("\n") }).toEqual({
    status: 0,
    lines: [
      "CHROMIUM names /nowhere/chromium, and there is no such program",
      "",
      "the tests in a browser were skipped: none of them ran",
    ],
  });
});
