import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The caller of the process that passed a request on. */
export interface Caller {
  readonly address: string;
  /** The names of the client certificate; null without one. */
  readonly names: readonly string[] | null;
  /**
   * Entries whose answers have arrived at callers. An earlier owner gave these answers and may not have stored that
   * they arrived. Absent: the process does not know which entries are answered, and must not be told entry numbers.
   */
  readonly answered?: readonly number[];
}

const callerHeader = "crossdock-caller";
const signatureHeader = "crossdock-caller-proof";
/** Set in the answer of a process that got a passed-on request but does not own the deployment: nothing was done. */
export const notOwnerHeader = "crossdock-not-owner";
/** Set in an owner's answer to a process that passed an event on: the number of the entry. Callers never see it. */
export const entryHeader = "crossdock-entry";

/**
 * The headers of an answer that says that nothing was done. A process that passed the request on then looks for another
 * owner instead of giving this answer to its caller. No proof is needed for that.
 */
export const nothingDone = ({ headers }: IncomingMessage): Record<string, string> =>
  headers[callerHeader] === undefined ? {} : { [notOwnerHeader]: "1" };

interface Addressed {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/**
 * The headers that tell the owner who called. Only processes that know the secret can write them, and each proof is
 * valid for one method and address only.
 */
export function callerHeaders(secret: string, caller: Caller, request: Addressed): Record<string, string> {
  const text = Buffer.from(JSON.stringify(caller)).toString("base64url");
  return { [callerHeader]: text, [signatureHeader]: signatureOf(secret, text, request) };
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** Accepts the headers if their proof is right. Otherwise the caller is whoever is connected. */
export function takeCaller(request: IncomingMessage, secret: string): void {
  const { [callerHeader]: text, [signatureHeader]: signature } = request.headers;
  if (typeof text !== "string" || typeof signature !== "string") return;
  const expected = Buffer.from(signatureOf(secret, text, request));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return;
  // The proof says that one of our own processes wrote it.
  callers.set(request, JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Caller);
}

/** Undefined if the request was not passed on by a process of ours. */
export const callerOf = (request: IncomingMessage): Caller | undefined => callers.get(request);

function signatureOf(secret: string, text: string, { method = "GET", url = "/" }: Addressed): string {
  return createHmac("sha256", secret).update(`${text}\n${method}\n${url}`).digest("base64url");
}
