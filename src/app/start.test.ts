import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadConfig } from "../config/load-config.ts";
import { type Log, silentLog } from "../kit/log.ts";
import { start } from "./start.ts";

const apiKey = "test-key";

async function startIn(folder: string, { port = 0, log = silentLog }: { port?: number; log?: Log } = {}) {
  const { config, settings, describe } = await loadConfig({ env: { CROSSDOCK_SAMPLE: "false" }, cwd: folder });
  return await start({
    config: { ...config, logLevel: "debug" },
    describe,
    settings: { ...settings, port, apiKey },
    log,
  });
}

/** Records what is opened and closed, and fails at the opener with this position. */
function openingLog(failAt: number) {
  const opened: string[] = [];
  const closed: string[] = [];
  const debug: Log["debug"] = (fields, text) => {
    if (text === "closed" && "name" in fields) closed.push(String(fields.name));
    if (text !== "opened" || !("name" in fields)) return;
    opened.push(String(fields.name));
    if (opened.length === failAt) throw new Error(`opener ${failAt} fails`);
  };
  return { opened, closed, log: { ...silentLog, debug } };
}

test("a start that fails because the port is in use leaves nothing open, and the same process can start again on the folder", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  const folder = temporaryFolder();
  await expect(startIn(folder, { port })).rejects.toThrow(/EADDRINUSE/);
  await expect(startIn(folder, { port })).rejects.toThrow(/EADDRINUSE/);
  const adapter = await startIn(folder);
  expect((await fetch(`${adapter.url}/health/ready`)).status).toBe(200);
  await adapter.close();
});

/**
 * The cases are split into parts, because each starts the adapter several times, which takes long on a busy machine.
 */
const parts = 6;
let known: Promise<readonly string[]> | null = null;

/** What a successful start opens, in order. */
function allOpeners(): Promise<readonly string[]> {
  known ??= (async () => {
    const whole = openingLog(0);
    const adapter = await startIn(temporaryFolder(), whole);
    await adapter.close();
    expect(whole.closed).toEqual(whole.opened.toReversed());
    return whole.opened;
  })();
  return known;
}

test.each(Array.from({ length: parts }, (_, part) => part))(
  "if any opener of the start fails, everything opened before is closed in reverse order and the folder is unlocked (part %i)",
  async (part) => {
    const openers = await allOpeners();
    expect(openers.length).toBeGreaterThan(parts);
    const folder = temporaryFolder();
    for (let failAt = part + 1; failAt <= openers.length; failAt += parts) {
      const failing = openingLog(failAt);
      await expect(startIn(folder, failing)).rejects.toThrow(`opener ${failAt} fails`);
      expect(failing.opened).toEqual(openers.slice(0, failAt));
      expect(failing.closed).toEqual(failing.opened.toReversed());
    }
    await (await startIn(folder)).close();
  },
);
