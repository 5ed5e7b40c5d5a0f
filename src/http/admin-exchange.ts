import type { FastifyReply, FastifyRequest } from "fastify";
import type { Overview } from "../engine/overview/open-overview.ts";
import type { Log } from "../kit/log.ts";
import type { DateSettings } from "../sdk/dates.ts";
import { jsonContentType } from "./answer.ts";
import { problemAnswer } from "./problem-details.ts";
import type { QueryErrors } from "./read-entry-query.ts";
import { readJson } from "./read-json.ts";
import { writeAnswer } from "./write-answer.ts";

export interface AdminNeeds {
  readonly overview: Overview;
  readonly log: Log;
  /** Asked once for each request. */
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

/** Numbers are what people read off a list, ids what a receiver has. */
export function entryName(exchange: Exchange): number | string {
  const name = parameter(exchange, "entry");
  return /^\d{1,15}$/.test(name) ? Number(name) : name;
}

type BodyReading = { readonly members: Readonly<Record<string, unknown>> } | { readonly errors: QueryErrors };

export function bodyOf({ request }: Exchange): BodyReading {
  const json = readJson(request.body as Uint8Array | undefined);
  if ("problem" in json || typeof json.value !== "object" || json.value === null || Array.isArray(json.value)) {
    return { errors: { $: ["must be a JSON object"] } };
  }
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
