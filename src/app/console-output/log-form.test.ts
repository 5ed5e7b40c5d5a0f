import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { testIf } from "../../../test/support/test-if.ts";
import { lineSink } from "./line-sink.ts";

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

testIf(existsSync("/dev/full"))("a full disk of the log stops neither the process nor its end", () => {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const terminal = new URL("../../cli/process-terminal.ts", import.meta.url).href;
  const module = new URL("./open-log.ts", import.meta.url).href;
  const script = `
    import { setTimeout } from "node:timers/promises";
    const { openLog } = await import(${JSON.stringify(module)});
    const { processTerminal } = await import(${JSON.stringify(terminal)});
    const log = openLog();
    processTerminal().print("on a full disk too");
    for (let nth = 0; nth < 3; nth++) {
      log.info({ nth }, "listening");
      await setTimeout(20);
    }
    log.flush();
    await setTimeout(20);
    process.exit();`;
  const { status, signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", full, full],
    timeout: 60_000,
  });
  // 1, because what the command printed could not be written.
  expect({ status, signal }).toEqual({ status: 1, signal: null });
});

testIf(process.platform === "linux")(
  "lines that find no room wait, those beyond a limit are counted, and all goes on when there is room",
  async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(pipe));
    const lost: object[] = [];
    const sink = lineSink({ fd: pipe, most: 200_000, log: { error: (fields) => void lost.push(fields) } });
    const line = (nth: number) => `${String(nth).padStart(999, "0")}\n`;
    for (let nth = 0; nth < 400; nth++) sink.write(line(nth));
    let read = "";
    const readAll = () => {
      const buffer = Buffer.alloc(1 << 16);
      try {
        for (;;) read += buffer.subarray(0, readSync(pipe, buffer)).toString();
      } catch {
        // Nothing more is there at the moment.
      }
      return read.split("\n").slice(0, -1);
    };
    await expect.poll(() => readAll().length, { timeout: 20_000, interval: 20 }).toBeGreaterThan(200);
    const kept = readAll();
    expect(lost).toEqual([{ code: "CD-157", room: "app", lines: 400 - kept.length }]);
    expect(kept).toEqual(kept.map((_, nth) => line(nth).trimEnd()));
    sink.write("later\n");
    await expect.poll(() => readAll().at(-1), { timeout: 20_000 }).toBe("later");
  },
);
