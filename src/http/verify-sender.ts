import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Whether a request bears the API key, as `Authorization: Bearer KEY` or `X-Api-Key`. Both sides are hashed
 * first, so that the comparison takes the same time whatever was sent, and however long it was.
 */
export function senderVerifier(apiKey: string): (headers: IncomingHttpHeaders) => boolean {
  const expected = digest(apiKey);
  return (headers) => {
    const sent = bearerKey(headers.authorization) ?? headers["x-api-key"];
    return timingSafeEqual(digest(typeof sent === "string" ? sent : ""), expected);
  };
}

function bearerKey(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+)\s*$/i.exec(authorization ?? "");
  return match?.[1];
}
