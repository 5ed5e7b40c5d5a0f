import { type OperationId, operationRow } from "../../../contract/operations.ts";
import type { Law } from "../conformance-check.ts";
import { type Exchange, isObject, statusOf } from "../harness/recorded-exchange.ts";
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
