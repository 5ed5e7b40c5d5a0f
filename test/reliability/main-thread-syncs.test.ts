import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { secrets } from "../../chaos/harness/checks/leak-in.ts";
import { missingForTracing } from "../../chaos/harness/disks/machine-rights.ts";
import { startService } from "../../chaos/harness/service/service.ts";
import { openStage } from "../../chaos/harness/stage.ts";
import { pushRow } from "../../src/contract/pushes.ts";

const secret = `whsec_${Buffer.from("a secret of 24 bytes, ok").toString("base64")}`;
const config = { senders: { hooks: { auth: { kind: "hmac", preset: "standard-webhooks", secrets: [secret] } } } };
const noReceiver = "http://127.0.0.1:9/";

test("the thread that answers requests never waits for the disk", { timeout: 120_000 }, async ({ skip }) => {
  const missing = missingForTracing();
  if (missing !== null) return skip(missing);
  const stage = openStage({ say: () => {}, seed: 1 });
  onTestFinished(() => stage.clear());
  const folder = stage.folder("syncs");
  const trace = join(folder, "trace");
  const wrapper = ["strace", "-f", "--seccomp-bpf", "-y", "-o", trace, "-e", "trace=fsync,fdatasync"];
  const service = await startService({ stage, folder, wrapper, config, target: noReceiver });
  const syncs = () =>
    readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => line.includes("sync("));
  const before = syncs().length;

  const headers = { "content-type": "application/json", "x-api-key": secrets.apiKey };
  const admin = async (path: string, body: object) =>
    await fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  for (let number = 1; number <= 20; number++) {
    const answer = await pushSigned(service.url, `I-${number}`);
    expect(answer.status).toBe(202);
  }
  const pause = await admin("/admin/targets/erp/pause", { operator: "kim", reason: "maintenance" });
  expect(pause.status).toBe(200);
  const mentions = (file: string) =>
    syncs()
      .slice(before)
      .filter((line) => line.includes(`${file}>`));
  // Answered only after these were synced.
  expect(mentions("senders.db-wal").length).toBeGreaterThan(0);
  expect(mentions("actions.db-wal").length).toBeGreaterThan(0);
  expect(mentions("crossdock.db-wal").length).toBeGreaterThan(0);
  expect(
    syncs()
      .slice(before)
      .filter((line) => line.startsWith(`${service.pid} `)),
  ).toEqual([]);
});

async function pushSigned(url: string, number: string): Promise<Response> {
  const body = JSON.stringify({ number, name: `Item ${number}` });
  const now = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": `msg-${number}`,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(`msg-${number}`, now, body),
  };
  return await fetch(url + pushRow("items").path, { method: "POST", headers, body });
}
