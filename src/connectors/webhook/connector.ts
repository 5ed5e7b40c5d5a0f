import { lookup } from "node:dns/promises";
import { defineConnector } from "../../sdk/connector.ts";
import { openWebhook } from "./open-webhook.ts";
import { webhookOptions } from "./options.ts";

/** Any receiver of HTTP requests: one POST per event, signed, with the entry's id as idempotency key. */
export const webhook = defineConnector({
  type: "webhook",
  summary: "Sends every event of the platform to a URL, one POST each.",
  options: webhookOptions,
  open: (options, context) =>
    openWebhook(options, { ...context, resolve: (hostname) => lookup(hostname, { all: true, verbatim: true }) }),
});
