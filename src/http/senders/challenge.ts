import type { KnownSender } from "./compile-senders.ts";

/** What a client may prove itself with, as `WWW-Authenticate` says it. */
export function challengeOf(senders: readonly KnownSender[]): string {
  const isBasic = senders.some(({ basic }) => basic !== undefined);
  return isBasic ? 'Bearer, Basic realm="crossdock", charset="UTF-8"' : "Bearer";
}
