import { Type } from "typebox";
import { choice, flag, record } from "../schemas/parts.ts";
import { type AdminRow, operator, reason } from "./admin-row.ts";
import {
  actedSchema,
  bulkResultSchema,
  checkedSchema,
  count,
  entryDetailSchema,
  entryPageSchema,
  timelineSchema,
  words,
} from "./journal-answers.ts";
import { logRows } from "./log-rows.ts";
import {
  auditSchema,
  bundleSchema,
  droppedSchema,
  explanationSchema,
  failureGroupsSchema,
  figuresSchema,
  orderDetailSchema,
  orderPageSchema,
  overviewSchema,
  quarantineDetailSchema,
  quarantinePageSchema,
  retriedSchema,
  sessionSchema,
  targetsSchema,
} from "./view-answers.ts";
import { workshopRows } from "./workshop-rows.ts";

const show = Type.Optional(
  choice(["personal"] as const, "Show operators' addresses; needs the role operator, else they stay masked."),
);
const filter = {
  order: Type.Optional(words("Number of an order.")),
  container: Type.Optional(words("Code of a container.")),
  item: Type.Optional(words("Number of an item.")),
  operator: Type.Optional(words("Complete address of an operator.")),
  sender: Type.Optional(words("Who pushed it.")),
  target: Type.Optional(words("Connector that gets it.")),
  cause: Type.Optional(words("Cause of a failure, as `GET /admin/deliveries` names it.")),
  failure: Type.Optional(
    words("One or several of `refused`, `unreachable`, `behind` and `waiting`, separated by commas."),
  ),
  text: Type.Optional(words("Anywhere in the body.")),
  topic: Type.Optional(words("Operation or kind of push.")),
  state: Type.Optional(words("One or several states, separated by commas.")),
  direction: Type.Optional(words("`out` or `in`.")),
  from: Type.Optional(words("Received since: a date or date-time.")),
  to: Type.Optional(words("Received until then.")),
};
const page = {
  before: Type.Optional(count("`nextBefore` of the page before.")),
  limit: Type.Optional(count("Number of entries.")),
};
const format = (...names: readonly string[]) => Type.Optional(choice(names, "Format of the answer."));
const decision = record("Decision", { operator, reason });
const plainDecision = record("PlainDecision", { operator, reason: Type.Optional(reason) });
const anyBody = Type.Unsafe<unknown>({
  type: ["string", "object"],
  description: "The new body: an object or its text.",
});

const adminRows = {
  "POST /admin/session": {
    summary: "Sign in with a key; sets the cookie of the console.",
    body: record("SignIn", {
      key: words("The key."),
      name: Type.Optional(words("Your name; for the adapter's own key.")),
    }),
    answer: sessionSchema,
  },
  "GET /admin/session": { summary: "Who is signed in.", role: "viewer", answer: sessionSchema },
  "DELETE /admin/session": { summary: "Sign out.", role: "viewer" },
  "GET /admin/oidc/sign-in": {
    summary: "Sign in at the identity provider: leads there.",
    query: Type.Object({ to: Type.Optional(words("Place below the console to return to.")) }),
    types: ["text/html"],
  },
  "GET /admin/oidc/callback": {
    summary: "The way back from the identity provider; sets the cookie of the console and leads there.",
    types: ["text/html"],
  },
  "GET /admin/overview": { summary: "State of the whole adapter.", role: "viewer", answer: overviewSchema },
  "GET /admin/figures": {
    summary: "Rates and durations over time.",
    role: "viewer",
    query: Type.Object({ range: Type.Optional(choice(["15m", "24h", "7d"] as const, "Time range.")) }),
    answer: figuresSchema,
  },
  "GET /admin/audit": {
    summary:
      "Who paused systems, dropped or retried records, took support bundles and tested alarms. What was done to an entry stands with the entry.",
    role: "viewer",
    answer: auditSchema,
  },
  "GET /admin/live": {
    summary: "Server-sent events: the targets, whenever something has changed.",
    role: "viewer",
    query: Type.Object({
      view: Type.Optional(choice(["wall"] as const, "A screen on the wall: keeps the session of a viewer open.")),
    }),
    answer: targetsSchema,
    types: ["text/event-stream"],
  },
  "GET /admin/orders": {
    summary: "Find orders by number, external identifier, container, item or operator.",
    role: "viewer",
    query: Type.Object({
      ...{ q: Type.Optional(words("What to look for.")), state: Type.Optional(words("State of the order.")), ...page },
    }),
    answer: orderPageSchema,
  },
  "GET /admin/orders/:number": {
    summary: "An order with its lines, containers and changes.",
    role: "viewer",
    answer: orderDetailSchema,
  },
  "GET /admin/orders/:number/timeline": {
    summary: "What happened to an order.",
    role: "viewer",
    query: Type.Object({ show, format: format("json", "text") }),
    answer: timelineSchema,
    types: ["text/plain"],
  },
  "GET /admin/orders/:number/explain": {
    summary: "How the amounts of an order were decided.",
    role: "viewer",
    query: Type.Object({ format: format("json", "text") }),
    answer: explanationSchema,
    types: ["text/plain"],
  },
  "POST /admin/orders/:number/bundle": {
    summary: "Everything about an order for people who help, without secrets and personal data.",
    role: "operator",
    body: decision,
    answer: bundleSchema,
  },
  "GET /admin/deliveries": {
    summary: "What is not delivered, grouped by cause.",
    role: "viewer",
    query: Type.Object(filter),
    answer: failureGroupsSchema,
  },
  "GET /admin/journal": {
    summary: "Find entries of the journal, newest first.",
    role: "viewer",
    query: Type.Object({ ...filter, ...page, show }),
    answer: entryPageSchema,
  },
  "GET /admin/journal/export": {
    summary: "All matching entries with everything stored about them.",
    role: "viewer",
    query: Type.Object({ ...filter, show, format: format("ndjson", "csv") }),
    types: ["application/x-ndjson", "text/csv"],
  },
  "GET /admin/journal/:entry": {
    summary: "An entry with its attempts, audit and neighbours.",
    role: "viewer",
    query: Type.Object({ show }),
    answer: entryDetailSchema,
  },
  "POST /admin/journal/bulk": {
    summary: "Retry, skip or replay everything that a filter matches.",
    role: "operator",
    body: record("BulkRequest", {
      ...{
        operator,
        reason: Type.Optional(reason),
        action: choice(["retry", "skip", "replay"] as const, "What to do."),
      },
      filter: record("EntryFilter", filter),
      dryRun: Type.Optional(flag("Only count; absent: true.")),
      limit: Type.Optional(count("Most entries to change.")),
      after: Type.Optional(count("Only entries after this number: where the part before it ended.")),
    }),
    answer: bulkResultSchema,
  },
  "POST /admin/journal/:entry/retry": {
    summary: "Deliver a dead entry again, or a waiting one at once.",
    role: "operator",
    body: plainDecision,
    answer: actedSchema,
  },
  "POST /admin/journal/:entry/edit": {
    summary: "Replace the body of an undelivered entry.",
    role: "operator",
    body: record("EditDecision", { operator, reason, body: anyBody }),
    answer: actedSchema,
  },
  "POST /admin/journal/:entry/check": {
    summary: "Check a body against the contract without changing anything.",
    role: "operator",
    body: record("BodyToCheck", { body: anyBody }),
    answer: checkedSchema,
  },
  "POST /admin/journal/:entry/skip": {
    summary: "Skip an undelivered entry.",
    role: "operator",
    body: decision,
    answer: actedSchema,
  },
  "POST /admin/journal/:entry/replay": {
    summary: "Send a delivered or skipped entry again.",
    role: "operator",
    body: decision,
    answer: actedSchema,
  },
  "GET /admin/targets": { summary: "Connectors that get deliveries.", role: "viewer", answer: targetsSchema },
  "POST /admin/targets/:name/pause": {
    summary: "Hold deliveries back.",
    role: "operator",
    body: plainDecision,
    answer: targetsSchema,
  },
  "POST /admin/targets/:name/resume": {
    summary: "Deliver again.",
    role: "operator",
    body: plainDecision,
    answer: targetsSchema,
  },
  "GET /admin/quarantine": {
    summary: "Records that cannot be used.",
    role: "viewer",
    query: Type.Object({
      ...{ source: Type.Optional(words("Connector.")), kind: Type.Optional(words("What it is.")) },
      ...{ number: Type.Optional(words("Its number.")), ...page },
    }),
    answer: quarantinePageSchema,
  },
  "GET /admin/quarantine/:id": {
    summary: "A record with all its problems.",
    role: "viewer",
    answer: quarantineDetailSchema,
  },
  "POST /admin/quarantine/:id/drop": {
    summary: "Remove a record; it comes back if it is sent again.",
    role: "operator",
    body: decision,
    answer: droppedSchema,
  },
  "POST /admin/quarantine/:id/retry": {
    summary:
      "Take a record in again, as it was kept or corrected; refused with every problem if it is still not valid.",
    role: "operator",
    body: record("RetryRecord", { operator, reason, body: Type.Optional(anyBody) }),
    answer: retriedSchema,
  },
  "DELETE /admin/quarantine/:id": {
    summary: "The same as dropping it.",
    role: "operator",
    body: decision,
    answer: droppedSchema,
  },
  ...logRows,
  ...workshopRows,
} as const satisfies Record<string, AdminRow>;

export type AdminRoute = keyof typeof adminRows;

export const isAdminRoute = (route: string): route is AdminRoute => Object.hasOwn(adminRows, route);
export const adminRow = (route: AdminRoute): AdminRow => adminRows[route];
// The table has these members only; Object.keys forgets their type.
export const adminRouteNames = Object.keys(adminRows) as AdminRoute[];
