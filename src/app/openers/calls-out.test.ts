import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../../config/load-config.ts";
import { callsOut } from "./calls-out.ts";

const url = "https://erp.example.com/x";

test.each([
  ["nothing but the embedded store", {}, false],
  ["a webhook", { connectors: { a: { type: "webhook", url } } }, true],
  ["what is forwarded to the platform", { platform: { forward: { stock: { request: { url } } } } }, true],
  ["alarms by webhook", { alarms: { webhook: { url } } }, true],
  [
    "tokens of an issuer",
    { senders: { a: { auth: { kind: "jwt", issuer: url, audience: "crossdock", jwksUrl: url } } } },
    true,
  ],
])("the HTTP library is loaded soon after the start if it is needed: %s", async (_what, given, expected) => {
  const cwd = temporaryFolder();
  const { config } = await loadConfig({ cwd, env: {}, text: JSON.stringify(given), file: "crossdock.yaml" });
  expect(callsOut(config)).toBe(expected);
});
