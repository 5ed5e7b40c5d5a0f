import { Type } from "typebox";
import { choice, dateTime, list, record } from "../schemas/parts.ts";
import { type AdminRow, operator } from "./admin-row.ts";
import { count, orNull, words } from "./journal-answers.ts";

export const logLevelNames = ["debug", "info", "warn", "error", "silent"] as const;
export const mostLogMinutes = 24 * 60;

const minutes = Type.Optional(count(`For how many minutes, at most ${mostLogMinutes}; absent: 15.`));
const view = record("LogView", {
  levels: list(
    record("RoomLevel", {
      room: words("The room."),
      level: choice(logLevelNames, "How much it logs."),
      until: orNull(dateTime("When it returns to the configured level; null: it has that level.")),
    }),
    "Every room that logs.",
  ),
  orders: list(
    record("WatchedOrder", {
      order: words("Its number."),
      until: dateTime("Until when its requests are logged."),
      exchanges: count("How many are kept."),
    }),
    "Orders whose requests are logged.",
  ),
});

/** The routes that set a more detailed log level for a limited time. */
export const logRows = {
  "GET /admin/log": { summary: "How much is logged, and for how long.", role: "operator", answer: view },
  "POST /admin/log/level": {
    summary: "Another log level for one room, for a while.",
    role: "admin",
    body: record("SetLogLevel", {
      room: words("The room, as the reference of log messages names it."),
      level: choice(["normal", ...logLevelNames], "`normal` returns to the configuration."),
      minutes,
      operator,
    }),
    answer: view,
  },
  "POST /admin/log/orders": {
    summary: "Log every request and delivery that names one order, with bodies, masked, for a while.",
    role: "operator",
    body: record("WatchOrder", { order: words("Its number."), minutes, operator }),
    answer: view,
  },
  "GET /admin/log/orders/:number": {
    summary: "What was logged of an order: the last 200 requests and deliveries, oldest first.",
    role: "operator",
    answer: record("LoggedExchanges", {
      exchanges: list(
        record("LoggedExchange", {
          at: dateTime("When it began."),
          kind: choice(["request", "delivery"] as const, "To the adapter, or from it."),
          what: words("Method and address."),
          status: orNull(count("HTTP status; null: no answer.")),
          ms: count("How long it took."),
          request: words("What was sent, masked."),
          answer: words("What was answered, masked."),
        }),
        "Requests and deliveries.",
      ),
    }),
  },
} as const satisfies Record<string, AdminRow>;
