import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { Law } from "../conformance-check.ts";
import { type Exchange, isObject, mayBeInvalid, statusOf } from "../harness/recorded-exchange.ts";
import { isReceived } from "../harness/wire.ts";
import { sentences } from "../sentences.ts";

const hasEnvelope: Law["appliesTo"] = (operation) => operationRow(operation).results.length > 0;
/** The contract shows no results for the legacy status event. */
const listsResults = (operation: OperationId) => operationRow(operation).assumption === undefined;

type Envelope = Readonly<Record<string, unknown>>;
/** A law for envelopes; the HTTP laws cover everything else. */
const ofEnvelope =
  (judge: (envelope: Envelope, exchange: Exchange) => string | null | undefined): Law["judge"] =>
  (exchange) =>
    statusOf(exchange) === 200 && exchange.answer !== null ? judge(exchange.answer, exchange) : undefined;

const isSuccessNumber = (envelope: Envelope, { operation }: Exchange) => {
  const row = operationRow(operation);
  return envelope["result"] === row.results.indexOf(row.success);
};

const successMatches = ofEnvelope((envelope, exchange) => {
  const { isResultSuccess, result } = envelope;
  if (typeof isResultSuccess !== "boolean" || typeof result !== "number") return undefined;
  const expected = isSuccessNumber(envelope, exchange);
  if (isResultSuccess === expected) return null;
  const { results, success } = operationRow(exchange.operation);
  return `isResultSuccess ${expected} with result ${result} (success is ${results.indexOf(success)} ${success})`;
});

export const envelopeLaws: readonly Law[] = [
  {
    id: "members",
    title: "isResultSuccess and result are present and spelled as documented",
    hint: "Member names are case-sensitive on the platform's side: isResultSuccess, not IsResultSuccess.",
    basis: sentences.envelope,
    appliesTo: hasEnvelope,
    judge: ofEnvelope((envelope) => missing(envelope, ["isResultSuccess", "result"])),
  },
  {
    id: "always-there",
    title: "validationStatus and externalMessage are always present, null when unset; data is present on queries",
    hint: "Do not leave out members that are null; many serialisers do so by default.",
    basis: sentences.alwaysThere,
    appliesTo: hasEnvelope,
    judge: ofEnvelope((envelope, { operation }) =>
      missing(envelope, [
        "validationStatus",
        "externalMessage",
        ...(operationRow(operation).data === undefined ? [] : ["data"]),
      ]),
    ),
  },
  {
    id: "success-flag",
    title: "isResultSuccess is a boolean",
    hint: "Write true or false, not 1, 0 or a text.",
    basis: sentences.succeeded,
    appliesTo: hasEnvelope,
    judge: ofEnvelope(({ isResultSuccess }) => {
      if (isResultSuccess === undefined) return undefined;
      return typeof isResultSuccess === "boolean" ? null : "true or false";
    }),
  },
  {
    id: "result-number",
    title: "result is one of the endpoint's own numbers",
    hint: "Each endpoint counts its results differently; the same name can have another number elsewhere.",
    basis: sentences.ownNumbers,
    appliesTo: (operation) => hasEnvelope(operation) && listsResults(operation),
    judge: ofEnvelope(({ result }, { operation }) => {
      if (result === undefined) return undefined;
      const { results } = operationRow(operation);
      const isKnown = typeof result === "number" && results[result] !== undefined;
      return isKnown ? null : `a number: ${results.map((name, number) => `${number} ${name}`).join(", ")}`;
    }),
  },
  {
    id: "legacy-result",
    title: "result is a number of the put-wall events",
    hint: "The contract shows no results for this legacy event; those of the put-wall events are assumed.",
    basis: sentences.legacyStatus,
    appliesTo: (operation) => hasEnvelope(operation) && !listsResults(operation),
    judge: ofEnvelope(({ result }, { operation }) => {
      if (result === undefined) return undefined;
      const { results } = operationRow(operation);
      return typeof result === "number" && results[result] !== undefined ? null : `0 to ${results.length - 1}`;
    }),
  },
  {
    id: "success-matches-result",
    title: "isResultSuccess is true exactly when result is the endpoint's success number",
    hint: "Derive the flag from the result in one place. 0 is success on AttachWorkOrder only.",
    basis: sentences.successMarked,
    appliesTo: (operation) => hasEnvelope(operation) && listsResults(operation),
    judge: successMatches,
  },
  {
    id: "legacy-success",
    title: "isResultSuccess is true exactly when result is the success number of the put-wall events",
    hint: "The contract shows no results for this legacy event; those of the put-wall events are assumed.",
    basis: sentences.legacyStatus,
    appliesTo: (operation) => hasEnvelope(operation) && !listsResults(operation),
    judge: successMatches,
  },
  {
    id: "validation-status",
    title: "validationStatus is null or says what is wrong",
    hint: "Either null, or { errorMessages: string[], isValid: false, errorCount: number } on a failure.",
    basis: sentences.validationStatus,
    appliesTo: hasEnvelope,
    judge: ofEnvelope((envelope, exchange) => {
      const { validationStatus } = envelope;
      if (validationStatus === undefined) return undefined;
      if (validationStatus === null) return null;
      if (isSuccessNumber(envelope, exchange)) return "null on a success";
      return isValidationStatus(validationStatus) ? null : "{ errorMessages, isValid: false, errorCount }";
    }),
  },
  {
    id: "external-message",
    title: "externalMessage is a text or null",
    hint: "One text for the operator, not a list or an object.",
    basis: sentences.externalMessage,
    appliesTo: hasEnvelope,
    judge: ofEnvelope(({ externalMessage }) => {
      if (externalMessage === undefined) return undefined;
      return externalMessage === null || typeof externalMessage === "string" ? null : "a text or null";
    }),
  },
  {
    id: "no-data-on-failure",
    title: "data is null on every failure",
    hint: "No empty list, no empty object and no text in data when the result is not the success.",
    basis: sentences.nullOnFailure,
    appliesTo: (operation) => operationRow(operation).data !== undefined && hasEnvelope(operation),
    judge: ofEnvelope((envelope, exchange) => {
      if (typeof envelope["result"] !== "number" || isSuccessNumber(envelope, exchange)) return undefined;
      return envelope["data"] === null || envelope["data"] === undefined ? null : "data null";
    }),
  },
  {
    id: "event-data",
    title: "an event is answered without data",
    hint: "Leave data out or null: only step confirmations return something.",
    basis: sentences.eventsNoData,
    appliesTo: (operation) => operationRow(operation).data === undefined && hasEnvelope(operation),
    judge: ofEnvelope(({ data }) => (data === null || data === undefined ? null : "data null or absent")),
  },
];

function missing(envelope: Envelope, names: readonly string[]): string | null {
  const absent = names.filter((name) => !Object.hasOwn(envelope, name));
  if (absent.length === 0) return null;
  const others = Object.keys(envelope).filter((one) => absent.some((name) => name.toLowerCase() === one.toLowerCase()));
  return `${absent.join(", ")}${others.length === 0 ? "" : `; there is ${others.join(", ")} instead`}`;
}

function isValidationStatus(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { errorMessages, isValid, errorCount } = value;
  if (!Array.isArray(errorMessages) || !errorMessages.every((text) => typeof text === "string")) return false;
  return isValid === false && typeof errorCount === "number" && errorCount >= Math.max(1, errorMessages.length);
}

/** Laws for an answer as HTTP, before its envelope is read. */
export const httpLaws: readonly Law[] = [
  {
    id: "http-200",
    title: "every outcome is answered with HTTP 200",
    hint: "Report failures through `result`; only input that fails model validation may be answered with 400.",
    basis: sentences.answers200,
    appliesTo: () => true,
    judge: (exchange) => {
      const status = statusOf(exchange);
      if (mayBeInvalid(exchange) && status === 400) return null;
      return status === 200 ? null : "HTTP 200";
    },
  },
  {
    id: "content-type",
    title: "the content type is application/json; charset=utf-8",
    hint: "Set the header to exactly this on every answer: a client may read umlauts wrongly without the charset.",
    basis: sentences.mediaType,
    appliesTo: () => true,
    judge: ({ reply }) => {
      if (!isReceived(reply) || reply.status !== 200) return undefined;
      const type = (reply.headers["content-type"] ?? "").toLowerCase().replace(/[\s"]/g, "");
      return type === "application/json;charset=utf-8" ? null : "Content-Type: application/json; charset=utf-8";
    },
  },
  {
    id: "json-object",
    title: "the body is a JSON object in UTF-8",
    hint: "No byte order mark, no HTML error page, no list without an envelope, no other encoding.",
    basis: sentences.envelope,
    appliesTo: hasEnvelope,
    judge: ({ reply, answer }) => {
      if (!isReceived(reply) || reply.status !== 200) return undefined;
      if (!reply.isUtf8) return "bytes that are UTF-8";
      return answer === null ? "a JSON object" : null;
    },
  },
  {
    id: "problem-details",
    title: "a refusal with HTTP 400 carries problem details",
    hint: "Answer application/problem+json (or application/json) with title and status, as RFC 9457 has them.",
    basis: sentences.validationModes,
    appliesTo: hasEnvelope,
    judge: (exchange) => {
      const { reply, answer } = exchange;
      if (!mayBeInvalid(exchange) || !isReceived(reply) || reply.status !== 400) return undefined;
      const type = reply.headers["content-type"] ?? "";
      const isProblem = /^application\/(problem\+)?json\b/i.test(type) && typeof answer?.["title"] === "string";
      return isProblem && answer?.["status"] === 400 ? null : "problem details with title and status 400";
    },
  },
  {
    id: "problem-errors",
    title: "problem details say what is wrong by field",
    hint: "`errors` is an object: field name to a list of texts.",
    basis: sentences.validationModes,
    appliesTo: hasEnvelope,
    judge: (exchange) => {
      if (!mayBeInvalid(exchange) || statusOf(exchange) !== 400) return undefined;
      return hasErrors(exchange) ? null : "`errors`, with at least one field and its texts";
    },
  },
];

function hasErrors({ answer }: Exchange): boolean {
  const errors = answer?.["errors"];
  if (!isObject(errors)) return false;
  const texts = Object.values(errors);
  return texts.length > 0 && texts.every((list) => Array.isArray(list) && list.length > 0);
}
