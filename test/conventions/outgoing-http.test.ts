import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..", "src");

/** Who calls others without the one client, by the end of its path, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "connection-pool.ts": "it is the one client",
  "query-own-adapter.ts": "asks our own adapter on this machine for its version and whether it is ready",
  "deployments-status.ts": "asks our own process on this machine how its deployments are",
  "pass-on.ts": "passes requests on to another process of the same deployment, as they stand",
  "report-answers.ts": "speaks to another process of the same deployment, as pass-on.ts does",
  "wire.ts": "what is tried must go out as it stands, and come back without repairs",
  "recording-proxy.ts": "passes on what it is given, in its order and spelling",
  "admin-client.ts": "talks to our own adapter, and streams what is larger than the memory",
  "_template/connector.ts": "shows what readers know; they replace it",
  "floor/work-all.ts": "a simulated platform and its ERP, on connections of their own",
  "calls/channel.ts": "a simulated platform, one connection per operator",
  "replay/replay.ts": "a simulated platform",
  "records/compare-journal.ts": "reads our own adapter's journal for the simulator's records",
};

const calls = [
  /^import (?!type)[^;]*\b(?:request|get)\b[^;]*from "node:https?";/ms,
  /^import (?!type)[^;]*from "undici";/ms,
  /\bimport\("undici"\)/,
  // The global one; members of that name are something else.
  /(?<![.\w])fetch\([^)]/,
];

test("outgoing HTTP goes through the one client, with its guard, limits and proxies", () => {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.replaceAll("\\", "/"));
  const callers = files.filter((file) => {
    const source = readFileSync(join(root, file), "utf8").replace(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, "");
    return calls.some((call) => call.test(source));
  });
  const isMeant = (file: string, end: string) => file === end || file.endsWith(`/${end}`);
  const ends = Object.keys(exceptions);
  expect(callers.filter((file) => !ends.some((end) => isMeant(file, end)))).toEqual([]);
  // One that calls nobody any more needs no reason.
  expect(ends.filter((end) => !callers.some((file) => isMeant(file, end)))).toEqual([]);
});
