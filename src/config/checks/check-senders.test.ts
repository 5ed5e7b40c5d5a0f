// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what the settings themselves look like
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadConfig } from "../load-config.ts";

async function load(text: string, env: Record<string, string> = {}) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "crossdock.yaml"), text);
  return loadConfig({ env, cwd });
}
const mistakesOf = (text: string, env?: Record<string, string>) =>
  load(text, env).then(
    () => "",
    (error: Error) => error.message,
  );

test("secrets come from the environment and never stand in a message, and defaults are filled in", async () => {
  const { config, redact } = await load(
    "senders:\n  shop:\n    auth: { kind: hmac, preset: shopify, secrets: ['${SHOP}'] }\n",
    { SHOP: "top-secret-0123456789" },
  );
  expect(config.senders["shop"]).toEqual({
    auth: {
      kind: "hmac",
      preset: "shopify",
      secrets: ["top-secret-0123456789"],
      toleranceSeconds: 300,
      rememberHours: 168,
    },
    enabled: true,
  });
  expect(redact("it is top-secret-0123456789")).toBe("it is ***");
});

test.each([
  ["a kind nobody knows", "auth: { kind: hmca }", /Did you mean hmac\?/],
  ["no kind", "auth: { keys: [k] }", /the kind is missing/],
  ["no auth", "topics: [stock]", /auth/],
  [
    "a member of another kind",
    "auth: { kind: apiKey, keys: [0123456789abcdef], users: [] }",
    /the kind apiKey has no such setting/,
  ],
  ["a short key", "auth: { kind: apiKey, keys: [short] }", /keys\[0\]/],
  ["a topic that is none", "auth: { kind: apiKey, keys: [0123456789abcdef] }\n    topics: [order]", /topics\[0\]/],
  [
    "an address that is none",
    "auth: { kind: apiKey, keys: [0123456789abcdef] }\n    addresses: [10.0.0/8]",
    /is not an address/,
  ],
  ["a token without keys", "auth: { kind: jwt, issuer: i, audience: a }", /one of the two is needed/],
  ["keys over plain http", "auth: { kind: jwt, issuer: i, audience: a, jwksUrl: 'http://id.example/k' }", /Use https/],
  ["a key that is none", "auth: { kind: jwt, issuer: i, audience: a, publicKey: abc }", /no public key/],
  ["a signature nowhere", "auth: { kind: hmac, secrets: [0123456789abcdef] }", /Name a preset, or the header/],
  [
    "a time that is not signed",
    "auth: { kind: hmac, secrets: [0123456789abcdef], header: x, timestampHeader: t }",
    /an unsigned value proves nothing/,
  ],
  [
    "an id without its header",
    "auth: { kind: hmac, secrets: [0123456789abcdef], header: x, signed: '{id}{body}' }",
    /idHeader/,
  ],
  [
    "a secret in the wrong writing",
    "auth: { kind: hmac, preset: standard-webhooks, secrets: ['whsec_!!!!!!!!!!!!!!!!!!'] }",
    /not written as base64/,
  ],
  ["certificates without TLS", "auth: { kind: mtls, subjects: [CN=erp] }", /platform\.tls\.clientCa/],
  ["a subject that names nobody", "auth: { kind: mtls, subjects: [erp] }", /erp names nobody/],
  [
    "an unknown member",
    "auth: { kind: apiKey, keys: [0123456789abcdef] }\n    adresses: []",
    /Did you mean addresses\?/,
  ],
])("%s is a mistake that is reported with its place", async (_what, text, expected) => {
  const message = await mistakesOf(`senders:\n  shop:\n    ${text}\n`);
  expect(message).toMatch(expected);
  expect(message).toMatch(/crossdock\.yaml:[1-9]/);
});

test("kind: none says explicitly that the platform need not authenticate", async () => {
  const { config } = await load("platform: { auth: { kind: none } }");
  expect(config.platform.auth).toBeUndefined();
});

test("a wrong secret is not shown", async () => {
  const message = await mistakesOf("senders:\n  a:\n    auth: { kind: apiKey, keys: ['${K}'] }\n", { K: "hush-hush" });
  expect(message).toMatch(/keys\[0\]/);
  expect(message).not.toContain("hush");
});

test("two senders with one key, and names with a meaning of their own, are refused", async () => {
  const one = "auth: { kind: apiKey, keys: [0123456789abcdef] }";
  expect(await mistakesOf(`senders:\n  a: { ${one} }\n  b: { ${one} }\n`)).toMatch(/a has the same key/);
  expect(await mistakesOf(`senders:\n  key: { ${one} }\n`)).toMatch(/key is a reserved name/);
});

test("the platform does not sign its requests, and its certificate files must be there", async () => {
  const signed = "auth: { kind: hmac, preset: github, secrets: [0123456789abcdef] }";
  expect(await mistakesOf(`platform:\n  ${signed}\n`)).toMatch(/the platform does not sign its requests/);
  expect(await mistakesOf("platform:\n  tls: { cert: file:no.pem, key: no.key }\n")).toMatch(
    /tls\.cert: the file cannot/,
  );
  expect(await mistakesOf("trustProxy: [proxy]\n")).toMatch(/trustProxy\[0\]: "proxy" is not an address/);
});
