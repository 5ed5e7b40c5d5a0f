import { operationIds, operationRow, type TellId } from "../../contract/operations.ts";
import { defineConnector } from "../../sdk/connector.ts";
import { systemNetwork } from "../../sdk/http/system-network.ts";
import { openWebhook } from "./open-webhook.ts";
import { webhookOptions } from "./options.ts";
import { validateOptions } from "./validate-options.ts";

/** Any receiver of HTTP requests: one POST per event, signed, with the entry's id as idempotency key. */
export const webhook = defineConnector({
  type: "webhook",
  summary: "Sends every event of the platform to a URL, one POST each.",
  options: webhookOptions,
  validate: validateOptions,
  offers: () => ({
    operations: operationIds.filter((id): id is TellId => operationRow(id).kind === "tell"),
    takesNotices: true,
    bringsIn: false,
  }),
  open: (options, context) => openWebhook(options, { ...context, ...systemNetwork }),
});
