import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Overview } from "../../engine/journal-view/open-overview.ts";
import type { Log } from "../../kit/log.ts";
import { systemClock } from "../../kit/time/clock.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { type FailureDelays, failureDelays } from "../auth/failure-delays.ts";
import { clientAddress, credentialsOf, secretMatcher, writeRefusal } from "../auth/sender-check.ts";
import { jsonContentType, problemAnswer, writeAnswer } from "../contract/answer.ts";
import { readJson } from "../contract/parse-json-body.ts";
import type { QueryErrors } from "./read-decision.ts";

export interface AdminNeeds {
  readonly overview: Overview;
  readonly log: Log;
  /** Read once per request. */
  readonly dates: () => DateSettings;
  readonly apiKey: string;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** What a route needs to answer one request. */
export interface Exchange extends Omit<AdminNeeds, "dates"> {
  readonly dates: DateSettings;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly members: ReadonlyMap<string, string>;
}

export const privacyOf = ({ members }: Exchange) => ({ showPersonal: members.get("show") === "personal" });

export function parameter({ request }: Exchange, name: string): string {
  // The route names this parameter, so the library has filled it.
  return (request.params as Readonly<Record<string, string>>)[name] ?? "";
}

/** People read numbers in a list; receivers know ids. */
export function entryName(exchange: Exchange): number | string {
  const name = parameter(exchange, "entry");
  return /^\d{1,15}$/.test(name) ? Number(name) : name;
}

type BodyReading = { readonly members: Readonly<Record<string, unknown>> } | { readonly errors: QueryErrors };

export function bodyOf({ request }: Exchange): BodyReading {
  // The parsers of this server give bytes, or nothing.
  const json = readJson(request.body as Uint8Array | undefined);
  if ("problem" in json || typeof json.value !== "object" || json.value === null || Array.isArray(json.value)) {
    return { errors: { $: ["must be a JSON object"] } };
  }
  // An object that is no list, by the check above; its members may be anything.
  return { members: json.value as Readonly<Record<string, unknown>> };
}

export function wholeNumber(text: string, max: number): number | null {
  return /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? Number(text) : null;
}

export const send = (reply: FastifyReply, value: object) =>
  reply.header("content-type", jsonContentType).send(JSON.stringify(value));

export const problem = ({ reply, newReference }: Exchange, status: number, detail: string) =>
  writeAnswer(reply, problemAnswer({ status, detail, traceId: newReference() }));

export const noSuchEntry = (exchange: Exchange) =>
  problem(exchange, 404, `There is no entry ${JSON.stringify(entryName(exchange))}.`);

export const badRequest = ({ reply, newReference }: Exchange, errors: QueryErrors) =>
  writeAnswer(reply, problemAnswer({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }));

interface RequireKeyNeeds {
  readonly apiKey: string;
  readonly newReference: () => string;
  readonly failures?: FailureDelays;
}

/** Rejects callers without the key before their body is read: they must not make the adapter receive 64 MiB. */
export function requireKey({
  apiKey,
  newReference,
  failures = failureDelays({ clock: systemClock }),
}: RequireKeyNeeds) {
  const isSender = senderVerifier(apiKey);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (isSender(request.headers)) return undefined;
    // A request without a key is not a guess; and the right key is never delayed by wrong keys of others.
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

/** Whether a request has the API key, as `Authorization: Bearer KEY` or `X-Api-Key`. */
function senderVerifier(apiKey: string): (headers: IncomingHttpHeaders) => boolean {
  const isKey = secretMatcher([apiKey]);
  return (headers) => isKey(credentialsOf(headers).key ?? "");
}
