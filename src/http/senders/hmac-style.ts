import type { HmacAuth } from "./auth-kinds.ts";

/** How a signature is made and where it stands. */
export interface HmacStyle {
  readonly header: string;
  readonly algorithm: "sha256" | "sha384" | "sha512";
  readonly encoding: "hex" | "base64";
  readonly prefix: string;
  readonly idHeader?: string | undefined;
  readonly timestampHeader?: string | undefined;
  /** What is signed, with names in braces. */
  readonly signed: string;
  readonly secretEncoding: "text" | "base64" | "hex";
  /** What may stand before a secret and is no part of it. */
  readonly secretPrefix?: string;
}

const plain = { algorithm: "sha256", encoding: "hex", prefix: "", signed: "{body}", secretEncoding: "text" } as const;

const presets: Readonly<Record<NonNullable<HmacAuth["preset"]>, HmacStyle>> = {
  "standard-webhooks": {
    ...plain,
    header: "webhook-signature",
    encoding: "base64",
    prefix: "v1,",
    idHeader: "webhook-id",
    timestampHeader: "webhook-timestamp",
    signed: "{id}.{timestamp}.{body}",
    secretEncoding: "base64",
    secretPrefix: "whsec_",
  },
  // Neither of the two signs the name of the delivery, so that name proves nothing and is not looked at.
  github: { ...plain, header: "x-hub-signature-256", prefix: "sha256=" },
  shopify: { ...plain, header: "x-shopify-hmac-sha256", encoding: "base64" },
};

/** The preset, or the members written out, or both: what is written wins. */
export function hmacStyle(auth: HmacAuth): HmacStyle {
  const base: HmacStyle = auth.preset === undefined ? { ...plain, header: "" } : presets[auth.preset];
  const { header, algorithm, encoding, prefix, idHeader, timestampHeader, signed, secretEncoding } = auth;
  const given = { header, algorithm, encoding, prefix, idHeader, timestampHeader, signed, secretEncoding };
  const written = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const style = { ...base, ...written };
  return {
    ...style,
    header: style.header.toLowerCase(),
    idHeader: style.idHeader?.toLowerCase(),
    timestampHeader: style.timestampHeader?.toLowerCase(),
  };
}

/** The bytes of a secret; empty where it is not written as the style says. */
export function secretBytes({ secretEncoding, secretPrefix = "" }: HmacStyle, secret: string): Buffer {
  const bare = secretPrefix !== "" && secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  if (secretEncoding === "text") return Buffer.from(bare, "utf8");
  const form = secretEncoding === "hex" ? /^([0-9a-f]{2})+$/i : /^[A-Za-z0-9+/_-]+={0,2}$/;
  return form.test(bare) ? Buffer.from(bare, secretEncoding) : Buffer.alloc(0);
}
