import { STATUS_CODES } from "node:http";
import { wellFormedJson } from "../kit/well-formed-json.ts";
import type { Answer } from "./answer.ts";

/** An answer outside the contract's envelope, as RFC 9457 describes it. */
export interface ProblemDetails {
  readonly status: number;
  readonly detail?: string;
  /** Texts by field, in the form the platform's own host would write them. */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** How many errors there are, where the texts were cut. */
  readonly errorCount?: number;
  /** What is wrong element by element, where a list was sent. */
  readonly results?: readonly unknown[];
  /** Finds the request in the log. */
  readonly traceId: string;
}

export const problemContentType = "application/problem+json; charset=utf-8";

export function problemAnswer(problem: ProblemDetails): Answer {
  const body = { type: "about:blank", title: STATUS_CODES[problem.status] ?? "Error", ...problem };
  return { status: problem.status, contentType: problemContentType, body: wellFormedJson(body) };
}
