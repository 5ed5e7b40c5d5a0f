import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { HmacAuth } from "../../http-client/auth/auth-kinds.ts";

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** As it was sent, with its query. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly nowMs: number;
}

export type HmacVerdict = { readonly deliveryId: string } | { readonly wrong: string };

export interface HmacVerifier {
  /** Whether a request claims to be signed this way. */
  readonly isSigned: (headers: IncomingHttpHeaders) => boolean;
  readonly verify: (request: SignedRequest) => HmacVerdict;
}

/** While a sender changes its secret it signs with both; more than these are an attempt to keep us busy. */
const maxSignatures = 10;

/** Judges signatures over the bytes that came. Anything read and written again would have other bytes. */
export function hmacVerifier(auth: HmacAuth): HmacVerifier {
  const style = hmacStyle(auth);
  const secrets = auth.secrets.map((secret) => secretBytes(style, secret));
  const pieces = style.signed.split(/(\{(?:id|timestamp|method|path|body)\})/).filter((piece) => piece !== "");
  const toleranceMs = auth.toleranceSeconds * 1000;
  const isIdSigned = style.idHeader !== undefined && style.signed.includes("{id}");

  const verify = ({ headers, method, path, body, nowMs }: SignedRequest): HmacVerdict => {
    const id = textOf(headers, style.idHeader);
    const timestamp = textOf(headers, style.timestampHeader);
    if (isIdSigned && id === "") return { wrong: `The header ${style.idHeader} is missing.` };
    if (style.timestampHeader !== undefined) {
      if (!/^\d{1,12}$/.test(timestamp)) return { wrong: `The header ${style.timestampHeader} holds no time.` };
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
    const expected = secrets.map((secret) => {
      const hmac = createHmac(style.algorithm, secret);
      for (const piece of pieces) hmac.update(values[piece] ?? piece);
      return hmac.digest();
    });
    const isRight = givenSignatures(style, headers).some((given) =>
      // All of them, whichever fits: how long it takes must not tell.
      expected.map((one) => one.length === given.length && timingSafeEqual(one, given)).includes(true),
    );
    if (!isRight) return { wrong: "The signature does not fit the body and the secret." };
    // By the first secret, whichever signed: the same delivery keeps its name while secrets change.
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

/** How a signature is made and where it stands. */
interface HmacStyle {
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
