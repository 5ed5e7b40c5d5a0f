import { operationRow } from "../../../contract/operations.ts";
import type { Law } from "../conformance-check.ts";
import { type Exchange, isObject, mayBeInvalid, statusOf } from "../harness/recorded-exchange.ts";
import { isReceived } from "../harness/wire.ts";
import { sentences } from "../sentences.ts";

const hasEnvelope: Law["appliesTo"] = (operation) => operationRow(operation).results.length > 0;

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
