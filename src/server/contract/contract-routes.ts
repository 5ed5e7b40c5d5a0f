import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { limits } from "../../contract/limits.ts";
import { resultForFault } from "../../contract/operation.ts";
import { type EventId, type OperationId, operationIds, operationRow, type QueryId } from "../../contract/operations.ts";
import type { VersionInfo } from "../../contract/schemas/queries.ts";
import type { Engine } from "../../engine/engine.ts";
import { settleFault } from "../../engine/queries/call.ts";
import type { Log } from "../../kit/log.ts";
import type { TraceContext } from "../../kit/tracing/trace-context.ts";
import { type Tracing, within } from "../../kit/tracing/tracing.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { say } from "../../messages/message.ts";
import { Fault } from "../../operation/fault.ts";
import { NoAnswer } from "../../operation/no-answer.ts";
import { answerWithSentIds } from "../../operation/platform-ids.ts";
import { type BodyBudget, bodyBudget } from "../connection/body-budget.ts";
import { BodyRefused } from "../connection/body-parser.ts";
import { type BulkArrival, bulkParser } from "../connection/bulk-parser.ts";
import { callerOf, entryHeader } from "../connection/passed-on.ts";
import { matchOf, msSinceBegin, routePath, snapshotOf, spanOf } from "../connection/request-marks.ts";
import {
  provesReceipt,
  type UndecidedAnswers,
  undecidedAnswers,
  whenAnswerReceived,
} from "../connection/when-answer-received.ts";
import type { ContractHandler } from "../server-snapshot.ts";
import {
  type Answer,
  answerOutcome,
  answerProblems,
  bodyText,
  jsonContentType,
  type ValidationMode,
  writeAnswer,
  writeChunks,
} from "./answer.ts";
import {
  type EventReader,
  type InputReader,
  type InputReading,
  readEventInput,
  readQueryInput,
  withKeyChecked,
} from "./read-input.ts";

export interface ContractRouteNeeds {
  /** Whether large bodies are handled in another thread. */
  readonly hasBulk: boolean;
  readonly reader: InputReader;
  /** Reads large events in another thread; null if they stay in this one. */
  readonly events: EventReader | null;
  readonly versionInfo: VersionInfo;
  readonly bodyLimitBytes: number;
  /** The same budget as the server's; absent: no limit. */
  readonly bodies?: BodyBudget;
  /** Called for every answer, with the name of its result and how long it took. */
  readonly onAnswer?: (id: OperationId, result: string, ms: number, span?: TraceContext) => void;
  readonly tracing?: Tracing | undefined;
}

type Needs = ContractRouteNeeds & { readonly undecided: UndecidedAnswers };

/** Bodies read in this thread must not stall it. No event comes near this size. */
const maxBodyHereBytes = limits.smallBodyMiB * 2 ** 20;

export interface ContractRoutes {
  /** Settles when it is known of every answer to an event whether it has arrived. */
  readonly answersDecided: () => Promise<void>;
}

/** All routes of the contract, made from the table. */
export function contractRoutes(app: FastifyInstance, given: ContractRouteNeeds): ContractRoutes {
  const needs = { ...given, undecided: undecidedAnswers() };
  const { bodies = bodyBudget({ maxBytes: Number.POSITIVE_INFINITY, now: () => performance.now() }) } = given;
  for (const id of operationIds) {
    const row = operationRow(id);
    const route: RouteOptions = {
      method: row.method,
      url: routePath(id),
      ...(isStatus(id) ? {} : { config: { tracedAs: row.path, operation: id, passesSpan: isEvent(id) } }),
      bodyLimit: row.bulk ? needs.bodyLimitBytes : Math.min(needs.bodyLimitBytes, maxBodyHereBytes),
      handler: (request, reply) => {
        if (isStatus(id)) {
          needs.onAnswer?.(id, noResult, msSinceBegin(request.raw));
          return reply.header("content-type", jsonContentType).send(JSON.stringify(needs.versionInfo));
        }
        return handle(needs, id, request, reply);
      },
      // Contract routes never answer 5xx: lack of room for a body is a result like any other.
      errorHandler: (error, request, reply) => {
        if (!(error instanceof BodyRefused) || isStatus(id)) throw error;
        reply.removeHeader("connection");
        const fault = new Fault("unreachable", error.message, { operatorText: say("general.busy") });
        const { contract } = snapshotOf(request.raw);
        give(needs, id, reply, contract.broken(id, fault, request.headers["accept-language"]));
      },
    };
    if (!needs.hasBulk || !row.bulk || isEvent(id) || isStatus(id)) app.route(route);
    else
      bulkRoute(
        app,
        route,
        bulkParser(id, bodies, (request) => snapshotOf(request).bulk),
      );
  }
  return { answersDecided: needs.undecided.allDecided };
}

/**
 * Registered in a separate plugin context: parsers apply to all routes of a context, and this parser is for one route.
 */
function bulkRoute(app: FastifyInstance, route: RouteOptions, parser: ReturnType<typeof bulkParser>): void {
  app.register(async (corner) => {
    corner.removeAllContentTypeParsers();
    corner.addContentTypeParser("*", parser);
    corner.route(route);
  });
}

/** For answers without an envelope, which have a status and problem details but no result. */
const noResult = "none";

const isStatus = (id: OperationId): id is "getStatus" => operationRow(id).budget === "none";
const isEvent = (id: OperationId): id is EventId => operationRow(id).kind === "event";

function handle(
  needs: Needs,
  id: QueryId | EventId,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  try {
    const answer = isEvent(id) ? event(needs, id, request, reply) : query(needs, id, request, reply);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) =>
      error instanceof NoAnswer ? hangUp(request, reply) : giveBroken(needs, id, reply, error),
    );
  } catch (error) {
    return giveBroken(needs, id, reply, error);
  }
}

/** What is logged about the error belongs to the span of the request. */
function giveBroken(needs: Needs, id: QueryId | EventId, reply: FastifyReply, error: unknown): FastifyReply {
  const { raw, headers } = reply.request;
  const broken = () => snapshotOf(raw).contract.broken(id, error, headers["accept-language"]);
  return give(needs, id, reply, within(needs.tracing, spanOf(raw), broken));
}

function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function give({ onAnswer }: ContractRouteNeeds, id: OperationId, reply: FastifyReply, answer: Answer) {
  noteAnswer(onAnswer, id, reply, answer.result);
  return writeAnswer(reply, answer);
}

function noteAnswer(
  onAnswer: ContractRouteNeeds["onAnswer"],
  id: OperationId,
  reply: FastifyReply,
  result: string | undefined,
): void {
  const { raw } = reply.request;
  const span = spanOf(raw);
  onAnswer?.(id, result ?? noResult, msSinceBegin(raw), span);
  if (span === undefined || result === undefined) return;
  span.set("crossdock.result", result);
  if (result === resultForFault(operationRow(id), "broken")) span.fail(result);
}

async function event(needs: Needs, id: EventId, request: FastifyRequest, reply: FastifyReply) {
  const { undecided } = needs;
  const { contract, engine } = snapshotOf(request.raw);
  provesReceipt(request.raw.socket);
  const read = readEventInput(needs, id, bytesOf(request));
  const { "accept-language": acceptLanguage, "idempotency-key": key } = request.headers;
  const idempotencyKey = typeof key === "string" && key !== "" ? key : undefined;
  const reading = withKeyChecked(read instanceof Promise ? await readApart(read) : read, idempotencyKey);
  const text = "text" in reading ? reading.text : "";
  // The same event may arrive on another connection right after the answer. Whether that answer arrived is known in a
  // moment. Without the wait, a second piece would count as a retry of the first, and be lost.
  const before = undecided.get(id, text);
  if (before !== undefined) await before;
  const { answer, given } = await contract.event(id, reading, { acceptLanguage, idempotencyKey }, spanOf(request.raw));
  // Only a completely sent answer is marked as given. Without the mark, the same event again counts as a retry.
  if (given !== null) undecided.add(id, text, whenAnswerReceived(reply.raw, engine.notesOn(given)));
  // The process that passed the event on may be the only one left that knows whether the answer arrived.
  if (given?.isDistinct && callerOf(request.raw)?.answered !== undefined) reply.header(entryHeader, given.seq);
  return give(needs, id, reply, answer);
}

/**
 * Other requests run in between: receiving megabytes from one thread and passing them to another in the same turn would
 * block twice as long.
 */
async function readApart<Reading>(read: Promise<Reading>): Promise<Reading> {
  const reading = await read;
  await nextTurn();
  // The first one ended in the turn in which the message came.
  await nextTurn();
  return reading;
}

function query(needs: ContractRouteNeeds, id: QueryId, request: FastifyRequest, reply: FastifyReply) {
  const { reader } = needs;
  const { contract, engine } = snapshotOf(request.raw);
  const row = operationRow(id);
  // The parsers of these routes give bytes, a large body on its way, or nothing.
  const { body } = request as { body: Uint8Array | BulkArrival | undefined };
  if (body !== undefined && "query" in body) return queryInBulk(needs, id, body, request, reply);
  const reading = row.method === "GET" ? reader.fromAddress(matchOf(request.raw)) : readQueryInput(needs, id, body);
  const language = request.headers["accept-language"];
  const arrival = body === undefined || reading instanceof Promise ? null : longQuery(request, id, reading, body);
  if (arrival !== null) return queryInBulk(needs, id, arrival, request, reply);
  const answer =
    reading instanceof Promise
      ? reading.then((found) => contract.query(id, found, language))
      : contract.query(id, reading, language);
  if (!(answer instanceof Promise) && answer.facts === undefined) return give(needs, id, reply, answer);
  return Promise.resolve(answer).then(async (settled) => {
    if (settled.facts !== undefined) await engine.record(settled.facts);
    return give(needs, id, reply, settled);
  });
}

/** Passes a short query with a long answer to the handler for large bodies. Returns null if the answer is not long. */
function longQuery(request: FastifyRequest, id: QueryId, reading: InputReading, body: Uint8Array): BulkArrival | null {
  const { bulk, isLong } = snapshotOf(request.raw);
  if (bulk === null || isLong === undefined || !("input" in reading)) return null;
  if (operationRow(id).bulk !== true || bulk.takes?.(id) === false || !isLong(id, reading.input)) return null;
  const arrival = bulk.receive(id, request.headers["accept-language"]);
  // A copy: transferring memory to the other thread empties it here, and a short body shares its memory with others.
  arrival.take(new Uint8Array(body));
  return arrival;
}

async function queryInBulk(
  { onAnswer }: ContractRouteNeeds,
  id: QueryId,
  arrival: BulkArrival,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const answer = await arrival.query();
  if (answer.facts.length > 0) await snapshotOf(request.raw).engine.record(answer.facts);
  noteAnswer(onAnswer, id, reply, answer.result);
  return writeChunks(reply, answer);
}

/** The content type parser passes the bytes through; a request without a body has none. */
const bytesOf = (request: FastifyRequest) => request.body as Uint8Array | undefined;

/** Turns parsed input into the envelope. Used by the server and by the thread that handles large bodies. */
export function contractHandler(needs: {
  engine: Engine;
  log: Log;
  validationMode: ValidationMode;
  newReference: () => string;
}): ContractHandler {
  const { engine, validationMode: mode, newReference } = needs;

  return {
    query: (id, reading, acceptLanguage) => {
      const row = operationRow(id);
      const language = chooseLanguage(acceptLanguage);
      if ("problems" in reading) return answerProblems(row, reading, { language, mode, traceId: newReference });
      const outcome = engine.query(id, reading.input, language);
      if (!(outcome instanceof Promise)) return answerOutcome(row, outcome, language);
      return outcome.then((settled) => answerOutcome(row, settled, language));
    },
    event: async (id, reading, { acceptLanguage, idempotencyKey }, span) => {
      const row = operationRow(id);
      const language = chooseLanguage(acceptLanguage);
      if ("problems" in reading) {
        return { answer: answerProblems(row, reading, { language, mode, traceId: newReference }), given: null };
      }
      const { text, payload } = reading;
      const content = "facts" in reading ? { facts: reading.facts } : { input: reading.input };
      const { outcome, given } = await engine.event(id, {
        ...content,
        ...{ body: text, payload, language, acceptLanguage: acceptLanguage ?? null },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        span,
      });
      const answer = answerOutcome(row, outcome, language);
      const { longIds } = reading;
      if (longIds === undefined) return { answer, given };
      // The pieces of an answer to an event are texts.
      return { answer: { ...answer, body: answerWithSentIds(bodyText(answer.body), longIds) }, given };
    },
    broken: (id, error, acceptLanguage) => {
      const row = operationRow(id);
      return answerOutcome(row, settleFault(row, error, needs), chooseLanguage(acceptLanguage));
    },
  };
}
