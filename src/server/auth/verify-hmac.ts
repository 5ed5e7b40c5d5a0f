import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { HmacAuth } from "../../http-client/auth/auth-kinds.ts";
import { hashInTurns } from "../../kit/hash-in-turns.ts";

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** The path as it was sent, with the query string. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly nowMs: number;
}

export type HmacVerdict = { readonly deliveryId: string } | { readonly wrong: string };

export interface HmacVerifier {
  /** Whether a request claims to be signed in this way. */
  readonly isSigned: (headers: IncomingHttpHeaders) => boolean;
  readonly verify: (request: SignedRequest) => Promise<HmacVerdict>;
}

/** A sender that changes its secret signs with both. More signatures are an attempt to keep the adapter busy. */
const maxSignatures = 10;

/** Verifies signatures over the received bytes. Parsing and serialising them would change the bytes. */
export function hmacVerifier(auth: HmacAuth): HmacVerifier {
  const style = hmacStyle(auth);
  const secrets = auth.secrets.map((secret) => secretBytes(style, secret));
  const pieces = style.signed.split(/(\{(?:id|timestamp|method|path|body)\})/).filter((piece) => piece !== "");
  const toleranceMs = auth.toleranceSeconds * 1000;
  const isIdSigned = style.idHeader !== undefined && style.signed.includes("{id}");

  const verify: HmacVerifier["verify"] = async ({ headers, method, path, body, nowMs }) => {
    const id = textOf(headers, style.idHeader);
    const timestamp = textOf(headers, style.timestampHeader);
    if (isIdSigned && id === "") return { wrong: `The header ${style.idHeader} is missing.` };
    if (style.timestampHeader !== undefined) {
      if (!/^\d{1,12}$/.test(timestamp)) return { wrong: `The header ${style.timestampHeader} is not a time.` };
      const offMs = Math.abs(nowMs - Number(timestamp) * 1000);
      if (offMs > toleranceMs) return { wrong: `It was signed ${Math.round(offMs / 1000)} s off our time: too much.` };
    }
    const values: Readonly<Record<string, string | Uint8Array>> = {
      "{id}": id,
      "{timestamp}": timestamp,
      "{method}": method,
      "{path}": path,
      "{body}": body,
    };
    const hmacs = secrets.map((secret) => createHmac(style.algorithm, secret));
    for (const piece of pieces) {
      const value = values[piece] ?? piece;
      await hashInTurns(hmacs, typeof value === "string" ? Buffer.from(value) : value);
    }
    const expected = hmacs.map((hmac) => hmac.digest());
    const isRight = givenSignatures(style, headers).some((given) =>
      // All are compared, even after a match: the duration must not reveal which one matches.
      expected.map((one) => one.length === given.length && timingSafeEqual(one, given)).includes(true),
    );
    if (!isRight) return { wrong: "The signature does not match the body and the secret." };
    // Computed with the first secret, whichever one signed: the delivery keeps its id while secrets change.
    return { deliveryId: isIdSigned ? `id ${id}` : `signature ${expected[0]?.toString("hex")}` };
  };
  return { isSigned: (headers) => headers[style.header] !== undefined, verify };
}

function givenSignatures({ header, prefix, encoding }: HmacStyle, headers: IncomingHttpHeaders): Buffer[] {
  const form = encoding === "hex" ? /^[0-9a-f]+$/i : /^[A-Za-z0-9+/]+={0,2}$/;
  return textOf(headers, header)
    .split(/\s+/)
    .slice(0, maxSignatures)
    .filter((one) => one.startsWith(prefix) && form.test(one.slice(prefix.length)))
    .map((one) => Buffer.from(one.slice(prefix.length), encoding));
}

function textOf(headers: IncomingHttpHeaders, name: string | undefined): string {
  const value = name === undefined ? undefined : headers[name];
  return typeof value === "string" ? value : "";
}

/** How a signature is made and which header holds it. */
interface HmacStyle {
  readonly header: string;
  readonly algorithm: "sha256" | "sha384" | "sha512";
  readonly encoding: "hex" | "base64";
  readonly prefix: string;
  readonly idHeader?: string | undefined;
  readonly timestampHeader?: string | undefined;
  /** The template of the signed text; names in braces are replaced. */
  readonly signed: string;
  readonly secretEncoding: "text" | "base64" | "hex";
  /** A prefix that tools put before the secret, and that is not part of it. */
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
  // Neither GitHub nor Shopify signs the delivery's id, so the id proves nothing and is ignored.
  github: { ...plain, header: "x-hub-signature-256", prefix: "sha256=" },
  shopify: { ...plain, header: "x-shopify-hmac-sha256", encoding: "base64" },
};

/** Combines the preset with the explicit members; explicit members win. */
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

/** Returns the bytes of a secret; empty if it is not in the encoding of the style. */
export function secretBytes({ secretEncoding, secretPrefix = "" }: HmacStyle, secret: string): Buffer {
  const bare = secretPrefix !== "" && secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  if (secretEncoding === "text") return Buffer.from(bare, "utf8");
  const form = secretEncoding === "hex" ? /^([0-9a-f]{2})+$/i : /^[A-Za-z0-9+/_-]+={0,2}$/;
  return form.test(bare) ? Buffer.from(bare, secretEncoding) : Buffer.alloc(0);
}
