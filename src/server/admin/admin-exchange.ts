import type { FastifyReply, FastifyRequest } from "fastify";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import type { Overview } from "../../engine/journal-view/open-overview.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { defaultLanguage } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { problemText } from "../../operation/fault.ts";
import { mayAct } from "../auth/admin-access.ts";
import { jsonContentType, problemAnswer, writeAnswer } from "../contract/answer.ts";
import { readJson } from "../contract/parse-json-body.ts";
import type { AdminGate, Principal } from "./admin-gate.ts";
import type { QueryErrors } from "./read-decision.ts";

export interface AdminNeeds {
  readonly overview: Overview;
  readonly log: Log;
  /** Keeps who changed what, where no entry of the journal does. */
  readonly actions: Pick<ActionLog, "add">;
  /** Masks every secret of the configuration. */
  readonly maskSecrets: (text: string) => string;
  readonly version: string;
  readonly clock: Clock;
  /** Read once per request. */
  readonly dates: () => DateSettings;
  readonly gate: AdminGate;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** What a route needs to answer one request. */
export interface Exchange extends Omit<AdminNeeds, "dates"> {
  readonly dates: DateSettings;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly members: ReadonlyMap<string, string>;
  readonly principal: Principal;
}

export type Handle = (exchange: Exchange) => FastifyReply | Promise<FastifyReply>;

/** A viewer never sees operators' addresses, whatever the request asks for. */
export const privacyOf = ({ members, principal }: Exchange) => ({
  showPersonal: members.get("show") === "personal" && mayAct(principal.role, "operator"),
});

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

export function bodyOf({ request, principal }: Pick<Exchange, "request" | "principal">): BodyReading {
  // The parsers of this server give bytes, or nothing.
  const json = readJson(request.body as Uint8Array | undefined, undefined, parseJsonKeepingDigits);
  if ("problem" in json && json.problem.expected !== "json") {
    const { field } = json.problem;
    return { errors: { [field === "" ? "$" : field]: [localise(problemText(json.problem), defaultLanguage)] } };
  }
  if ("problem" in json || typeof json.value !== "object" || json.value === null || Array.isArray(json.value)) {
    return { errors: { $: ["must be a JSON object"] } };
  }
  // An object that is no list, by the check above; its members may be anything.
  const members = json.value as Readonly<Record<string, unknown>>;
  // Whoever is known by name cannot act in the name of somebody else.
  return { members: principal.name === null ? members : { ...members, operator: principal.name } };
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
