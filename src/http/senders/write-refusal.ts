import type { FastifyReply } from "fastify";
import { jsonContentType } from "../answer.ts";
import { problemAnswer } from "../problem-details.ts";
import { writeAnswer } from "../write-answer.ts";
import type { Refused } from "./sender-check.ts";

/** Says no as problem details; says that a repeated delivery was taken before as the success it is. */
export function writeRefusal(reply: FastifyReply, refused: Refused, newReference: () => string): FastifyReply {
  const { status, detail, retryAfterSeconds, challenge } = refused;
  if (status === 200) {
    const body = JSON.stringify({ repeated: true, detail });
    return writeAnswer(reply, { status, contentType: jsonContentType, body });
  }
  if (challenge !== undefined) reply.header("www-authenticate", challenge);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
  return writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));
}
