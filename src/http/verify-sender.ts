import type { IncomingHttpHeaders } from "node:http";
import { credentialsOf } from "./senders/credentials.ts";
import { secretMatcher } from "./senders/secret-matcher.ts";

/** Whether a request bears the API key, as `Authorization: Bearer KEY` or `X-Api-Key`. */
export function senderVerifier(apiKey: string): (headers: IncomingHttpHeaders) => boolean {
  const isKey = secretMatcher([apiKey]);
  return (headers) => isKey(credentialsOf(headers).key ?? "");
}
