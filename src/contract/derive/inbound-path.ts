import { type PushTopic, pushReceiptSchema, pushRow } from "../pushes.ts";
import { problemDetailsSchema } from "../schemas/problem.ts";
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
      "400": problem("Nothing was stored; every wrong element and member is named.", registry),
      "401": problem("The API key is missing or wrong.", registry),
      "503": problem("Nothing was stored; send it again after the time in Retry-After.", registry),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [path]: { post } };
}

const problem = (description: string, registry: ComponentRegistry): JsonObject => ({
  description,
  content: { "application/problem+json": { schema: registry.place(shapeOf(problemDetailsSchema)) } },
});
