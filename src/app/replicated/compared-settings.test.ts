import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { comparedSettings } from "./compared-settings.ts";

async function settingsOf(written: object, secret = "secret-of-the-erp") {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), JSON.stringify(written));
  const { config, redact } = await loadConfig({ env: { ERP_KEY: secret }, cwd });
  return comparedSettings(config, redact);
}

const erp = (url: string) => ({
  connectors: { erp: { type: "webhook", url, secrets: [`\${ERP_KEY}`] } },
});

test("a system with another address is a difference; another secret and what is about one machine are none", async () => {
  const here = await settingsOf(erp("http://127.0.0.1:9/"));
  expect(await settingsOf({ ...erp("http://127.0.0.1:9/"), logLevel: "debug" }, "another-secret-of-it")).toEqual(here);
  const elsewhere = await settingsOf(erp("http://127.0.0.1:10/"));
  const names = [...new Set([...Object.keys(here), ...Object.keys(elsewhere)])];
  expect(names.filter((name) => JSON.stringify(here[name]) !== JSON.stringify(elsewhere[name]))).toEqual([
    "connectors",
  ]);
});
