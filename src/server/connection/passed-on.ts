import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who called the process that passed a request on. */
export interface Caller {
  readonly address: string;
  /** The names of its client certificate; null without one. */
  readonly names: readonly string[] | null;
}

const callerHeader = "crossdock-caller";
const proofHeader = "crossdock-caller-proof";
/** In the answer of a process that got a passed-on request and does not own the deployment: nothing was done. */
export const notOwnerHeader = "crossdock-not-owner";

interface Addressed {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * The headers that tell the owner who called. Only processes that know the secret can write them, and a proof holds for
 * one method and address only.
 */
export function callerHeaders(secret: string, caller: Caller, request: Addressed): Record<string, string> {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return { [callerHeader]: text, [proofHeader]: proofOf(secret, text, request) };
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Believes the headers if their proof is right; otherwise the caller is whoever is connected. */
export function takeCaller(request: IncomingMessage, secret: string): void {
  const { [callerHeader]: text, [proofHeader]: proof } = request.headers;
  if (typeof text !== "string" || typeof proof !== "string") return;
  const expected = Buffer.from(proofOf(secret, text, request));
  const given = Buffer.from(proof);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return;
  // Written above by a process of ours, as the proof says.
  callers.set(request, JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Caller);
}

/** Undefined if the request was not passed on by a process of ours. */
export const callerOf = (request: IncomingMessage): Caller | undefined => callers.get(request);

function proofOf(secret: string, text: string, { method = "GET", url = "/" }: Addressed): string {
  return createHmac("sha256", secret).update(`${text}\n${method}\n${url}`).digest("base64url");
}
