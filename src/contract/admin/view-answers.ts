import { Type } from "typebox";
import { pushTopics } from "../pushes.ts";
import { choice, dateTime, flag, list, mapOf, record } from "../schemas/parts.ts";
import { personActions } from "./admin-row.ts";
import { count, orNull, quantity, shownPhrase, words } from "./journal-answers.ts";

const orderMembers = {
  number: words("Number of the order."),
  externalIdentifier: orNull(words("Its number in the external system.")),
  state: orNull(words("waiting, started, finished or cancelled; null if another system holds it.")),
  dueAt: orNull(dateTime("When it is due.")),
  receivedAt: orNull(dateTime("When it was received.")),
  lines: count("Number of lines."),
  requested: orNull(quantity("Sum of what was asked for; null if nobody has said it.")),
  picked: quantity("Sum of what was picked."),
  cancelled: quantity("Sum of what was cancelled."),
  undelivered: orNull(words("`dead` if a message of it needs an operator, `waiting` if one is on its way.")),
  lastKnown: orNull(
    record("LastKnown", { system: words("Name of the external system."), at: dateTime("When it said so.") }),
  ),
};
export const orderPageSchema = record("OrderPage", {
  orders: list(record("OrderView", orderMembers), "Newest first."),
  nextBefore: orNull(count("Pass this as `before` for older orders.")),
  isCut: flag("Whether a search found more orders than are shown."),
});
export const orderDetailSchema = record("OrderDetail", {
  ...orderMembers,
  orderLines: list(
    record("OrderLine", {
      line: orNull(words("External identifier of the line.")),
      itemNumber: words("Item."),
      lot: orNull(words("Lot.")),
      unit: words("Unit of measure."),
      requested: orNull(quantity("Asked for; null if nobody has said it.")),
      picked: quantity("Picked."),
      cancelled: quantity("Cancelled."),
      overPicked: quantity("Picked beyond what was asked for."),
      location: orNull(words("Designated location.")),
      isLastKnown: flag("Whether the requested amount is only what the external system said last."),
    }),
    "Lines.",
  ),
  containers: list(
    record("OrderContainer", { code: words("Code."), location: orNull(words("Where it is.")) }),
    "Attached containers.",
  ),
  changes: list(
    record("OrderChange", {
      line: orNull(words("Line; null: the whole order.")),
      target: quantity("Amount that is wanted; 0 cancels."),
      reason: orNull(words("Reason given.")),
      state: words("What became of it."),
      offered: count("How often it was offered to the platform."),
      filedAt: dateTime("When it was requested."),
      settledAt: orNull(dateTime("When its result was known.")),
    }),
    "Changes that the external system requested.",
  ),
});
export const explanationSchema = record("OrderExplanation", {
  order: words("Number of the order."),
  orders: list(
    record("ExplainedOrder", { number: words("Number."), state: words("State.") }),
    "The order and its follow-ups.",
  ),
  lines: list(Type.Unsafe<object>({ type: "object" }), "How the amount of each line was decided."),
});
const anyValue = (description: string) => Type.Unsafe<unknown>({ description });
export const bundleSchema = record("SupportBundle", {
  format: words("`crossdock-support-bundle-1`."),
  madeAt: dateTime("When it was made."),
  version: words("Version of the adapter."),
  order: anyValue("The order, as its own route shows it."),
  timeline: anyValue("What happened to it."),
  explanation: anyValue("How its amounts were decided; null if another system holds it."),
  entries: list(anyValue("An entry with its attempts."), "Its entries, newest first."),
  isCut: flag("Whether older entries or events were left out to keep it small."),
});
export const failureGroupsSchema = record("FailureGroups", {
  groups: list(
    record("FailureGroup", {
      kind: choice(["refused", "unreachable", "behind", "waiting"] as const, "Why it is not delivered."),
      cause: words("Names the cause; pass it as `cause` to list or change these entries."),
      text: words("The error, without what differs from entry to entry."),
      status: orNull(count("HTTP status.")),
      target: words("Connector."),
      count: count("Number of entries."),
      dead: count("Of these, how many need an operator."),
      retrying: count("Of these, how many are tried again."),
      waiting: count("Of these, how many were not tried yet."),
      oldestAt: dateTime("When the oldest was received."),
      newestAt: dateTime("When the newest was received."),
      nextAttemptAt: orNull(dateTime("When the first of them is tried again.")),
      firstSeq: count("The oldest entry."),
      topics: list(Type.String(), "Some of the topics."),
      orders: list(Type.String(), "Some of the orders."),
    }),
    "What needs an operator first, then the largest.",
  ),
  count: count("Number of entries in all."),
  isCut: flag("Whether there are more than were counted."),
});
const counts = mapOf(Type.Integer(), "Number of entries by state.");
const targetMembers = {
  isPaused: flag("Whether deliveries are held back."),
  isRemoved: flag("Whether the configuration no longer sends anything there; its entries wait until it does again."),
  breaker: choice(["closed", "open", "half-open"] as const, "`open`: it does not answer."),
  waiting: count("Entries that wait."),
  inFlight: count("Deliveries under way."),
  concurrency: count("How many may be under way."),
};
export const targetsSchema = record("Targets", {
  targets: list(
    record("TargetOverview", {
      target: words("Connector."),
      ...targetMembers,
      oldestAt: Type.Optional(orNull(quantity("When the oldest waiting entry was received, in ms since 1970."))),
    }),
    "Connectors that get deliveries.",
  ),
  entries: counts,
});
const optionalTarget = Object.fromEntries(
  Object.entries(targetMembers).map(([name, schema]) => [name, Type.Optional(schema)]),
);
export const overviewSchema = record("AdapterOverview", {
  version: words("Running version."),
  startedAt: dateTime("Start of the process."),
  store: words("What holds the data."),
  owner: orNull(
    record("OwnedDeployment", {
      deployment: words("Deployment that this process owns in a PostgreSQL database."),
      epoch: count("Grows with each change of the owner."),
    }),
  ),
  ready: flag("Whether traffic should come here."),
  reasons: list(Type.String(), "Why not."),
  alarms: list(
    record("RaisedAlarm", {
      ...{ alarm: words("Kind."), subject: words("What it is about."), since: dateTime("Since when.") },
      text: words("What it means, in the language of the request."),
    }),
    "Raised alarms.",
  ),
  entries: counts,
  oldestWaitingAt: orNull(dateTime("When the oldest waiting entry was received.")),
  quarantine: count("Records in quarantine."),
  connectors: list(
    record("ConnectorView", {
      ...{ name: words("Name."), type: words("Type of connector."), ...optionalTarget },
      serves: list(Type.String(), "Capabilities that it answers for."),
      oldestAt: orNull(dateTime("When its oldest waiting entry was received.")),
      unanswered: list(
        record("UnansweredQueries", { capability: words("Capability."), since: dateTime("Since when.") }),
        "What it does not answer at the moment; the last known data is used where there is some.",
      ),
      lastError: orNull(
        record("LastError", { text: words("Error."), status: orNull(count("HTTP status.")), at: dateTime("When.") }),
      ),
    }),
    "Connected systems.",
  ),
  endpoints: list(
    record("EndpointView", {
      ...{ operation: words("Operation."), method: words("Method."), path: words("Path."), kind: words("Kind.") },
      servedBy: words("Connector, `embedded` or `none`."),
    }),
    "What serves each endpoint of the contract.",
  ),
});
const figurePoint = record("FigurePoint", {
  at: dateTime("Beginning."),
  answers: count("Answers to the platform."),
  refusals: count("Of these, how many were no success."),
  pushes: count("Pushes received."),
  delivered: count("Deliveries."),
  failed: count("Attempts that did not deliver."),
  p50Ms: orNull(quantity("Half of the answers took at most this long.")),
  p95Ms: orNull(quantity("95 of 100 answers took at most this long.")),
});
export const figuresSchema = record("FigureSeries", {
  range: choice(["15m", "24h", "7d"] as const, "Time range."),
  secondsPerPoint: count("Length of a point."),
  points: list(figurePoint, "Oldest first."),
  total: figurePoint,
});
export const auditSchema = record("PersonActions", {
  actions: list(
    record("PersonAction", {
      ...{ at: dateTime("When."), operator: words("Who.") },
      action: choice(personActions, "What was done."),
      ...{ subject: words("Connector or record."), reason: orNull(words("Why.")) },
    }),
    "The newest first.",
  ),
});
const quarantineMembers = {
  id: count("Id of the record."),
  source: words("Connector it came from."),
  kind: choice(pushTopics, "What it is."),
  number: words("Its number; may be empty."),
  origin: words("File or address it came from."),
  problems: list(
    Type.Unsafe<object>({ type: "object" }),
    "What is wrong: `field`, `sourceField`, `sourcePlaces`, `text`.",
  ),
  problemCount: count("Number of problems."),
  fix: words("What to do, in English."),
  fixPhrase: shownPhrase,
  firstSeenAt: dateTime("When it came first."),
  lastSeenAt: dateTime("When it came last."),
  count: count("How often it came."),
};
const quarantineView = record("QuarantineRecord", quarantineMembers);
export const quarantinePageSchema = record("QuarantinePage", {
  records: list(quarantineView, "Newest first."),
  total: count("How many there are on all pages."),
  nextBefore: orNull(count("Pass this as `before` for the next page.")),
});
export const quarantineDetailSchema = record("QuarantineDetail", {
  ...quarantineMembers,
  raw: words("The record in the form of the contract, as far as the mapping could make it."),
  isRawCut: flag("Whether it was longer."),
  sourceRecord: orNull(
    words("The record it was mapped from, as the external system sent it; null if it was not mapped."),
  ),
  isSourceRecordCut: flag("Whether the source record was longer."),
  keptBytes: count("How much of a record is kept, in bytes."),
  rules: list(
    record("MappingRule", {
      field: words("The member with a problem."),
      place: words("Where its rule stands in the configuration."),
      rule: words("The rule, as JSON."),
    }),
    "The mapping rules that made the members with problems.",
  ),
  retry: choice(
    ["take", "query", "none"] as const,
    "What a retry does: takes the record in, asks the external system for it again, or is refused.",
  ),
});
export const retriedSchema = record("QuarantineRetried", {
  entries: list(words("Id of an entry."), "What was written to the journal; empty if the same content was known."),
});
export const droppedSchema = record("QuarantineDropped", { dropped: quarantineView });
export const sessionSchema = record("ConsoleSession", {
  name: orNull(words("Name for the audit; null for the adapter's own key without a session.")),
  role: choice(["viewer", "operator", "admin"] as const, "Role."),
  csrfToken: Type.Optional(words("Send it as `X-Csrf-Token` with every change made with the cookie.")),
  endsAt: Type.Optional(dateTime("When the session ends.")),
  idleEndsAt: Type.Optional(dateTime("When it ends if nobody uses it.")),
  timeZone: Type.Optional(words("Time zone of the site.")),
  traceUrl: Type.Optional(words("Address of a trace, with `{traceId}`; absent if none is configured.")),
});
