import { createHash, subtle } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Verified } from "../senders/sender-check.ts";

/** Longer ones are no names but data, and would be stored with every push. */
const maxLength = 255;
/** Above this the digest is made beside the main thread: it takes longer than a request may hold up others. */
const largeBytes = 256 * 1024;

/** The names a push is known under, none where it has none; or what is wrong with the one it has. */
export function pushKeys(
  request: FastifyRequest,
  { sender, deliveryId }: Verified,
  routeName: string,
): { readonly keys: readonly string[] } | { readonly wrong: string } {
  const given = request.headers["idempotency-key"];
  if (given !== undefined && (typeof given !== "string" || !isName(given))) {
    return { wrong: `The Idempotency-Key must be 1 to ${maxLength} visible ASCII characters.` };
  }
  const keys = [
    ...(given === undefined ? [] : [JSON.stringify(["key", sender, routeName, given])]),
    // Also where it has a key: that header is not signed, and whoever replays a request could change it.
    ...(deliveryId === undefined ? [] : [JSON.stringify(["delivery", deliveryId])]),
  ];
  return { keys };
}

const isName = (text: string) => text.length <= maxLength && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);

export async function bodyDigest(body: Uint8Array): Promise<string> {
  if (body.length <= largeBytes) return createHash("sha256").update(body).digest("base64url");
  // Bodies are never in shared memory, which is all that the declared type fears.
  return Buffer.from(await subtle.digest("SHA-256", body as Uint8Array<ArrayBuffer>)).toString("base64url");
}
