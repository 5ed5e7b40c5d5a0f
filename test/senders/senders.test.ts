import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PushTopic, pushRow, pushTopics } from "../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { authority } from "../support/receivers/certificates.ts";
import { tokenIssuer } from "../support/receivers/token-issuer.ts";
import { newFolder, removeFolder } from "../support/temporary-folder.ts";

/** Real clients, one adapter: whoever may push, and whoever may not. */

const run = promisify(execFile);
const bodies: Record<PushTopic, object> = {
  workOrders: { number: "W-1", dueDate: "2030-01-01", requests: [{ itemNumber: "A-1", requestedAmount: 2 }] },
  cancellations: { workOrderNumber: "W-1" },
  items: { number: "A-1", name: "Drill" },
  stock: { itemNumber: "A-1", amount: 3 },
  indexableValues: { workOrderNumber: "W-1", value: "T-7" },
};
const secret = {
  shop: "shop-secret-0123456789",
  forge: "forge-secret-0123456789",
  hooks: `whsec_${randomBytes(24).toString("base64")}`,
  own: "own-secret-0123456789",
};

const folder = newFolder();
const ours = authority(folder);
const strangers = authority(folder, "strangers");
const server = ours.issue("localhost", { alternatives: "DNS:localhost,IP:127.0.0.1", use: "server" });
const erpCertificate = ours.issue("erp", { alternatives: "DNS:erp.example,URI:spiffe://site/erp", use: "client" });
const otherCertificate = ours.issue("other", { alternatives: "DNS:other.example", use: "client" });
const foreignCertificate = strangers.issue("erp", { alternatives: "DNS:erp.example", use: "client" });
const issuer = await tokenIssuer();

let adapter: Awaited<ReturnType<typeof startAdapter>>;
beforeAll(async () => {
  adapter = await startAdapter({ config: configOf(), onFinished: () => {} });
});
afterAll(async () => {
  await adapter.close();
  issuer.close();
  removeFolder(folder);
});

function configOf() {
  return {
    platform: { tls: { cert: server.cert, key: `file:${server.key}`, clientCa: ours.file } },
    senders: {
      keyed: {
        auth: { kind: "apiKey", keys: ["keyed-old-0123456789", "keyed-new-0123456789"] },
        topics: ["workOrders"],
      },
      off: { auth: { kind: "apiKey", keys: ["off-key-0123456789"] }, enabled: false },
      elsewhere: {
        auth: { kind: "apiKey", keys: ["elsewhere-0123456789"] },
        addresses: ["10.1.0.0/16", "2001:db8::/32"],
      },
      here: { auth: { kind: "apiKey", keys: ["here-key-0123456789"] }, addresses: ["127.0.0.0/8"], topics: ["stock"] },
      office: {
        auth: { kind: "basic", users: [{ username: "erp", password: "p:ss wörd 12345" }] },
        topics: ["items", "stock"],
      },
      cloud: {
        auth: {
          kind: "jwt",
          jwksUrl: issuer.jwksUrl,
          issuer: issuer.issuer,
          audience: "crossdock",
          claims: { azp: "erp" },
        },
        topics: ["cancellations"],
      },
      shop: {
        auth: { kind: "hmac", preset: "shopify", secrets: [secret.shop] },
        topics: ["workOrders", "cancellations"],
      },
      forge: { auth: { kind: "hmac", preset: "github", secrets: ["forge-old-0123456789", secret.forge] } },
      hooks: { auth: { kind: "hmac", preset: "standard-webhooks", secrets: [secret.hooks] }, topics: ["stock"] },
      own: {
        auth: {
          kind: "hmac",
          secrets: [secret.own],
          header: "X-Signature",
          algorithm: "sha512",
          timestampHeader: "X-Time",
          signed: "{timestamp}\n{method} {path}\n{body}",
        },
      },
      machine: { auth: { kind: "mtls", subjects: ["URI:spiffe://site/erp"] }, topics: ["items"] },
    },
  };
}

interface Call {
  readonly topic?: PushTopic;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly certificate?: { cert: string; key: string };
  readonly url?: string;
}

/** A push by curl itself. */
async function curl({
  topic = "workOrders",
  body = bodyOf(topic),
  headers = {},
  certificate,
  url = adapter.url,
}: Call) {
  const given = Object.entries({ "content-type": "application/json", ...headers });
  const { stdout } = await run("curl", [
    ...["-sS", "--cacert", ours.file, "-o", "-", "-w", "\n%{http_code}", "--data-binary", body],
    ...given.flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(certificate === undefined ? [] : ["--cert", certificate.cert, "--key", certificate.key]),
    url + pushRow(topic).path,
  ]);
  const end = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) };
}

let pushed = 0;
/** Different each time: the same body signed again is a repetition. */
const bodyOf = (topic: PushTopic) => JSON.stringify({ ...bodies[topic], remark: `push ${++pushed}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});
const hmacOf = (key: string, text: string, encoding: "hex" | "base64", algorithm = "sha256") =>
  createHmac(algorithm, key).update(text).digest(encoding);
const signedAs = {
  shopify: (body: string, key = secret.shop) => ({ "x-shopify-hmac-sha256": hmacOf(key, body, "base64") }),
  github: (body: string, key = secret.forge) => ({ "x-hub-signature-256": `sha256=${hmacOf(key, body, "hex")}` }),
  standard: (body: string, { id = `msg_${++pushed}`, at = new Date(), key = secret.hooks } = {}) => ({
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(key).sign(id, at, body),
  }),
  own: (body: string, path: string, at = Math.floor(Date.now() / 1000)) => ({
    "x-time": String(at),
    "x-signature": hmacOf(secret.own, `${at}\nPOST ${path}\n${body}`, "hex", "sha512"),
  }),
};

type Credential = (
  topic: PushTopic,
  body: string,
) => Promise<Omit<Call, "topic" | "body">> | Omit<Call, "topic" | "body">;

/** Who each credential belongs to, and what that sender may push: everything, a list, or nothing with this status. */
const credentials: Readonly<Record<string, readonly [Credential, readonly PushTopic[] | 401 | 403]>> = {
  "the API key": [() => ({ headers: bearer(apiKey) }), pushTopics],
  "the API key in X-Api-Key": [() => ({ headers: { "x-api-key": apiKey } }), pushTopics],
  "the old key of a sender": [() => ({ headers: bearer("keyed-old-0123456789") }), ["workOrders"]],
  "its new key": [() => ({ headers: { "x-api-key": "keyed-new-0123456789" } }), ["workOrders"]],
  "the key of one that is switched off": [() => ({ headers: bearer("off-key-0123456789") }), 403],
  "a key that is good from elsewhere": [() => ({ headers: bearer("elsewhere-0123456789") }), 403],
  "a key that is good from here": [() => ({ headers: bearer("here-key-0123456789") }), ["stock"]],
  "user and password": [() => ({ headers: basic("erp", "p:ss wörd 12345") }), ["items", "stock"]],
  "a token": [async () => ({ headers: bearer(await issuer.sign({ azp: "erp" })) }), ["cancellations"]],
  "a token for somebody else": [async () => ({ headers: bearer(await issuer.sign({ azp: "crm" })) }), 401],
  "a Shopify signature": [(_topic, body) => ({ headers: signedAs.shopify(body) }), ["workOrders", "cancellations"]],
  "a GitHub signature": [(_topic, body) => ({ headers: signedAs.github(body) }), pushTopics],
  "a GitHub signature by the old secret": [
    (_topic, body) => ({ headers: signedAs.github(body, "forge-old-0123456789") }),
    pushTopics,
  ],
  "a Standard Webhooks signature": [(_topic, body) => ({ headers: signedAs.standard(body) }), ["stock"]],
  "a signature of one's own form": [
    (topic, body) => ({ headers: signedAs.own(body, pushRow(topic).path) }),
    pushTopics,
  ],
  "a client certificate": [() => ({ certificate: erpCertificate }), ["items"]],
  nothing: [() => ({}), 401],
};

describe.each(Object.entries(credentials))("%s", (_name, [credential, allowed]) => {
  test.each(pushTopics)("pushes %s only if it may", async (topic) => {
    const body = bodyOf(topic);
    const { status, text } = await curl({ topic, body, ...(await credential(topic, body)) });
    const expected = typeof allowed === "number" ? allowed : allowed.includes(topic) ? 202 : 403;
    expect({ status, text }).toMatchObject({ status: expected });
  });
});

const wrong: Readonly<Record<string, Credential>> = {
  "a certificate of a stranger's authority with the right name": () => ({ certificate: foreignCertificate }),
  "a certificate of our authority with another name": () => ({ certificate: otherCertificate }),
  "a token without end": async () => ({ headers: bearer(await issuer.sign({ azp: "erp", exp: undefined })) }),
  "a token that has ended": async () => ({ headers: bearer(await issuer.sign({ azp: "erp", exp: 1_700_000_000 })) }),
  "a token for another audience": async () => ({ headers: bearer(await issuer.sign({ azp: "erp", aud: "crm" })) }),
  "a token of another issuer": async () => ({
    headers: bearer(await issuer.sign({ azp: "erp", iss: "https://x.example" })),
  }),
  "a token that nobody signed": async () => {
    const [, payload] = (await issuer.sign({ azp: "erp" })).split(".");
    return { headers: bearer(`${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`) };
  },
  "a token signed with the public key as a shared secret": async () => {
    const [, payload] = (await issuer.sign({ azp: "erp" })).split(".");
    const head = Buffer.from('{"alg":"HS256","kid":"first"}').toString("base64url");
    const mac = createHmac("sha256", await issuer.publicPem())
      .update(`${head}.${payload}`)
      .digest("base64url");
    return { headers: bearer(`${head}.${payload}.${mac}`) };
  },
  "a signature over other bytes": (_topic, body) => ({ headers: signedAs.shopify(`${body} `) }),
  "a signature by another secret": (_topic, body) => ({ headers: signedAs.github(body, "guess-0123456789") }),
  "a signature of ten minutes ago": (_topic, body) => ({
    headers: signedAs.standard(body, { at: new Date(Date.now() - 600_000) }),
  }),
  "a signed time without the signature over it": (topic, body) => ({
    headers: { ...signedAs.own(body, pushRow(topic).path), "x-time": String(Math.floor(Date.now() / 1000) - 1) },
  }),
  "a signature for another route": (_topic, body) => ({ headers: signedAs.own(body, "/inbound/items") }),
  "a password with one letter more": () => ({ headers: basic("erp", "p:ss wörd 123456") }),
};

test.each(Object.entries(wrong))("%s is refused, and nothing is stored", async (_name, credential) => {
  // Each at an adapter of its own: after some failures from one address, only waiting is the answer.
  const { url } = await startAdapter({ config: configOf() });
  const body = bodyOf("cancellations");
  const { status } = await curl({ topic: "cancellations", body, url, ...(await credential("cancellations", body)) });
  expect(status).toBe(401);
  const address = `${url}/admin/journal`;
  const { stdout } = await run("curl", ["-sS", "--cacert", ours.file, "-H", `x-api-key: ${apiKey}`, address]);
  expect(JSON.parse(stdout)).toMatchObject({ entries: [] });
});
