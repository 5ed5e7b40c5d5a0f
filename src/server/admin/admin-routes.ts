import type { FastifyInstance } from "fastify";
import { readQuery } from "../../contract/derive/match-route.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { type ActionName, actionNames } from "../../engine/journal-view/entries/act-on-entry.ts";
import { maxBulkEntries } from "../../engine/journal-view/entries/bulk-act.ts";
import { chooseLanguage } from "../../messages/choose-language.ts";
import { localise } from "../../messages/localise.ts";
import { problemText } from "../../operation/fault.ts";
import { errorsByField, writeAnswer, writePieces } from "../contract/answer.ts";
import {
  type AdminNeeds,
  badRequest,
  bodyOf,
  decisionLimitBytes,
  type Exchange,
  editOf,
  entryName,
  type Handle,
  noSuchEntry,
  parameter,
  privacyOf,
  problem,
  send,
  sendInTurns,
  wholeNumber,
} from "./admin-exchange.ts";
import { filterMembers, isBulk, readDecision, readEntryQuery, readOperator } from "./read-decision.ts";
import { editLimitBytes } from "./read-edit.ts";
import { viewRoutes } from "./view-routes.ts";

const maxPage = 500;
const maxReason = 1000;
const defaultPage = 50;

const routes: Readonly<Record<string, Handle>> = {
  "GET /admin/journal": listEntries,
  "GET /admin/journal/export": exportJournal,
  "GET /admin/journal/:entry": showEntry,
  "POST /admin/journal/bulk": bulk,
  ...Object.fromEntries(
    actionNames.map((action): [string, Handle] => [
      `POST /admin/journal/:entry/${action}`,
      (exchange) => act(exchange, action),
    ]),
  ),
  "POST /admin/journal/:entry/check": checkBody,
  ...viewRoutes,
  "GET /admin/orders/:number/timeline": showTimeline,
  "GET /admin/orders/:number/explain": showExplanation,
  "GET /admin/targets": ({ overview, reply }) => send(reply, overview.targets()),
  "POST /admin/targets/:name/pause": (exchange) => setPaused(exchange, true),
  "POST /admin/targets/:name/resume": (exchange) => setPaused(exchange, false),
};

const takesBodies = /\/(edit|check)$/;

/**
 * The journal for people and tools. These are the adapter's own routes, so they use real status codes. All require a
 * key or a session.
 */
export function adminRoutes(app: FastifyInstance, needs: AdminNeeds): void {
  const { gate } = needs;
  for (const [route, handle] of Object.entries(routes)) {
    const [method = "", path = ""] = route.split(" ");
    const onRequest = gate.routeCheck(route);
    app.route({
      method,
      url: needs.basePath + path,
      bodyLimit: takesBodies.test(route) ? editLimitBytes : decisionLimitBytes,
      onRequest,
      handler: (request, reply) => {
        // Operators' names and order contents must not be cached, and a browser must not guess their type.
        reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
        const [, rawQuery = ""] = request.url.split("?", 2);
        const principal = gate.principalOf(request);
        return handle({ ...needs, dates: needs.dates(), request, reply, principal, members: readQuery(rawQuery) });
      },
    });
  }
}

async function listEntries(exchange: Exchange) {
  const { overview, reply, members } = exchange;
  const reading = readEntryQuery(members, { dates: exchange.dates, others: ["before", "limit", "show"] });
  const limit = wholeNumber(members.get("limit") ?? String(defaultPage), maxPage);
  const before = members.has("before") ? wholeNumber(members.get("before") ?? "", Number.MAX_SAFE_INTEGER) : undefined;
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  if (limit === null) return badRequest(exchange, { limit: [`must be a whole number from 1 to ${maxPage}`] });
  if (before === null) return badRequest(exchange, { before: ["must be the number of an entry"] });
  const page = { limit, ...(before === undefined ? {} : { before }), ...privacyOf(exchange) };
  return sendInTurns(reply, await overview.find(reading.query, page));
}

function exportJournal(exchange: Exchange) {
  const { overview, reply, members } = exchange;
  const reading = readEntryQuery(members, { dates: exchange.dates, others: ["show", "format"] });
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  const format = members.get("format") ?? "ndjson";
  if (format !== "ndjson" && format !== "csv") return badRequest(exchange, { format: ["must be ndjson or csv"] });
  reply.header("content-disposition", `attachment; filename="journal.${format}"`);
  const contentType = format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8";
  return writePieces(reply, contentType, overview.exported(reading.query, { format, ...privacyOf(exchange) }));
}

async function showEntry(exchange: Exchange) {
  const entry = await exchange.overview.show(entryName(exchange), privacyOf(exchange));
  return entry === null ? noSuchEntry(exchange) : sendInTurns(exchange.reply, entry);
}

async function act(exchange: Exchange, action: ActionName) {
  const body = action === "edit" ? await editOf(exchange) : { body: null, ...bodyOf(exchange) };
  if ("errors" in body) return badRequest(exchange, body.errors);
  const reading = readDecision(action, body.members, body.body);
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  const { decision, operator } = reading;
  const acted = await exchange.overview.act(entryName(exchange), decision, operator);
  if (acted === null) return noSuchEntry(exchange);
  if ("notPossible" in acted) return problem(exchange, 409, acted.notPossible);
  if ("problems" in acted) {
    return badRequest(exchange, errorsOf(exchange, acted.problems));
  }
  return sendInTurns(exchange.reply, { entry: acted.done, releasedCount: acted.releasedCount });
}

/** Says whether a body could replace the stored one. Changes nothing. */
async function checkBody(exchange: Exchange) {
  const reading = await editOf(exchange);
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  const { body } = reading;
  if (typeof body !== "string") {
    return send(exchange.reply, { isValid: false, errors: { $: ["must be JSON"] }, detail: null });
  }
  const checked = await exchange.overview.checkEdit(entryName(exchange), body);
  if (checked === null) return noSuchEntry(exchange);
  if ("notPossible" in checked) {
    return send(exchange.reply, { isValid: false, errors: {}, detail: checked.notPossible });
  }
  const errors = "problems" in checked ? errorsOf(exchange, checked.problems) : {};
  return send(exchange.reply, { isValid: !("problems" in checked), errors, detail: null });
}

function errorsOf({ request }: Exchange, problems: readonly Problem[]) {
  const language = chooseLanguage(request.headers["accept-language"]);
  return errorsByField(
    problems,
    problems.map((one) => localise(problemText(one), language)),
  );
}

async function bulk(exchange: Exchange) {
  const body = bodyOf(exchange);
  if ("errors" in body) return badRequest(exchange, body.errors);
  const { action, filter, dryRun = true, limit = maxBulkEntries, after = 0 } = body.members;
  const name = actionNames.find((one) => one === action && one !== "edit");
  if (name === undefined) return badRequest(exchange, { action: ["must be retry, skip or replay"] });
  if (typeof dryRun !== "boolean") return badRequest(exchange, { dryRun: ["must be true or false"] });
  const most = wholeNumber(String(limit), maxBulkEntries);
  if (most === null) return badRequest(exchange, { limit: [`must be a whole number from 1 to ${maxBulkEntries}`] });
  if (typeof after !== "number" || !Number.isSafeInteger(after) || after < 0) {
    return badRequest(exchange, { after: ["must be the number of an entry"] });
  }
  const given = filterMembers(filter);
  // An empty filter would match everything, which nobody means. To select every dead entry, the filter has to say so.
  if (given === null || given.size === 0) return badRequest(exchange, { filter: ["must name at least one condition"] });
  const reading = readEntryQuery(given, { dates: exchange.dates });
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  const decided = readDecision(name, body.members);
  if ("errors" in decided) return badRequest(exchange, decided.errors);
  if (!isBulk(decided.decision)) return badRequest(exchange, { action: ["is not possible for many"] });
  const { decision, operator } = decided;
  const request = { decision, query: reading.query, operator, isDryRun: dryRun, limit: most, after };
  return sendInTurns(exchange.reply, await exchange.overview.bulk(request, privacyOf(exchange)));
}

async function showTimeline(exchange: Exchange) {
  const number = parameter(exchange, "number");
  const { overview, dates } = exchange;
  const privacy = privacyOf(exchange);
  if (exchange.members.get("format") === "text") {
    return sendText(exchange, await overview.timelineText(number, { ...privacy, timeZone: dates.timeZone }));
  }
  const timeline = await overview.timeline(number, privacy);
  return timeline === null ? noSuchOrder(exchange) : sendInTurns(exchange.reply, timeline);
}

const noSuchOrder = (exchange: Exchange) =>
  problem(exchange, 404, `Nothing is known of an order ${JSON.stringify(parameter(exchange, "number"))}.`);

function sendText(exchange: Exchange, text: string | null) {
  if (text === null) return noSuchOrder(exchange);
  return writeAnswer(exchange.reply, { status: 200, contentType: "text/plain; charset=utf-8", body: `${text}\n` });
}

async function showExplanation(exchange: Exchange) {
  const number = parameter(exchange, "number");
  const { overview, members } = exchange;
  if (members.get("format") === "text") return sendText(exchange, await overview.explanationText(number));
  const found = await overview.explain(number);
  return found === null ? noSuchOrder(exchange) : sendInTurns(exchange.reply, found);
}

async function setPaused(exchange: Exchange, isPaused: boolean) {
  const target = parameter(exchange, "name");
  const body = bodyOf(exchange);
  if ("errors" in body) return badRequest(exchange, body.errors);
  const reading = readOperator(body.members);
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  if (!exchange.overview.setPaused(target, isPaused)) {
    return problem(exchange, 404, `There is no target ${JSON.stringify(target)}.`);
  }
  const { operator } = reading;
  const given = body.members["reason"];
  const reason = typeof given === "string" && given.trim() !== "" ? given.trim().slice(0, maxReason) : null;
  await exchange.actions.add({ operator, action: isPaused ? "pause" : "resume", subject: target, reason });
  const fields = { target, operator };
  if (isPaused) exchange.log.warn(fields, "deliveries are paused");
  else exchange.log.info(fields, "deliveries continue");
  return send(exchange.reply, exchange.overview.targets());
}
