import { readFileSync } from "node:fs";
import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { authority } from "../../../test/support/receivers/certificates.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { expiriesIn } from "./expiries-in.ts";

const plain = async () => (await loadConfig({ env: {}, cwd: temporaryFolder() })).config;

test("certificates and tokens are found anywhere in a connector's options, and nothing else is", async () => {
  const ca = authority(temporaryFolder());
  const { cert } = ca.issue("adapter", { alternatives: "DNS:adapter", use: "client" });
  const pem = readFileSync(cert, "utf8");
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(1_800_000_000)
    .sign(Buffer.alloc(32));
  const connectors = {
    erp: { type: "http", url: "https://erp.example/a.b.c", tls: { cert: pem }, auth: { kind: "bearer", token } },
    wms: { type: "http", headers: { authorization: `Bearer ${token}`, version: "1.2.3" }, polls: [{ path: "/x" }] },
  };
  const found = expiriesIn({ ...(await plain()), connectors });
  expect(found.map(({ name }) => name)).toEqual([
    "connectors.erp.tls.cert",
    "connectors.erp.auth.token",
    "connectors.wms.headers.authorization",
  ]);
  // The certificates of the test authority are valid for two days.
  const days = ((found[0]?.at ?? 0) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(1.9);
  expect(days).toBeLessThan(2.1);
  expect(found.slice(1).map(({ at }) => at)).toEqual([1_800_000_000_000, 1_800_000_000_000]);
});

test("the certificate of the adapter's own listener is read from its file; a missing file has no expiry", async () => {
  const issued = authority(temporaryFolder()).issue("localhost", { alternatives: "DNS:localhost", use: "server" });
  const config = await plain();
  const platform = (cert: string) => ({ ...config.platform, tls: { cert, key: issued.key } });
  expect(expiriesIn({ ...config, platform: platform(issued.cert) })).toMatchObject([{ name: "platform.tls.cert" }]);
  expect(expiriesIn({ ...config, platform: platform("/nowhere.pem") })).toEqual([]);
});

test("a configured expiry date ends at its midnight in the configured time zone", async () => {
  const config = await plain();
  const alarms = { ...config.alarms, expiries: [{ name: "client secret", lastDay: "2027-01-31" }] };
  expect(expiriesIn({ ...config, timeZone: "Europe/Berlin", alarms })).toEqual([
    { name: "client secret", at: Date.parse("2027-02-01T00:00+01:00") },
  ]);
});
