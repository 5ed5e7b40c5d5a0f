import { type Static, type TSchema, Type } from "typebox";
import { choice, dateTime, flag, list, mapOf, record } from "../schemas/parts.ts";

/**
 * Building blocks of the answers of the admin routes. They contain texts of other systems, so no length is promised.
 */
export const words = (description: string) => Type.String({ description });
export const count = (description: string) => Type.Integer({ description });
export const quantity = (description: string) => Type.Number({ description });

/** A member that is always present and may be null. */
export function orNull<T extends TSchema>(schema: T) {
  // Every schema of this room is plain JSON Schema with one type, which TSchema does not show.
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...{ ...rest, type: [type, "null"] },
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

const shownStates = [
  ...["accepted", "inflight", "retry", "delivered", "rejected", "dead", "discarded", "not-sent"],
] as const;

/** A value may be a phrase again, so the schema does not describe the values. */
const phraseSchema = record("Phrase", {
  key: words("Which sentence; the console has it in seven languages."),
  values: mapOf(
    Type.Unsafe<unknown>({ description: "A text, a number, a phrase, or `list` and `joinedBy` of phrases." }),
    "What fills it.",
  ),
});

export const shownPhrase = orNull(phraseSchema);

const answerMembers = {
  isSuccess: flag("Whether the platform got a success."),
  result: orNull(words("Name of the refusal.")),
  message: orNull(words("Text for the operator.")),
};

const entryMembers = {
  seq: count("Number of the entry."),
  id: words("Id of the entry; receivers get it with every delivery."),
  receivedAt: dateTime("When it was received."),
  direction: choice(["out", "in"] as const, "To the external system, or from it."),
  topic: words("Operation or kind of push."),
  text: words("What happened, in one line, in English."),
  phrase: shownPhrase,
  state: words(`One of ${shownStates.join(", ")}.`),
  reason: orNull(words("Why it is dead or skipped.")),
  target: orNull(words("Connector that gets it.")),
  sender: orNull(words("Who pushed it.")),
  orders: list(Type.String(), "Orders it is about."),
  containers: list(Type.String(), "Containers it is about."),
  items: list(Type.String(), "Items it is about."),
  operator: orNull(words("Who worked; masked unless personal data was requested and the role allows it.")),
  answer: orNull(record("AnswerView", answerMembers)),
  answeredAt: orNull(dateTime("When the answer was sent.")),
  deliveredAt: orNull(dateTime("When the target accepted it.")),
  nextAttemptAt: orNull(dateTime("When it is tried again.")),
  attempts: count("Attempts that the target answered."),
  targetFailures: count("Attempts that failed because the target was down."),
  replays: count("How often an operator sent it again."),
  possibleRepeatOf: orNull(count("An earlier entry that it may repeat.")),
  lastError: orNull(words("The error of its latest attempt, if it is dead or being retried.")),
};
const entrySchema = record("EntryView", entryMembers);

const keptText = record("KeptText", { text: words("Beginning of the text."), bytes: count("Full length.") });
const headers = mapOf(Type.String(), "Headers; secrets are masked.");
const exchangeSchema = record("ExchangeView", {
  sentAt: dateTime("When it was sent."),
  step: orNull(words("The step that it belongs to.")),
  skipped: orNull(words("Why nothing was sent for the step.")),
  to: words("Method and address, the statement, or the file."),
  headers,
  body: orNull(keptText),
  answer: orNull(
    record("ExchangeAnswer", {
      ms: quantity("How long the answer took."),
      status: orNull(count("HTTP status.")),
      headers,
      body: orNull(keptText),
    }),
  ),
});
const attemptSchema = record("AttemptView", {
  n: count("Number of the attempt, from 1."),
  startedAt: dateTime("When it began."),
  ms: quantity("How long it took."),
  outcome: words("What became of it."),
  status: orNull(count("HTTP status.")),
  error: orNull(words("The error.")),
  response: orNull(words("The target's answer.")),
  exchanges: list(exchangeSchema, "Requests really sent, and their answers."),
});
const auditSchema = record("AuditView", {
  at: dateTime("When."),
  operator: words("Who."),
  action: words("What was done."),
  reason: orNull(words("Why.")),
  bodyBefore: orNull(words("The body before an edit.")),
});
const mentionSchema = record("EntryMention", {
  ...{ seq: entryMembers.seq, id: entryMembers.id, topic: entryMembers.topic },
  ...{ state: entryMembers.state, reason: entryMembers.reason },
  ...{ text: entryMembers.text, phrase: entryMembers.phrase },
});
export const entryDetailSchema = record("EntryDetail", {
  ...entryMembers,
  lanes: list(
    record("LanePosition", { lane: words("Ordering key."), position: count("Place in it.") }),
    "Its ordering keys.",
  ),
  body: words("The JSON text as it was received."),
  acceptLanguage: orNull(words("Language of the request.")),
  traceId: orNull(words("Trace that it belongs to; null if nothing was traced.")),
  attemptLog: list(attemptSchema, "Attempts to deliver it."),
  audit: list(auditSchema, "What operators did."),
  heldBehind: list(mentionSchema, "The first entries that must be finished before it."),
  waitingBehind: list(mentionSchema, "The first entries that wait for it."),
  waitingCount: count("How many wait for it."),
  isCountCut: flag("Whether there are more than were counted."),
  possibleActions: list(Type.String(), "What is possible now."),
});
export const entryPageSchema = record("EntryPage", {
  entries: list(entrySchema, "Newest first."),
  nextBefore: orNull(count("Pass this as `before` for older entries.")),
});
export const actedSchema = record("EntryActed", {
  entry: entrySchema,
  releasedCount: count("How many entries may go on because of it."),
});
export const bulkResultSchema = record("BulkResult", {
  dryRun: flag("Whether nothing was done."),
  count: count("How many entries match and allow the action."),
  first: list(entrySchema, "The oldest of them."),
  isCut: flag("Whether there are more than were counted; then nothing is done."),
  results: list(
    record("BulkOutcome", {
      seq: entryMembers.seq,
      done: flag("Whether it was done."),
      detail: orNull(words("Why not.")),
    }),
    "One per entry, in the order of execution.",
  ),
});
export const checkedSchema = record("CheckedBody", {
  isValid: flag("Whether the body could replace the stored one."),
  errors: mapOf(list(Type.String(), "Texts."), "Errors by member."),
  detail: orNull(words("Another reason.")),
});
export const timelineSchema = record("Timeline", {
  order: words("Number of the order."),
  events: list(
    record("TimelineEvent", {
      at: dateTime("When."),
      kind: words("call, push, message, offer, amounts, attempt, action, change or held."),
      seq: orNull(entryMembers.seq),
      topic: orNull(entryMembers.topic),
      text: entryMembers.text,
      phrase: entryMembers.phrase,
      state: orNull(entryMembers.state),
      operator: entryMembers.operator,
      sender: entryMembers.sender,
      answer: orNull(record("TimelineAnswer", answerMembers)),
    }),
    "Oldest first.",
  ),
  isCut: flag("Whether only the newest part is shown."),
});
