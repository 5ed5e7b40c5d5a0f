import { derivedEventIds, derivedEvents } from "../derived-events.ts";
import { type ComponentRegistry, type JsonObject, shapeOf } from "./component-registry.ts";
import { sampleValue } from "./sample-value.ts";

export const sentGroup = {
  name: "Sent by the adapter",
  description:
    "Events that the adapter derives from its ledger and sends to a URL of yours (connector `webhook`, `derivedEvents`). " +
    "Connectors of other kinds get the same content.",
};

const header = (name: string, description: string, example: string): JsonObject => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string" }, example },
});

const entryId = "evt_0198c0de-0000-7000-8000-000000000001";

/** The derived events as OpenAPI webhooks: requests that the adapter sends. */
export function sentEvents(registry: ComponentRegistry): JsonObject {
  const problem = { $ref: "#/components/responses/Problem" };
  return Object.fromEntries(
    derivedEventIds.map((id) => {
      const { summary, body } = derivedEvents[id];
      const shape = shapeOf(body);
      const post = {
        operationId: id,
        tags: [sentGroup.name],
        summary,
        description:
          "In the order's lane: after every event of the order that came before. Sent again under the same id until it is answered with a success.",
        // A signature proves the sender; nothing else is required.
        security: [],
        parameters: [
          header("webhook-id", "Id of the entry: the same on every attempt. Ignore an id that you have seen.", entryId),
          header("webhook-timestamp", "When it was sent, in seconds since 1970.", "1767600000"),
          header("ce-type", "What it is.", `crossdock.${id}`),
          header("idempotency-key", "The id once more, in quotes.", `"${entryId}"`),
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: registry.place(shape),
              examples: { full: { value: sampleValue(shape, "full") } },
            },
          },
        },
        responses: {
          "2XX": { description: "Processed, or stored for processing. The answer must be JSON or empty." },
          "4XX": { ...problem, description: "Refused: the entry needs an operator." },
          "5XX": { ...problem, description: "Not now: it is sent again later." },
        },
      };
      return [id, { post }];
    }),
  );
}
