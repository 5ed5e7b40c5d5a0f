import type { Static } from "typebox";
import { list, mapOf, optional, record, text, wholeNumber } from "./parts.ts";

/** Every answer that is neither an envelope nor the version: RFC 9457 problem details. */
export const problemDetailsSchema = record("ProblemDetails", {
  type: text("Kind of problem, a URI reference; about:blank if the status is enough."),
  title: text("The problem in a few words."),
  status: wholeNumber("The HTTP status again."),
  detail: optional(text("The problem of this request, and what to do about it.")),
  traceId: text("Also written to the log: include it in support requests."),
  errors: optional(
    mapOf(
      list(text("One text, in the language of the request."), "The problems of this member."),
      "Texts by member, such as requests[0].itemNumber; present when model validation failed.",
    ),
  ),
  errorCount: optional(wholeNumber("The total number of errors, even if the texts were cut at 100.")),
});
export type ProblemDetails = Static<typeof problemDetailsSchema>;
