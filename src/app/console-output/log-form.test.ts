import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** What a process writes to standard error, which is a pipe here; `isTerminal` makes it believe that it is a terminal. */
function written(isTerminal: boolean): string {
  const module = new URL("./open-log.ts", import.meta.url).href;
  const script = `
    process.stderr.isTTY = ${isTerminal ? "true" : "undefined"};
    const { openLog } = await import(${JSON.stringify(module)});
    const log = openLog({ timeZone: "Europe/Vienna" });
    log.info({ port: 8080 }, "listening");
    log.flush();`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script]);
  expect([status, stderr.toString()]).toEqual([0, expect.stringContaining("listening")]);
  return stderr.toString();
}

test("the log is readable lines on a terminal, in the site's time zone", () => {
  expect(written(true)).toMatch(/^\d\d:\d\d:\d\d info {2}listening port=8080\n$/);
});

test("the log is one JSON object per line when it is piped, with the time in UTC", () => {
  const { time, ...line } = JSON.parse(written(false));
  expect(line).toEqual({ level: 30, port: 8080, msg: "listening" });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});
