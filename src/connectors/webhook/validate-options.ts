import { operationIds, operationRow, type TellId } from "../../contract/operations.ts";
import type { OptionProblem } from "../../sdk/connector.ts";
import { proxyProblems } from "../../sdk/http/proxy-option.ts";
import type { WebhookOptions } from "./options.ts";

const tellRows = operationIds.filter((id): id is TellId => operationRow(id).kind === "tell").map(operationRow);
const refusals = new Set(tellRows.flatMap((row) => row.results.filter((name) => name !== row.success)));

/** What the schema cannot say: addresses that are none, and results that no event has. */
export function validateOptions({ url, proxy, refusals: given = [] }: WebhookOptions): readonly OptionProblem[] {
  return [
    ...(URL.canParse(url)
      ? []
      : [{ path: ["url"], text: "this is no address", hint: "Such as https://erp.example.com/events." }]),
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
