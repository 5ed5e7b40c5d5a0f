import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { nameInSegment } from "../../contract/admin/path-segment.ts";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import type { Overview } from "../../engine/journal-view/open-overview.ts";
import { textSlices, writtenPieces } from "../../kit/json/write-in-turns.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import type { DateSettings } from "../../operation/dates.ts";
import { mayAct } from "../auth/admin-access.ts";
import { jsonContentType, writeAnswer, writePieces } from "../contract/answer.ts";
import type { AdminGate, Principal } from "./admin-gate.ts";
import { adminProblem } from "./admin-problem.ts";
import type { QueryErrors } from "./read-decision.ts";
import { type EditReading, type MemberReading, type ReadEdit, readMembers } from "./read-edit.ts";

export interface AdminNeeds {
  readonly overview: Overview;
  readonly log: Log;
  /** Records who changed what, for changes that write no journal entry. */
  readonly actions: Pick<ActionLog, "add">;
  /** Masks every secret of the configuration. */
  readonly maskSecrets: (text: string) => string;
  readonly version: string;
  readonly clock: Clock;
  /** Called once per request. */
  readonly dates: () => DateSettings;
  readonly readEdit: ReadEdit;
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
export const privacyOf = ({ members, principal, request }: Exchange) => ({
  showPersonal: members.get("show") === "personal" && mayAct(principal.role, "operator"),
  language: chooseLanguage(request.headers["accept-language"]),
});

export function parameter({ request }: Exchange, name: string): string {
  // The route names this parameter, so the library has filled it.
  return nameInSegment((request.params as Readonly<Record<string, string>>)[name] ?? "");
}

/** Returns the sequence number or the id that the address names: people see numbers in lists, receivers know ids. */
export function entryName(exchange: Exchange): number | string {
  const name = parameter(exchange, "entry");
  return /^\d{1,15}$/.test(name) ? Number(name) : name;
}

/** Larger than any real decision. */
export const decisionLimitBytes = 64 * 1024;

export function bodyOf({ request, principal }: Pick<Exchange, "request" | "principal">): MemberReading {
  // The parsers of this server give bytes, or nothing.
  const reading = readMembers(request.body as Uint8Array | undefined);
  return "errors" in reading ? reading : { members: inOwnName(reading.members, principal) };
}

/** Reads a request that brings a new body, which may be several megabytes long. */
export async function editOf({ request, principal, readEdit }: EditExchange): Promise<EditReading> {
  // The parsers of this server give bytes, or nothing.
  const reading = await readEdit(request.body as Uint8Array | undefined);
  return "errors" in reading ? reading : { ...reading, members: inOwnName(reading.members, principal) };
}

type EditExchange = Pick<Exchange, "request" | "principal" | "readEdit">;

/** A caller who is known by name cannot act in the name of somebody else. */
const inOwnName = <Members extends object>(members: Members, { name }: Principal): Members =>
  name === null ? members : { ...members, operator: name };

export function wholeNumber(text: string, max: number): number | null {
  return /^\d{1,16}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? Number(text) : null;
}

export const send = (reply: FastifyReply, value: object): FastifyReply => sendBody(reply, JSON.stringify(value));

/** Sends an answer that may be several megabytes long. Other requests run while it is written. */
export const sendInTurns = (reply: FastifyReply, value: object): FastifyReply =>
  sendBody(reply, writtenPieces(value) ?? JSON.stringify(value));

/** A shorter text arrives as fast as it is. */
const shortestCompressed = 16 * 1024;
const pieceLength = 64 * 1024;

/**
 * Long answers are compressed: the history of an order is a megabyte of similar lines, and people read it over slow
 * links. That happens outside of the main thread. No answer sent here has a secret beside what others may write.
 */
function sendBody(reply: FastifyReply, body: string | Iterable<string>): FastifyReply {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(reply.request.headers["accept-encoding"] ?? "");
  if (!takesGzip || (typeof body === "string" && body.length < shortestCompressed)) {
    return writeAnswer(reply, { status: reply.statusCode, contentType: jsonContentType, body });
  }
  reply.header("content-encoding", "gzip").header("vary", "accept-encoding");
  const pieces = typeof body === "string" ? textSlices(body, pieceLength) : body;
  // `writePieces` notices a failure by itself; without a listener the failure would end the process.
  return writePieces(
    reply,
    jsonContentType,
    pipeline(Readable.from(pieces), createGzip(), () => {}),
  );
}

export const problem = ({ reply, newReference }: Exchange, status: number, detail: string) =>
  writeAnswer(reply, adminProblem({ status, detail, traceId: newReference() }));

export const noSuchEntry = (exchange: Exchange) =>
  problem(exchange, 404, `There is no entry ${JSON.stringify(entryName(exchange))}.`);

export const badRequest = ({ reply, newReference }: Exchange, errors: QueryErrors) =>
  writeAnswer(reply, adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }));
