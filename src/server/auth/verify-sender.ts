import type { FastifyRequest } from "fastify";
import {
  certificateNames,
  challengeOf,
  compileSenders,
  type KnownSender,
  type SenderSettings,
} from "./compile-senders.ts";
import { type FailureDelays, failureDelays, type Place } from "./failure-delays.ts";
import { markDelivery, type SeenIds } from "./open-seen-ids.ts";
import {
  addressMatcher,
  type Credentials,
  clientAddress,
  credentialsOf,
  looksLikeToken,
  type Refused,
  type SenderCheck,
  type Verified,
} from "./sender-check.ts";

export interface SenderCheckNeeds extends SenderSettings {
  readonly seenIds: SeenIds;
  /** Shared with the other checks that count wrong credentials. */
  readonly failures?: FailureDelays;
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: readonly string[];
}

/** Identifies the sender of a request and decides whether to accept it. */
export function createSenderCheck(needs: SenderCheckNeeds): SenderCheck {
  const { clock, seenIds } = needs;
  const senders = compileSenders(needs);
  const failures = needs.failures ?? failureDelays({ clock });
  const isProxy = addressMatcher(needs.trustProxy ?? []);
  const challenge = challengeOf(senders);
  // The result of the check before the body was read is reused.
  const identities = new WeakMap<FastifyRequest, Promise<Identity>>();

  const users = new Set(senders.flatMap((sender) => sender.users ?? []));

  /**
   * The address, and the claimed user if that user exists. Invented users would push real ones out of the bounded map.
   */
  const placesOf = (request: FastifyRequest): { readonly address: Place; readonly user: Place | null } => {
    const claimed = credentialsOf(request.headers).basic?.user;
    const address = clientAddress(request, isProxy);
    const isUser = claimed !== undefined && users.has(claimed);
    return { address: { address }, user: isUser ? { address, claimed } : null };
  };
  /** Counted per user: a right password is not delayed by wrong ones that others send from the same address. */
  const userWaitSeconds = (request: FastifyRequest): number => {
    const { user } = placesOf(request);
    return user === null ? 0 : failures.waitSeconds(user);
  };
  const identityOf = (request: FastifyRequest): Promise<Identity> => {
    const known = identities.get(request);
    if (known !== undefined) return known;
    const found = identify(request, { senders, waitSeconds: () => userWaitSeconds(request) });
    identities.set(request, found);
    return found;
  };

  /** Refuses wrong credentials. Right credentials are never delayed, whatever others did from the same address. */
  const turnedAway = (request: FastifyRequest, detail: string): Refused => {
    const { address, user } = placesOf(request);
    // Always counted by address as well: otherwise a new name for each guess would avoid every delay.
    const retryAfterSeconds = Math.max(failures.failed(address), user === null ? 0 : failures.failed(user));
    if (retryAfterSeconds === 0) return { status: 401, detail, challenge };
    return { status: 429, detail: tooMany(retryAfterSeconds), retryAfterSeconds };
  };

  /** Checks the permission of a sender whose identity is proven. */
  const barred = (request: FastifyRequest, sender: KnownSender): Refused | null => {
    if (!sender.isEnabled) return { status: 403, detail: `The sender ${sender.name} is switched off.` };
    if (sender.isAddress(clientAddress(request, isProxy))) return null;
    return { status: 403, detail: `The sender ${sender.name} may not send from this address.` };
  };

  const refusalOf = (request: FastifyRequest, identity: Exclude<Identity, { sender: KnownSender }>): Refused => {
    if ("wait" in identity) {
      // The longer of both delays, as for an unknown user: the answer must not reveal which users exist.
      const wait = Math.max(identity.wait, failures.waitSeconds(placesOf(request).address));
      return { status: 429, detail: tooMany(wait), retryAfterSeconds: wait };
    }
    if ("unavailable" in identity) {
      return { status: 503, detail: "The token cannot be checked now. Send it again later.", retryAfterSeconds: 30 };
    }
    if ("wrong" in identity) return turnedAway(request, identity.wrong);
    // No credentials were sent, so this is not a guess and does not count as a failure.
    return { status: 401, detail: "Credentials are required: a key, a password, a token or a signature.", challenge };
  };

  const signed = (request: FastifyRequest) =>
    senders.flatMap((sender) => (sender.hmac?.isSigned(request.headers) ? [sender] : []));

  const verified = (sender: KnownSender, deliveryId?: string): Verified => ({
    sender: sender.name,
    topics: sender.topics,
    ...(deliveryId === undefined ? {} : { deliveryId }),
  });

  async function checkSigned(
    request: FastifyRequest,
    body: Uint8Array,
    candidates: readonly KnownSender[],
    taken: (request: FastifyRequest, sender: KnownSender, delivery: string) => Verified | Refused,
  ): Promise<Verified | Refused> {
    const { headers, method, originalUrl: path } = request;
    let wrong = "The signature is wrong.";
    for (const sender of candidates) {
      const verdict = await sender.hmac?.verify({ headers, method, path, body, nowMs: clock.now() });
      if (verdict === undefined) continue;
      if ("wrong" in verdict) wrong = verdict.wrong;
      else return barred(request, sender) ?? taken(request, sender, verdict.deliveryId);
    }
    return turnedAway(request, wrong);
  }

  function firstTime(request: FastifyRequest, sender: KnownSender, delivery: string): Verified | Refused {
    const id = `${sender.name} ${delivery}`;
    const state = seenIds.begin(id);
    if (state === "taken")
      return { status: 200, detail: "This delivery was accepted before; nothing was stored again." };
    if (state === "under way") {
      return { status: 409, detail: "This delivery is being stored now.", retryAfterSeconds: 1 };
    }
    markDelivery(request, { id, rememberMs: sender.rememberMs });
    return verified(sender, id);
  }

  const judged = async (request: FastifyRequest, rawBody: Uint8Array, taken: Parameters<typeof checkSigned>[3]) => {
    const identity = await identityOf(request);
    if ("sender" in identity) return barred(request, identity.sender) ?? verified(identity.sender);
    const candidates = signed(request);
    return candidates.length > 0 ? checkSigned(request, rawBody, candidates, taken) : refusalOf(request, identity);
  };

  return {
    beforeBody: async (request) => {
      const identity = await identityOf(request);
      if ("sender" in identity) return barred(request, identity.sender);
      return signed(request).length > 0 ? null : refusalOf(request, identity);
    },
    check: (request, rawBody) => judged(request, rawBody, firstTime),
    checkQuery: (request) => judged(request, noBody, (_request, sender) => verified(sender)),
  };
}

const noBody = new Uint8Array();

const tooMany = (seconds: number) => `Too many wrong credentials from this address. Try again in ${seconds} s.`;

/** The sender as the headers name it. A signature over the body is checked later. */
type Identity =
  | { readonly sender: KnownSender }
  /** Credentials were sent, but they are wrong. */
  | { readonly wrong: string }
  | { readonly unavailable: true }
  /** The credentials were not checked, because passwords can be guessed: each guess has to wait. */
  | { readonly wait: number }
  | { readonly nothing: true };

async function identify(
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
  // All are compared, even after a match: the duration must not reveal which one matches.
  const holder = only(senders.filter((sender) => sender.key?.(key)));
  if (holder !== null) return holder;
  return looksLikeToken(key) ? identifyByToken(key, senders) : { wrong: "This key is not known here." };
}

const only = ([sender]: readonly KnownSender[]): Identity | null => (sender === undefined ? null : { sender });

async function identifyByToken(token: string, senders: readonly KnownSender[]): Promise<Identity> {
  let outcome: Identity = { wrong: "The issuer of this token is not known here." };
  for (const sender of senders) {
    const verdict = await sender.token?.(token);
    if (verdict === "right") return { sender };
    if (verdict === "unavailable") outcome = { unavailable: true };
    else if (typeof verdict === "object" && !("unavailable" in outcome)) outcome = verdict;
  }
  return outcome;
}
