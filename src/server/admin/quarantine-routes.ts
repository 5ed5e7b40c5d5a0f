import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import { limits } from "../../contract/limits.ts";
import { pushTopics } from "../../contract/pushes.ts";
import type { ActionLog } from "../../engine/audit/open-action-log.ts";
import { maskPersonal } from "../../engine/journal-view/entries/mask-personal.ts";
import type {
  Quarantine,
  QuarantineDetail,
  QuarantineFilter,
  QuarantineProblem,
  QuarantineRecord,
  RetryWay,
} from "../../engine/quarantine/quarantine.ts";
import { maxRecordBytes } from "../../engine/quarantine/quarantine-row.ts";
import type { RecordRetry } from "../../engine/quarantine/retry-record.ts";
import { suggestedFix } from "../../engine/quarantine/suggested-fix.ts";
import { textInTurns } from "../../kit/json/bytes-in-turns.ts";
import { parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import { parseInTurns } from "../../kit/json/parse-in-turns.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { defaultLanguage, type Language } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { mapPhrase, phrase, sayPhrase } from "../../messages/phrases/phrase.ts";
import { recogniseNote } from "../../messages/phrases/recognise.ts";
import { problemText } from "../../operation/fault.ts";
import { mayAct } from "../auth/admin-access.ts";
import { errorsByField, writeAnswer } from "../contract/answer.ts";
import { bodyOf, decisionLimitBytes, editOf, send as sendAnswer } from "./admin-exchange.ts";
import type { AdminGate } from "./admin-gate.ts";
import { adminProblem } from "./admin-problem.ts";
import { type QueryErrors, readReason } from "./read-decision.ts";
import { editLimitBytes, type ReadEdit } from "./read-edit.ts";

export interface QuarantineRouteNeeds {
  readonly quarantine: Quarantine;
  readonly recordRetry: RecordRetry;
  /** Returns the mapping rules that produced these members of a record. */
  readonly rules: (
    asked: Pick<QuarantineRecord, "source" | "kind"> & { readonly fields: readonly string[] },
  ) => readonly ShownRule[];
  readonly readEdit: ReadEdit;
  readonly gate: AdminGate;
  readonly actions: Pick<ActionLog, "add">;
  readonly basePath: string;
  readonly newReference: () => string;
}

/** A configured mapping rule that produced a member with a problem. */
export interface ShownRule {
  readonly field: string;
  readonly place: string;
  readonly rule: string;
}

const maxPage = 500;
const defaultPage = 50;
/** Deeper documents are refused before they get here. */
const wholeJson = { parse: parseJsonKeepingDigits, maxDepth: limits.depth };
const queryNames = ["source", "kind", "number", "before", "limit"];

/** Quarantined records for people and tools. Every route requires a key, because records hold customer data. */
export function quarantineRoutes(app: FastifyInstance, needs: QuarantineRouteNeeds): void {
  const { quarantine, gate, newReference } = needs;
  const url = `${needs.basePath}/admin/quarantine`;
  const send = (reply: FastifyReply, value: object) =>
    sendAnswer(reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff"), value);
  const badRequest = (reply: FastifyReply, errors: QueryErrors) =>
    writeAnswer(reply, adminProblem({ status: 400, detail: "Nothing was done.", errors, traceId: newReference() }));
  /** A viewer sees no mail addresses, neither of operators nor of customers. */
  const readerOf = (request: FastifyRequest): Reader => ({
    language: languageOf(request),
    shown: mayAct(gate.principalOf(request).role, "operator") ? owner.shown : maskPersonal,
  });
  const noSuch = (reply: FastifyReply, id: string) => {
    const detail = `There is no record ${JSON.stringify(id)} in quarantine; perhaps a good version came meanwhile.`;
    return writeAnswer(reply, adminProblem({ status: 404, detail, traceId: newReference() }));
  };
  // The paths of these routes contain `:id`.
  const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id;

  app.get(url, { onRequest: gate.routeCheck("GET /admin/quarantine") }, (request, reply) => {
    const reading = readFilter(request);
    if ("errors" in reading) return badRequest(reply, reading.errors);
    const page = quarantine.list(reading.filter);
    return send(reply, { ...page, records: page.records.map((one) => quarantineView(one, readerOf(request))) });
  });

  app.get(`${url}/:id`, { onRequest: gate.routeCheck("GET /admin/quarantine/:id") }, (request, reply) => {
    const detail = quarantine.show(wholeNumber(idOf(request)) ?? 0);
    if (detail === null) return noSuch(reply, idOf(request));
    const rules = needs.rules({ ...detail, fields: detail.problems.map(({ field }) => field) });
    const retry = needs.recordRetry.wayOf(detail);
    return send(reply, { ...quarantineDetail(detail, readerOf(request)), rules, retry });
  });

  const drop = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf({ request, principal: gate.principalOf(request) });
    const reading = "errors" in body ? body : readReason(body.members);
    if ("errors" in reading) return badRequest(reply, reading.errors);
    const dropped = quarantine.drop(wholeNumber(idOf(request)) ?? 0, reading);
    if (dropped === null) return noSuch(reply, idOf(request));
    const subject = `${dropped.kind} ${dropped.number} of ${dropped.source}`;
    await needs.actions.add({ ...reading, action: "drop", subject });
    return send(reply, { dropped: quarantineView(dropped) });
  };
  const retry = async (request: FastifyRequest, reply: FastifyReply) => {
    const read = await editOf({ request, principal: gate.principalOf(request), readEdit: needs.readEdit });
    if ("errors" in read) return badRequest(reply, read.errors);
    const reading = readReason(read.members);
    if ("errors" in reading) return badRequest(reply, reading.errors);
    const { body } = read;
    if (body === null) return badRequest(reply, { body: ["must be the record: a JSON object, or its text"] });
    const id = wholeNumber(idOf(request)) ?? 0;
    const before = quarantine.show(id);
    const element = body === undefined ? {} : { element: await parseInTurns(await textInTurns(body), wholeJson) };
    const retried = await needs.recordRetry.retry(id, { ...reading, ...element });
    if (retried === null || before === null) return noSuch(reply, idOf(request));
    if ("refused" in retried) {
      return writeAnswer(reply, adminProblem({ status: 409, detail: retried.refused, traceId: newReference() }));
    }
    if ("problems" in retried) {
      const language = languageOf(request);
      const texts = retried.problems.map((one) => localise(problemText(one), language));
      return badRequest(reply, errorsByField(retried.problems, texts));
    }
    await needs.actions.add({
      ...reading,
      action: "retry",
      subject: `${before.kind} ${before.number} of ${before.source}`,
    });
    return send(reply, { entries: retried.ids });
  };
  const route = (name: string, bodyLimit: number) => ({ bodyLimit, onRequest: gate.routeCheck(name) });
  app.post(`${url}/:id/retry`, route("POST /admin/quarantine/:id/retry", editLimitBytes), retry);
  app.delete(`${url}/:id`, route("DELETE /admin/quarantine/:id", decisionLimitBytes), drop);
  app.post(`${url}/:id/drop`, route("POST /admin/quarantine/:id/drop", decisionLimitBytes), drop);
}

const languageOf = ({ headers }: FastifyRequest): Language => chooseLanguage(headers["accept-language"]);

interface Reader {
  readonly language: Language;
  /** Masks what this person may not see of a text. */
  readonly shown: (text: string) => string;
}
const owner: Reader = { language: defaultLanguage, shown: (text) => text };

/** A record for output: readable times, and each problem with its text. */
export const quarantineView = (record: QuarantineRecord, { language, shown }: Reader = owner) => ({
  id: record.id,
  source: record.source,
  kind: record.kind,
  number: record.number,
  origin: record.origin,
  problems: record.problems.map((problem) => ({ ...problem, text: shown(textOf(problem, language)) })),
  problemCount: record.problemCount,
  fix: shown(record.fix),
  fixPhrase: mapPhrase(suggestedFix(record.problems), shown),
  firstSeenAt: new Date(record.firstSeenAt).toISOString(),
  lastSeenAt: new Date(record.lastSeenAt).toISOString(),
  count: record.count,
});
const textOf = (problem: QuarantineProblem, language: Language): string =>
  problem.mappingNote === undefined
    ? localise(problemText(problem), language)
    : sayPhrase(
        phrase("note.ofField", {
          ...{ field: problem.field, note: recogniseNote(problem.mappingNote) ?? problem.mappingNote },
        }),
        language,
      );

export type QuarantineView = ReturnType<typeof quarantineView>;
export interface QuarantinePageView {
  readonly records: readonly QuarantineView[];
  readonly total: number;
  readonly nextBefore: number | null;
}
export type QuarantineDetailView = QuarantineView &
  Pick<QuarantineDetail, "raw" | "isRawCut" | "sourceRecord" | "isSourceRecordCut"> & { readonly keptBytes: number };
export type QuarantineRecordPage = QuarantineDetailView & {
  readonly rules: readonly ShownRule[];
  readonly retry: RetryWay;
};

export const quarantineDetail = (detail: QuarantineDetail, reader: Reader = owner): QuarantineDetailView => ({
  ...quarantineView(detail, reader),
  raw: reader.shown(detail.raw),
  isRawCut: detail.isRawCut,
  sourceRecord: detail.sourceRecord === null ? null : reader.shown(detail.sourceRecord),
  isSourceRecordCut: detail.isSourceRecordCut,
  keptBytes: maxRecordBytes,
});

const wholeNumber = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

function readFilter({ url }: FastifyRequest): { filter: QuarantineFilter } | { errors: QueryErrors } {
  const [, rawQuery = ""] = url.split("?", 2);
  const members = readQuery(rawQuery);
  const errors: Record<string, string[]> = Object.create(null);
  for (const name of members.keys()) {
    if (!queryNames.includes(name)) errors[name] = [`is not known here; there are ${queryNames.join(", ")}`];
  }
  const limit = wholeNumber(members.get("limit") ?? String(defaultPage));
  if (limit === null || limit < 1 || limit > maxPage) errors["limit"] = [`must be a whole number from 1 to ${maxPage}`];
  const before = members.get("before");
  const beforeId = before === undefined ? undefined : wholeNumber(before);
  if (beforeId === null) errors["before"] = ["must be the id of a record"];
  const kind = members.get("kind");
  const topic = pushTopics.find((known) => known.toLowerCase() === kind?.toLowerCase());
  if (kind !== undefined && topic === undefined) errors["kind"] = [`must be one of ${pushTopics.join(", ")}`];
  if (Object.keys(errors).length > 0) return { errors };
  const source = members.get("source");
  const number = members.get("number");
  return {
    filter: {
      limit: limit ?? defaultPage,
      ...(typeof beforeId === "number" ? { before: beforeId } : {}),
      ...(topic === undefined ? {} : { kind: topic }),
      ...(source === undefined ? {} : { source }),
      ...(number === undefined ? {} : { number }),
    },
  };
}
