import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { Authority } from "./certificates.ts";
import type { tokenIssuer } from "./token-issuer.ts";

/** The credentials of a request. */
export interface Shown {
  readonly headers?: Readonly<Record<string, string>>;
  readonly certificate?: { readonly cert: string; readonly key: string };
}
export interface SenderKind {
  /** The `auth` of one of its senders. */
  readonly auth: (sender: string) => object;
  /** Returns the credentials of a sender for this body. For the name of no sender, they are wrong. */
  readonly show: (sender: string, body: string) => Shown | Promise<Shown>;
}

/**
 * Every way in which a sender can prove who it is, with real signers and issuers. A name that ends with `-nobody` is a
 * stranger.
 */
export function senderKinds({
  ours,
  strangers,
  issuer,
}: {
  readonly ours: Authority;
  readonly strangers: Authority;
  readonly issuer: Awaited<ReturnType<typeof tokenIssuer>>;
}): Readonly<Record<string, SenderKind>> {
  const hooks = new Map<string, string>();
  const hookSecret = (sender: string) => {
    const secret = hooks.get(sender) ?? `whsec_${randomBytes(24).toString("base64")}`;
    hooks.set(sender, secret);
    return secret;
  };
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const mac = (sender: string, body: string, encoding: "hex" | "base64") =>
    createHmac("sha256", `${sender}-secret-0123456789`).update(body).digest(encoding);
  const hmac = (preset: string) => (sender: string) => ({
    kind: "hmac",
    preset,
    secrets: [`${sender}-secret-0123456789`],
  });
  const issued = new Map<string, { cert: string; key: string }>();
  let deliveries = 0;

  return {
    key: {
      auth: (sender) => ({ kind: "apiKey", keys: [`${sender}-key-0123456789`] }),
      show: (sender) => bearer(`${sender}-key-0123456789`),
    },
    basic: {
      auth: (sender) => ({ kind: "basic", users: [{ username: sender, password: `${sender}-password` }] }),
      show: (sender) => ({
        headers: { authorization: `Basic ${Buffer.from(`${sender}:${sender}-password`).toString("base64")}` },
      }),
    },
    jwt: {
      auth: (azp) => {
        const { jwksUrl, issuer: name } = issuer;
        return { kind: "jwt", jwksUrl, issuer: name, audience: "crossdock", claims: { azp } };
      },
      show: async (azp) => bearer(await issuer.sign({ azp })),
    },
    shopify: {
      auth: hmac("shopify"),
      show: (sender, body) => ({ headers: { "x-shopify-hmac-sha256": mac(sender, body, "base64") } }),
    },
    github: {
      auth: hmac("github"),
      show: (sender, body) => ({ headers: { "x-hub-signature-256": `sha256=${mac(sender, body, "hex")}` } }),
    },
    standard: {
      auth: (sender) => ({ kind: "hmac", preset: "standard-webhooks", secrets: [hookSecret(sender)] }),
      show: (sender, body) => {
        const [id, at] = [`msg_${++deliveries}`, new Date()];
        const timestamp = String(Math.floor(at.getTime() / 1000));
        const signature = new Webhook(hookSecret(sender)).sign(id, at, body);
        return { headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } };
      },
    },
    certificate: {
      auth: (sender) => ({ kind: "mtls", subjects: [`DNS:${sender}.example`] }),
      show: (sender) => {
        const by = sender.endsWith("-nobody") ? strangers : ours;
        const options = { alternatives: `DNS:${sender.replace("-nobody", "-all")}.example`, use: "client" } as const;
        const certificate = issued.get(sender) ?? by.issue(sender, options);
        issued.set(sender, certificate);
        return { certificate };
      },
    },
  };
}
