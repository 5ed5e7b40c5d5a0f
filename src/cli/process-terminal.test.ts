import { expect, test } from "vitest";
import { signalsOn } from "./process-terminal.ts";

test("a window of Windows that is closed stops the adapter; elsewhere the same signal reloads the configuration", () => {
  for (const platform of ["linux", "darwin"] as const) {
    expect(signalsOn(platform)).toEqual({ stop: ["SIGTERM", "SIGINT"], reload: ["SIGHUP"] });
  }
  const { stop, reload } = signalsOn("win32");
  expect([...stop].toSorted()).toEqual(["SIGBREAK", "SIGHUP", "SIGINT", "SIGTERM"]);
  expect(reload).toEqual([]);
});
