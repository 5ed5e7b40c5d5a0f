import { type Static, Type } from "typebox";
import type { PushTopic } from "./pushes.ts";
import { dateTime, record, text } from "./schemas/parts.ts";

/** Where senders ask what has become of a push, by an id of its answer. */
export const pushProgressPath = "/inbound/entries/{id}";

/** What has become of a push. */
const pushStates = {
  stored: "kept for the platform's pulls; it is not sent on",
  waiting: "waits to be sent on, or to be tried again",
  sending: "is being sent",
  delivered: "the platform has taken it",
  refused: "the platform said no; it waits for a person",
  failed: "several tries came to nothing; it waits for a person",
  skipped: "a person decided that it is not sent",
  superseded: "a newer state was sent instead",
  rejected: "the store of the adapter did not take it, so it is not sent either",
} as const;
export type PushState = keyof typeof pushStates;

const moment = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

/** Nothing of the content, which others may have sent, nor of what the platform said. */
export const pushProgressSchema = record("PushProgress", {
  id: text("Journal entry."),
  topic: Type.Unsafe<PushTopic>({ type: "string", description: "What was pushed." }),
  state: Type.Unsafe<PushState>({
    type: "string",
    enum: Object.keys(pushStates),
    description: Object.entries(pushStates)
      .map(([name, meaning]) => `${name}: ${meaning}`)
      .join(". ")
      .concat("."),
  }),
  receivedAt: dateTime("When it was stored."),
  deliveredAt: moment("When the platform took it."),
  attempts: Type.Integer({ minimum: 0, description: "How often it was tried." }),
  nextAttemptAt: moment("When it is tried again."),
  lastStatus: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Status of the platform's last answer, where that was no success.",
  }),
  supersededBy: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Id of the push that was sent instead.",
  }),
});
export type PushProgress = Static<typeof pushProgressSchema>;
