import type { FastifyReply, FastifyRequest } from "fastify";
import { problemAnswer } from "./problem-details.ts";
import { senderVerifier } from "./verify-sender.ts";
import { writeAnswer } from "./write-answer.ts";

/** Turns strangers away before their body is read: they must not make us take in 64 MiB. */
export function requireKey({ apiKey, newReference }: { apiKey: string; newReference: () => string }) {
  const isSender = senderVerifier(apiKey);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (isSender(request.headers)) return undefined;
    const detail = "Send the API key as `Authorization: Bearer KEY` or `X-Api-Key: KEY`.";
    reply.header("www-authenticate", "Bearer");
    return writeAnswer(reply, problemAnswer({ status: 401, detail, traceId: newReference() }));
  };
}
