import { orderStates } from "../../engine/journal-view/orders/order-view.ts";
import { supportBundle } from "../../engine/journal-view/support/support-bundle.ts";
import {
  badRequest,
  bodyOf,
  type Exchange,
  type Handle,
  parameter,
  problem,
  send,
  sendInTurns,
  wholeNumber,
} from "./admin-exchange.ts";
import { readEntryQuery, readReason } from "./read-decision.ts";

const maxPage = 200;
const defaultPage = 50;
const orderQueryNames = ["q", "state", "before", "limit"];

/** Views over the journal and the embedded store: orders, and entries that are not delivered. */
export const viewRoutes: Readonly<Record<string, Handle>> = {
  "GET /admin/orders": listOrders,
  "GET /admin/orders/:number": showOrder,
  "POST /admin/orders/:number/bundle": giveBundle,
  "GET /admin/deliveries": listDeliveries,
};

async function listOrders(exchange: Exchange) {
  const { members, overview, reply } = exchange;
  const errors: Record<string, string[]> = Object.create(null);
  for (const name of members.keys()) {
    if (!orderQueryNames.includes(name)) errors[name] = [`is not known here; there are ${orderQueryNames.join(", ")}`];
  }
  const limit = wholeNumber(members.get("limit") ?? String(defaultPage), maxPage);
  if (limit === null) errors["limit"] = [`must be a whole number from 1 to ${maxPage}`];
  const before = members.has("before") ? wholeNumber(members.get("before") ?? "", Number.MAX_SAFE_INTEGER) : undefined;
  if (before === null) errors["before"] = ["must be the `nextBefore` of a page"];
  const given = members.get("state");
  const state = orderStates.find((known) => known === given?.toLowerCase());
  if (given !== undefined && state === undefined) errors["state"] = [`must be one of ${orderStates.join(", ")}`];
  if (limit === null || before === null || Object.keys(errors).length > 0) return badRequest(exchange, errors);
  const text = members.get("q")?.trim() ?? "";
  const page = await overview.orders({
    limit,
    ...(before === undefined ? {} : { before }),
    ...(state === undefined ? {} : { state }),
    ...(text === "" ? {} : { text }),
  });
  return send(reply, page);
}

async function showOrder(exchange: Exchange) {
  const number = parameter(exchange, "number");
  const order = await exchange.overview.order(number);
  if (order === null) return problem(exchange, 404, `Nothing is known of an order ${JSON.stringify(number)}.`);
  return sendInTurns(exchange.reply, order);
}

/** Counts as a change because it writes to the audit log: the data of an order leaves the system. */
async function giveBundle(exchange: Exchange) {
  const number = parameter(exchange, "number");
  const body = bodyOf(exchange);
  if ("errors" in body) return badRequest(exchange, body.errors);
  const reading = readReason(body.members);
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  const { overview, maskSecrets, version, clock } = exchange;
  const bundle = await supportBundle({ overview, maskSecrets, version, now: clock.now }, number);
  if (bundle === null) return problem(exchange, 404, `Nothing is known of an order ${JSON.stringify(number)}.`);
  await exchange.actions.add({ ...reading, action: "bundle", subject: number });
  exchange.reply.header("content-disposition", 'attachment; filename="support-bundle.json"');
  return sendInTurns(exchange.reply, bundle);
}

async function listDeliveries(exchange: Exchange) {
  const reading = readEntryQuery(exchange.members, { dates: exchange.dates });
  if ("errors" in reading) return badRequest(exchange, reading.errors);
  return send(exchange.reply, await exchange.overview.failures(reading.query));
}
