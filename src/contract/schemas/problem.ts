import type { Static } from "typebox";
import { list, mapOf, optional, record, text, wholeNumber } from "./parts.ts";

/** What every answer that is neither an envelope nor the version looks like: RFC 9457 problem details. */
export const problemDetailsSchema = record("ProblemDetails", {
  type: text("Kind of problem, a URI reference; about:blank where the status says it all."),
  title: text("The problem in a few words."),
  status: wholeNumber("The HTTP status again."),
  detail: optional(text("What is wrong with this very request, and what to do about it.")),
  traceId: text("Also in the log: quote it when you ask for help."),
  errors: optional(
    mapOf(
      list(text("One text, in the language of the request."), "What is wrong with this member."),
      "Texts by member, such as requests[0].itemNumber; present when model validation failed.",
    ),
  ),
  errorCount: optional(wholeNumber("How many errors there are, also where the texts were cut at 100.")),
});
export type ProblemDetails = Static<typeof problemDetailsSchema>;
