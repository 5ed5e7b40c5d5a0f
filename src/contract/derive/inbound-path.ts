import { limits } from "../limits.ts";
import {
  type PushProgress,
  type PushTopic,
  pushProgressPath,
  pushProgressSchema,
  pushReceiptSchema,
  pushRow,
} from "../pushes.ts";
import { type ProblemDetails, problemDetailsSchema } from "../schemas/problem.ts";
import { type ComponentRegistry, type JsonObject, shapeOf } from "./component-registry.ts";
import { sampleValue } from "./sample-value.ts";
import { validSamples } from "./samples.ts";

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
    description: "One object or a list of objects. Either all are stored or none.",
    security: [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [{ $ref: "#/components/parameters/AcceptLanguage" }],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { oneOf: [one, { type: "array", items: one, maxItems: limits.elementsPerPush }] },
          examples: Object.fromEntries(shown.map(({ name, body }) => [name, { value: body }])),
        },
      },
    },
    responses: {
      "202": {
        description: "Stored and effective at once.",
        content: {
          "application/json": {
            schema: registry.place(receipt),
            examples: { accepted: { value: sampleValue(receipt, "full") } },
          },
        },
      },
      "400": problem(400, "Nothing was stored; the problem names every invalid element and member.", registry),
      "401": problem(401, "The API key is missing or wrong.", registry),
      "503": problem(503, "Nothing was stored; retry after the time in Retry-After.", registry),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [path]: { post } };
}

const deliveredExample: PushProgress = {
  id: "evt_0198c0de-0000-7000-8000-000000000001",
  topic: "workOrders",
  state: "delivered",
  receivedAt: "2026-01-05T08:00:00.000Z",
  deliveredAt: "2026-01-05T08:00:00.120Z",
  attempts: 1,
  nextAttemptAt: null,
  lastStatus: null,
  supersededBy: null,
};

/** The route for senders to read the state of a push, as an OpenAPI path. */
export function progressPath(registry: ComponentRegistry): JsonObject {
  const progress = shapeOf(pushProgressSchema);
  const get = {
    operationId: "getPushProgress",
    tags: ["Inbound"],
    summary: "State of a push.",
    description: "For senders that may push its topic. For all others the answer is 404, as for an unknown id.",
    security: [{ bearerKey: [] }, { apiKey: [] }],
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "One of the ids in the answer to the push.",
        schema: { type: "string" },
        example: deliveredExample.id,
      },
    ],
    responses: {
      "200": {
        description: "State of the push.",
        content: {
          "application/json": {
            schema: registry.place(progress),
            examples: { delivered: { value: deliveredExample } },
          },
        },
      },
      "401": problem(401, "The API key is missing or wrong.", registry),
      "404": problem(404, "There is no such push.", registry),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
  return { [pushProgressPath]: { get } };
}

const titles = { 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 503: "Service Unavailable" } as const;

/** A problem document of one status, with an example. */
function problem(status: keyof typeof titles, description: string, registry: ComponentRegistry): JsonObject {
  const value: ProblemDetails = {
    type: "about:blank",
    title: titles[status],
    status,
    detail: description,
    traceId: "7f3a9c21",
    ...(status === 400 ? { errors: { "[0].number": ["[0].number: is missing; please add it"] }, errorCount: 1 } : {}),
  };
  return {
    description,
    content: {
      "application/problem+json": {
        schema: registry.place(shapeOf(problemDetailsSchema)),
        examples: { problem: { value } },
      },
    },
  };
}
