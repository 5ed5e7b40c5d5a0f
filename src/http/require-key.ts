import type { FastifyReply, FastifyRequest } from "fastify";
import { systemClock } from "../kit/clock.ts";
import { clientAddress } from "./senders/client-address.ts";
import { credentialsOf } from "./senders/credentials.ts";
import { type FailureDelays, failureDelays } from "./senders/failure-delays.ts";
import { writeRefusal } from "./senders/write-refusal.ts";
import { senderVerifier } from "./verify-sender.ts";

export interface RequireKeyNeeds {
  readonly apiKey: string;
  readonly newReference: () => string;
  readonly failures?: FailureDelays;
}

/** Turns strangers away before their body is read: they must not make us take in 64 MiB. */
export function requireKey({
  apiKey,
  newReference,
  failures = failureDelays({ clock: systemClock }),
}: RequireKeyNeeds) {
  const isSender = senderVerifier(apiKey);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (isSender(request.headers)) return undefined;
    // Nothing was guessed where nothing was sent; and the right key never waits for the wrong ones of others.
    const isGuess = credentialsOf(request.headers).key !== undefined;
    const retryAfterSeconds = isGuess ? failures.failed({ address: clientAddress(request, () => false) }) : 0;
    if (retryAfterSeconds > 0) {
      const detail = `Too many wrong keys from this address. Try again in ${retryAfterSeconds} s.`;
      return writeRefusal(reply, { status: 429, detail, retryAfterSeconds }, newReference);
    }
    const detail = "Send the API key as `Authorization: Bearer KEY` or `X-Api-Key: KEY`.";
    return writeRefusal(reply, { status: 401, detail, challenge: "Bearer" }, newReference);
  };
}
