import type { FastifyRequest } from "fastify";
import type { KnownSender } from "./compile-senders.ts";
import { type Credentials, credentialsOf, looksLikeToken } from "./credentials.ts";
import { certificateNames } from "./verify-certificate.ts";

/** Whom the head of a request comes from; a signature over the body is judged later. */
export type Identity =
  | { readonly sender: KnownSender }
  /** Shown, and not good. */
  | { readonly wrong: string }
  | { readonly unavailable: true }
  /** Not even looked at: passwords can be guessed, so each guess has to wait. */
  | { readonly wait: number }
  | { readonly nothing: true };

export async function identify(
  request: FastifyRequest,
  { senders, waitSeconds }: { senders: readonly KnownSender[]; waitSeconds: () => number },
): Promise<Identity> {
  const shown = credentialsOf(request.headers);
  const byHeader = await identifyByHeader(shown, senders, waitSeconds);
  if ("sender" in byHeader) return byHeader;
  const names = senders.some(({ certificate }) => certificate !== undefined) ? certificateNames(request.raw) : null;
  const holder = names === null ? undefined : senders.find(({ certificate }) => certificate?.(names));
  if (holder !== undefined) return { sender: holder };
  if (names !== null && "nothing" in byHeader) return { wrong: "This certificate is not known here." };
  return byHeader;
}

async function identifyByHeader(
  { key, basic }: Credentials,
  senders: readonly KnownSender[],
  waitSeconds: () => number,
): Promise<Identity> {
  if (basic !== undefined) {
    const wait = waitSeconds();
    if (wait > 0) return { wait };
    const holder = only(senders.filter((sender) => sender.basic?.(basic)));
    return holder ?? { wrong: "This user and password are not known here." };
  }
  if (key === undefined) return { nothing: true };
  // All of them, whichever fits: how long it takes must not tell.
  const holder = only(senders.filter((sender) => sender.key?.(key)));
  if (holder !== null) return holder;
  return looksLikeToken(key) ? identifyByToken(key, senders) : { wrong: "This key is not known here." };
}

const only = ([sender]: readonly KnownSender[]): Identity | null => (sender === undefined ? null : { sender });

async function identifyByToken(token: string, senders: readonly KnownSender[]): Promise<Identity> {
  let outcome: Identity = { wrong: "This token is of no issuer known here." };
  for (const sender of senders) {
    const verdict = await sender.token?.(token);
    if (verdict === "right") return { sender };
    if (verdict === "unavailable") outcome = { unavailable: true };
    else if (typeof verdict === "object" && !("unavailable" in outcome)) outcome = verdict;
  }
  return outcome;
}
