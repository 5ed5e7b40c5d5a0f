import { type TObject, type TSchema, Type } from "typebox";
import { words } from "./journal-answers.ts";

/** One admin route. The server takes its role from here, and OpenAPI its description. */
export interface AdminRow {
  readonly summary: string;
  /** The least role that may call it; absent: anybody may, without signing in. */
  readonly role?: "viewer" | "operator" | "admin";
  readonly query?: TObject;
  readonly body?: TObject;
  /** Absent: 204 without a body. */
  readonly answer?: TSchema;
  /** Content types other than JSON. */
  readonly types?: readonly string[];
}

/** Actions of a person that do not concern a single journal entry, as the audit log names them. */
export const personActions = [
  "pause",
  "resume",
  "drop",
  "retry",
  "bundle",
  "alarm-test",
  "log-level",
  "log-order",
  "config",
  "config-back",
  "secret",
  "simulate",
  "conform",
  "stop",
] as const;

/** Members of every body that changes something. */
export const operator = Type.Optional(
  words("Who decides; for callers with a name of their own, that name is used. Required for the adapter's own key."),
);
export const reason = words("Why; kept in the audit.");
