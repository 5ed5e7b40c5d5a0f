import { type EventId, operationIds, operationRow } from "../../contract/operations.ts";
import { proxyProblems, systemNetwork } from "../../http-client/network/proxy-choice.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { defineConnector } from "../../sdk/connector.ts";
import { openWebhook } from "./open-webhook.ts";
import { type WebhookOptions, webhookOptions } from "./options.ts";

const eventRows = operationIds.filter((id): id is EventId => operationRow(id).kind === "event").map(operationRow);
const refusals = new Set(eventRows.flatMap((row) => row.results.filter((name) => name !== row.success)));

/** Checks that the schema cannot express: invalid URLs, and results that no event has. */
function validateOptions({ url, proxy, refusals: given = [] }: WebhookOptions): readonly OptionProblem[] {
  return [
    ...(URL.canParse(url)
      ? []
      : [{ path: ["url"], text: "this is not a valid URL", hint: "Example: https://erp.example.com/events." }]),
    ...proxyProblems(proxy),
    ...given.flatMap(({ result }, index) =>
      refusals.has(result)
        ? []
        : [
            {
              path: ["refusals", index, "result"],
              text: `no event has the result ${result}`,
              hint: `There are ${[...refusals].join(", ")}.`,
            },
          ],
    ),
  ];
}

/** Any receiver of HTTP requests: one signed POST per event, with the entry id as idempotency key. */
export const webhook = defineConnector({
  type: "webhook",
  summary: "Sends every event of the platform to a URL, one POST each.",
  options: webhookOptions,
  validate: validateOptions,
  offers: () => ({
    operations: operationIds.filter((id): id is EventId => operationRow(id).kind === "event"),
    takesNotices: true,
    bringsIn: false,
  }),
  open: (options, context) => openWebhook(options, { ...context, ...systemNetwork }),
});
