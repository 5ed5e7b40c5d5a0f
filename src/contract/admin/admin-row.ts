import { type TObject, type TSchema, Type } from "typebox";
import { words } from "./journal-answers.ts";

/** One admin route. The server takes its role from here, and OpenAPI its description. */
export interface AdminRow {
  readonly summary: string;
  /** The least role; absent: nobody has to be known. */
  readonly role?: "viewer" | "operator" | "admin";
  readonly query?: TObject;
  readonly body?: TObject;
  /** Absent: 204 without a body. */
  readonly answer?: TSchema;
  /** Content types other than JSON. */
  readonly types?: readonly string[];
}

/** What a person can do that is not about one entry of the journal, as the audit names it. */
export const personActions = ["pause", "resume", "drop", "retry", "bundle", "alarm-test"] as const;

/** Members of every body that changes something. */
export const operator = Type.Optional(
  words("Who decides; for callers with a name of their own, that name is used. Required for the adapter's own key."),
);
export const reason = words("Why; kept in the audit.");
