import { type PushTopic, pushReceiptSchema, pushRow } from "../pushes.ts";
import type { ComponentRegistry, JsonObject } from "./component-registry.ts";
import { sampleValue } from "./sample-value.ts";
import { validSamples } from "./samples.ts";
import { shapeOf } from "./shape.ts";

/** One inbound route as an OpenAPI path. */
export function inboundPath(topic: PushTopic, registry: ComponentRegistry): JsonObject {
  const { path, summary, element } = pushRow(topic);
  const one = registry.place(shapeOf(element));
  const receipt = shapeOf(pushReceiptSchema);
  const shown = validSamples(topic).filter(({ name }) => ["minimal", "full", "a list"].includes(name));
  const post = {
    operationId: `push${topic.charAt(0).toUpperCase()}${topic.slice(1)}`,
    tags: ["Inbound"],
    summary,
    description: "One object or a list of them. All are stored, or none.",
    security: [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [{ $ref: "#/components/parameters/AcceptLanguage" }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { oneOf: [one, { type: "array", items: one }] },
          examples: Object.fromEntries(shown.map(({ name, body }) => [name, { value: body }])),
        },
      },
    },
    responses: {
      "202": {
        description: "Stored; it takes effect at once.",
        content: {
          "application/json": {
            schema: registry.place(receipt),
            examples: { accepted: { value: sampleValue(receipt, "full") } },
          },
        },
      },
      "400": {
        description: "Nothing was stored; every wrong element and member is named.",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDetails" } } },
      },
      "401": {
        description: "The API key is missing or wrong.",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDetails" } } },
      },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [path]: { post } };
}
