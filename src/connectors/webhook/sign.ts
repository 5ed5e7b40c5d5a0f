import { createHmac } from "node:crypto";

const prefix = "whsec_";

/** The key a secret stands for: Base64 after `whsec_`, else the text itself. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);

/** A Standard Webhooks signature: one part per key, so that the receiver can change over from one to the next. */
export function sign(keys: readonly Buffer[], id: string, timestampSeconds: number, body: Uint8Array): string {
  return keys
    .map((key) => `v1,${createHmac("sha256", key).update(`${id}.${timestampSeconds}.`).update(body).digest("base64")}`)
    .join(" ");
}
